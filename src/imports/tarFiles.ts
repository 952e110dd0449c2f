import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ContentFile, isContent, leadsOut, pathOfEntry } from './ContentFile.ts';
import { tooLarge } from './folderFiles.ts';
import { mostArticleCharacters, mostRows, mostUnpackedBytes, unpacksToTooMuch } from './sizes.ts';
import { parsePax, parseTarHeader, type TarHeader } from './tarHeader.ts';

const blockBytes = 512;
/** Of what an archive says about an entry ahead of it. */
const mostAheadBytes = 65_536;

/**
 * The Markdown files of a tar archive, gzipped or not. Nothing is written anywhere, and of no entry more is kept
 * than an article may have; an archive with a path that leads out of it is refused as a whole.
 */
export async function* tarFiles(
  path: string,
  { isGzipped, signal }: { isGzipped: boolean; signal: AbortSignal },
): AsyncGenerator<ContentFile> {
  const file = createReadStream(path, { signal });
  const stream = isGzipped ? pipeline(file, createGunzip(), () => {}) : file;
  try {
    yield* entriesOf(byteReader(stream));
  } catch (error) {
    const reason = unreadable(error);
    if (reason === null) throw error;
    yield { kind: 'unreadable', reason };
  } finally {
    stream.destroy();
  }
}

async function* entriesOf({ take, skip }: ByteReader): AsyncGenerator<ContentFile> {
  let row = 0;
  let entries = 0;
  let said: { name?: string; size?: number } = {};
  for (;;) {
    const block = await take(blockBytes);
    // Some writers leave the empty blocks at the end out.
    if (block.length === 0 || (block.length === blockBytes && isEmpty(block))) return;
    const header = block.length === blockBytes ? parseTarHeader(block) : null;
    if (header === null) return yield { kind: 'unreadable', reason: 'it is no tar archive, or damaged' };
    if (++entries > mostRows)
      return yield { kind: 'unreadable', reason: `it has more than ${mostRows} entries` };
    const isAhead = header.type === 'pax' || header.type === 'long_name';
    if (isAhead) {
      if (header.size > mostAheadBytes)
        return yield { kind: 'unreadable', reason: 'a name in it is too long' };
      said = { ...said, ...ahead(header, await take(header.size)) };
      if (!(await skip(padding(header.size)))) return yield { kind: 'unreadable', reason: cutOff };
      continue;
    }
    const { name, size, type } = { ...header, ...said };
    said = {};
    const path = pathOfEntry(name);
    if (path === null) return yield { kind: 'unreadable', reason: leadsOut(name) };
    const isRead = isContent(path) && (type === 'file' || type === 'link');
    if (isRead) row += 1;
    if (isRead && type === 'link')
      yield { kind: 'bad', row, path, reason: 'it is a link, which is not followed' };
    else if (isRead && size > mostArticleCharacters) yield { kind: 'bad', row, path, reason: tooLarge(size) };
    const isKept = isRead && type === 'file' && size <= mostArticleCharacters;
    const bytes = isKept ? await take(size) : Buffer.alloc(0);
    if (!(await skip(size - bytes.length + padding(size))))
      return yield { kind: 'unreadable', reason: cutOff };
    if (isKept) yield { kind: 'file', row, path, bytes };
  }
}

const cutOff = 'it was cut off';

function ahead({ type }: TarHeader, text: Buffer): { name?: string; size?: number } {
  return type === 'pax' ? parsePax(text) : { name: text.toString('utf8').replace(/\0.*$/s, '') };
}

type ByteReader = {
  /** So many of the next bytes; fewer only at the end. */
  take(length: number): Promise<Buffer>;
  /** False: it ended before. */
  skip(length: number): Promise<boolean>;
};

class UnpackedTooMuchError extends Error {}

function byteReader(stream: Readable): ByteReader {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  let total = 0;
  const more = async () => {
    const next = await chunks.next();
    if (next.done) return false;
    total += next.value.length;
    if (total > mostUnpackedBytes) throw new UnpackedTooMuchError(unpacksToTooMuch);
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  };
  return {
    async take(length) {
      while (rest.length < length && (await more())) {}
      const taken = rest.subarray(0, length);
      rest = rest.subarray(taken.length);
      return taken;
    },
    async skip(length) {
      let left = length;
      while (left > 0) {
        const step = Math.min(left, rest.length);
        rest = rest.subarray(step);
        left -= step;
        if (left > 0 && !(await more())) return false;
      }
      return true;
    },
  };
}

function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function isEmpty(block: Buffer): boolean {
  return block.every(byte => byte === 0);
}

/** What is the archive's fault, in words; null: it is not. */
function unreadable(error: unknown): string | null {
  if (error instanceof UnpackedTooMuchError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return cutOff;
  return code.startsWith('Z_') ? `it is damaged: ${code}` : null;
}
