import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

// Flushed at the end of the input, which may be in the middle: what is there so far is wanted.
const zlib = { finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

export type HeadCoding = 'gzip' | 'br' | 'deflate' | 'deflate-raw';

const streams: Readonly<Record<HeadCoding, () => Transform>> = {
  gzip: () => createGunzip(zlib),
  br: () => createBrotliDecompress(brotli),
  deflate: () => createInflate(zlib),
  'deflate-raw': () => createInflateRaw(zlib),
};

/**
 * Decompresses the head of a body, itself whole or cut, up to `maxBytes`, and leaves the rest. Throws where the
 * body is not valid from its beginning on.
 */
export async function decompressHead(coding: HeadCoding, body: Buffer, maxBytes: number): Promise<Buffer> {
  const output = pipeline(Readable.from([body]), streams[coding](), () => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of output) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch (error) {
    if (bytes === 0) throw error;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
