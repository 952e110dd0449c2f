import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { type ContentFile, isContent, leadsOut, pathOfEntry } from './ContentFile.ts';
import { tooLarge } from './folderFiles.ts';
import { mostArticleCharacters, mostRows, mostUnpackedBytes, unpacksToTooMuch } from './sizes.ts';

const fileTypes = 0o170000;
const symbolicLink = 0o120000;

/**
 * The Markdown files of a zip archive. Nothing is written anywhere; what an entry says of its size holds, or it
 * is given up; an archive with a path that leads out of it is refused as a whole.
 */
export async function* zipFiles(path: string): AsyncGenerator<ContentFile> {
  const zip = await openPromise(path, {
    autoClose: false,
    decodeStrings: true,
    validateEntrySizes: true,
  }).catch(damage);
  if ('reason' in zip) return yield { kind: 'unreadable', ...zip };
  try {
    yield* entriesOf(zip);
  } finally {
    zip.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<ContentFile> {
  if (zip.entryCount > mostRows)
    return yield { kind: 'unreadable', reason: `it has ${zip.entryCount} entries` };
  let row = 0;
  let unpacked = 0;
  const entries = zip.eachEntry();
  for (;;) {
    const next = await entries.next().catch(damage);
    if ('reason' in next) return yield { kind: 'unreadable', ...next };
    if (next.done) return;
    const entry = next.value;
    const path = pathOfEntry(entry.fileName);
    if (path === null) return yield { kind: 'unreadable', reason: leadsOut(entry.fileName) };
    if (!isContent(path)) continue;
    row += 1;
    const read = await readEntry(zip, entry);
    if (read.kind === 'file') unpacked += read.bytes.length;
    if (unpacked > mostUnpackedBytes) return yield { kind: 'unreadable', reason: unpacksToTooMuch };
    yield { row, path, ...read };
  }
}

type Read = { kind: 'file'; bytes: Buffer } | { kind: 'bad'; reason: string };

async function readEntry(zip: ZipFile, entry: Entry): Promise<Read> {
  if (((entry.externalFileAttributes >>> 16) & fileTypes) === symbolicLink) {
    return { kind: 'bad', reason: 'it is a symbolic link, which is not followed' };
  }
  if (entry.uncompressedSize > mostArticleCharacters)
    return { kind: 'bad', reason: tooLarge(entry.uncompressedSize) };
  if (entry.isEncrypted()) return { kind: 'bad', reason: 'it is encrypted' };
  if (!entry.canDecodeFileData())
    return { kind: 'bad', reason: 'it is packed in a way that is not read here' };
  const pieces: Buffer[] = [];
  try {
    // It throws where more comes than the entry says.
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
  } catch (error) {
    return { kind: 'bad', ...damage(error) };
  }
  return { kind: 'file', bytes: Buffer.concat(pieces) };
}

function damage(error: unknown): { reason: string } {
  const message = error instanceof Error ? error.message : String(error);
  // Its own words for a path that leads out.
  const path = /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)$/s.exec(
    message,
  )?.[1];
  return { reason: path === undefined ? `it is damaged: ${message.slice(0, 200)}` : leadsOut(path) };
}
