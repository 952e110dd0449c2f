import { decodeAs, isSingleByte } from './encodings.ts';

export type Decoded = {
  text: string;
  /** The WHATWG name of the encoding that was used, such as `utf-8` or `windows-1252`. */
  encoding: string;
};

/**
 * Turns the bytes of a marked-up document into text. In this order: byte order mark, sniffed UTF-16 or UTF-32,
 * the first of `labels` (WHATWG names, as the document and its server declare them), valid UTF-8,
 * windows-1252. Labels lie, bytes do not: text that is valid multi-byte UTF-8 is read as such whatever
 * single-byte encoding was declared. Never throws.
 */
export function decodeLabelled(bytes: Uint8Array, labels: readonly string[]): Decoded {
  const wide = wideEncoding(bytes);
  if (wide !== null) return { text: withoutMark(decodeAs(bytes, wide)), encoding: wide };
  const utf8 = strictUtf8(bytes);
  // A UTF-8 label that the bytes disprove is passed over.
  const label = labels.find(label => label !== 'utf-8' || utf8 !== null) ?? null;
  const isProven = hasUtf8Mark(bytes) || label === null || label === 'utf-8' || isSingleByteOf(bytes, label);
  if (utf8 !== null && isProven) return { text: withoutMark(utf8), encoding: 'utf-8' };
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

/** A document begins with `<`, `{` or a blank. */
function isFirstCharacter(byte: number): boolean {
  return byte === 0x3c || byte === 0x7b || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function strictUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function hasUtf8Mark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function isSingleByteOf(bytes: Uint8Array, label: string): boolean {
  return isSingleByte(label) && bytes.some(byte => byte > 0x7f);
}

/** Invalid UTF-8: a cut or damaged file if most of its characters are sound, windows-1252 otherwise. */
function damaged(bytes: Uint8Array, { saysUtf8 }: { saysUtf8: boolean }): Decoded {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  const sound = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  if (sound > broken || (saysUtf8 && sound > 0)) return { text, encoding: 'utf-8' };
  return { text: decodeAs(bytes, 'windows-1252'), encoding: 'windows-1252' };
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
