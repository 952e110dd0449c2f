import { decodeUtf32 } from './decodeUtf32.ts';
import { decodeWindows1252 } from './windows1252.ts';

/**
 * The WHATWG name of the encoding that a label means; null: none that we know, or no label. ISO-8859-1 and
 * ASCII are windows-1252, as they are in practice.
 */
export function knownEncoding(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** What the charset of a Content-Type header means; null: it has none that we know. */
export function headerEncoding(contentType: string | null): string | null {
  return knownEncoding(contentType?.match(/charset\s*=\s*["']?([^\s"';,]+)/i)?.[1]);
}

/** What the XML declaration at the beginning of a document means; null: it has none that we know. */
export function xmlEncoding(head: string): string | null {
  return knownEncoding(head.match(/^[^<]*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/i)?.[1]);
}

/** Whether each byte is a character: such a label proves nothing. */
export function isSingleByte(encoding: string): boolean {
  return /^(windows-|iso-8859|koi8|macintosh|x-mac|ibm866)/.test(encoding);
}

/** Bytes as text by an encoding's WHATWG name, or `utf-32le` or `utf-32be`. What is none of it becomes U+FFFD. */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decodeUtf32(bytes, encoding === 'utf-32le');
  if (encoding === 'windows-1252') return decodeWindows1252(bytes);
  return new TextDecoder(encoding).decode(bytes);
}
