import { decodeUtf32 } from './decodeUtf32.ts';
import { decodeWindows1252 } from './windows1252.ts';

export type DecodedFeed = {
  text: string;
  /** The WHATWG name of the encoding that was used, such as `utf-8` or `windows-1252`. */
  encoding: string;
};

const declarationBytes = 1024;

/**
 * Turns a feed's bytes into text. In this order: byte order mark, sniffed UTF-16 or UTF-32, the charset
 * of the HTTP header, the XML declaration, valid UTF-8, windows-1252. Labels lie, bytes do not: text that
 * is valid multi-byte UTF-8 is read as such whatever single-byte encoding was declared. Never throws.
 * `contentType`: the HTTP header, or null.
 */
export function decodeFeed(bytes: Uint8Array, contentType: string | null): DecodedFeed {
  const wide = wideEncoding(bytes);
  if (wide !== null) return { text: withoutMark(decodeAs(bytes, wide)), encoding: wide };
  const utf8 = strictUtf8(bytes);
  const labels = declaredEncodings(bytes, contentType);
  // A UTF-8 label that the bytes disprove is passed over.
  const label = labels.find(label => label !== 'utf-8' || utf8 !== null) ?? null;
  if (utf8 !== null && (label === null || label === 'utf-8' || (isSingleByte(label) && hasHighByte(bytes)))) {
    return { text: withoutMark(utf8), encoding: 'utf-8' };
  }
  if (label !== null) return { text: decodeAs(bytes, label), encoding: label };
  return damaged(bytes, { saysUtf8: labels.includes('utf-8') });
}

function wideEncoding(bytes: Uint8Array): string | null {
  const [a = -1, b = -1, c = -1, d = -1] = bytes.subarray(0, 4);
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0x3c && b === 0 && c === 0 && d === 0))
    return 'utf-32le';
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && d === 0x3c))) return 'utf-32be';
  if ((a === 0xff && b === 0xfe) || (b === 0 && isFirstCharacter(a))) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && isFirstCharacter(b))) return 'utf-16be';
  return null;
}

/** A feed begins with `<`, `{` or a blank. */
function isFirstCharacter(byte: number): boolean {
  return byte === 0x3c || byte === 0x7b || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** What header and XML declaration name, in this order, as far as we know it. */
export function declaredEncodings(bytes: Uint8Array, contentType: string | null): string[] {
  const header = contentType?.match(/charset\s*=\s*["']?([^\s"';,]+)/i)?.[1];
  const head = decodeWindows1252(bytes.subarray(0, declarationBytes));
  const declaration = head.match(/^[^<]*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/i)?.[1];
  // What could be read byte by byte so far is in no two-byte encoding, whatever it says.
  return [knownEncoding(header), knownEncoding(declaration)]
    .filter(label => label !== null)
    .filter(label => !label.startsWith('utf-16'));
}

/** ISO-8859-1 and ASCII are windows-1252 to TextDecoder, as they are in practice. */
function knownEncoding(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** Whether each byte is a character: such a label proves nothing. */
export function isSingleByte(encoding: string): boolean {
  return /^(windows-|iso-8859|koi8|macintosh|x-mac|ibm866)/.test(encoding);
}

function hasHighByte(bytes: Uint8Array): boolean {
  return bytes.some(byte => byte > 0x7f);
}

function strictUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Invalid UTF-8: a cut or damaged file if most of its characters are sound, windows-1252 otherwise. */
function damaged(bytes: Uint8Array, { saysUtf8 }: { saysUtf8: boolean }): DecodedFeed {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  const sound = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  if (sound > broken || (saysUtf8 && sound > 0)) return { text, encoding: 'utf-8' };
  return { text: decodeAs(bytes, 'windows-1252'), encoding: 'windows-1252' };
}

function decodeAs(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decodeUtf32(bytes, encoding === 'utf-32le');
  if (encoding === 'windows-1252') return decodeWindows1252(bytes);
  return new TextDecoder(encoding).decode(bytes);
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
