import { decodeLabelled } from '../text/decodeLabelled.ts';
import { headerEncoding, knownEncoding, xmlEncoding } from '../text/encodings.ts';
import { decodeWindows1252 } from '../text/windows1252.ts';

/** As far as the HTML standard looks for a page's own word. */
const prescanBytes = 1024;

/**
 * A page's bytes, or the first `maxBytes` of them, as text, by the rules of `decodeLabelled`; what is declared
 * is the charset of the HTTP header, then a `<meta>` or an XML declaration in the first 1,024 bytes. This is
 * the HTML standard's order, but for what the bytes disprove. Never throws. `contentType`: the header, or null.
 */
export function decodePage(bytes: Uint8Array, contentType: string | null, maxBytes: number): string {
  // As long as it may be, it was cut on its way.
  const page = bytes.length < maxBytes ? bytes : wholeCharacters(bytes.subarray(0, maxBytes));
  const head = decodeWindows1252(page.subarray(0, prescanBytes));
  const labels = [headerEncoding(contentType), metaEncoding(head), xmlEncoding(head)]
    .filter(label => label !== null)
    // What could be read byte by byte so far is in no two-byte encoding, whatever it says.
    .filter(label => !label.startsWith('utf-16'));
  return decodeLabelled(page, labels).text;
}

/** What is cut within a UTF-8 character would else be no valid UTF-8. Four bytes at most make one. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  const tail = bytes.subarray(-4);
  const start = tail.findLastIndex(byte => byte < 0x80 || byte >= 0xc0);
  const lead = tail[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const isCut = start !== -1 && start + length > tail.length;
  return isCut ? bytes.subarray(0, bytes.length - tail.length + start) : bytes;
}

function metaEncoding(head: string): string | null {
  for (const [tag] of head.replace(/<!--[\s\S]*?(?:-->|$)/g, '').matchAll(/<meta[\s/][^>]*>/gi)) {
    const found = knownEncoding(charsetOf(tag));
    if (found !== null) return found;
  }
  return null;
}

function charsetOf(tag: string): string | undefined {
  const named = tag.match(/[\s/"']charset\s*=\s*["']?\s*([^\s"'/>;]+)/i)?.[1];
  if (named !== undefined && !/[\s/"']content\s*=/i.test(tag)) return named;
  const isContentType = /[\s/"']http-equiv\s*=\s*["']?\s*content-type\b/i.test(tag);
  return isContentType ? tag.match(/\bcharset\s*=\s*["']?\s*([^\s"'/>;]+)/i)?.[1] : undefined;
}
