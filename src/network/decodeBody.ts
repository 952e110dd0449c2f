import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { decompressHead } from './decompressHead.ts';

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decompressors: Readonly<Record<string, Decompress>> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
  deflate: (body, options) => (hasZlibHeader(body) ? zlibInflate(body, options) : rawInflate(body, options)),
};
const zlibInflate: Decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);
const rawInflate: Decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

const headDecompressors: Readonly<Record<string, Decompress>> = {
  gzip: (body, { maxOutputLength }) => decompressHead('gzip', body, maxOutputLength),
  br: (body, { maxOutputLength }) => decompressHead('br', body, maxOutputLength),
  deflate: (body, { maxOutputLength }) =>
    decompressHead(hasZlibHeader(body) ? 'deflate' : 'deflate-raw', body, maxOutputLength),
};

/** What a guarded fetch asks for: each of them can be decoded here. */
export const acceptedEncodings = 'gzip, br, deflate';

const maxCodings = 3;

export type DecodedBody =
  | { kind: 'decoded'; body: Buffer }
  | { kind: 'too_large' }
  | { kind: 'unreadable'; detail: string };

/**
 * Undoes a Content-Encoding, at most three codings deep. `maxBodyBytes` limits each step's output, so that
 * a small body cannot blow up in memory. An empty body is empty in every coding (a 304 may still name one).
 * `cut`: of a longer one, or of one that was cut itself, the head is decoded. Default false.
 */
export async function decodeBody(
  encoded: Buffer,
  contentEncoding: string | undefined,
  maxBodyBytes: number,
  { cut = false }: { cut?: boolean } = {},
): Promise<DecodedBody> {
  const codings = codingsOf(contentEncoding);
  if (codings.length > maxCodings)
    return { kind: 'unreadable', detail: `more than ${maxCodings} content codings` };

  let body = encoded;
  for (const coding of codings.reverse()) {
    if (body.length === 0) break;
    const decompress = (cut ? headDecompressors : decompressors)[coding];
    if (decompress === undefined) return { kind: 'unreadable', detail: `unknown content coding "${coding}"` };
    try {
      body = await decompress(body, { maxOutputLength: maxBodyBytes });
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'too_large' };
      return { kind: 'unreadable', detail: `the body is not valid ${coding}` };
    }
  }
  return { kind: 'decoded', body };
}

function codingsOf(contentEncoding = ''): string[] {
  const codings = contentEncoding.toLowerCase().split(',');
  return codings
    .map(coding => coding.trim().replace(/^x-gzip$/, 'gzip'))
    .filter(coding => coding !== '' && coding !== 'identity');
}

// "deflate" means zlib's format, but some servers send the bare stream.
function hasZlibHeader(body: Buffer): boolean {
  return ((body[0] ?? 0) & 0x0f) === 8;
}
