import { type Decoded, decodeLabelled } from '../text/decodeLabelled.ts';
import { headerEncoding, xmlEncoding } from '../text/encodings.ts';
import { decodeWindows1252 } from '../text/windows1252.ts';

const declarationBytes = 1024;

/**
 * Turns a feed's bytes into text, by the rules of `decodeLabelled`; what is declared is the charset of the HTTP
 * header, then the XML declaration. Never throws. `contentType`: the HTTP header, or null.
 */
export function decodeFeed(bytes: Uint8Array, contentType: string | null): Decoded {
  return decodeLabelled(bytes, declaredEncodings(bytes, contentType));
}

/** What header and XML declaration name, in this order, as far as we know it. */
export function declaredEncodings(bytes: Uint8Array, contentType: string | null): string[] {
  const head = decodeWindows1252(bytes.subarray(0, declarationBytes));
  // What could be read byte by byte so far is in no two-byte encoding, whatever it says.
  return [headerEncoding(contentType), xmlEncoding(head)]
    .filter(label => label !== null)
    .filter(label => !label.startsWith('utf-16'));
}
