import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type ContentFile, isContent, isIgnoredFolder } from './ContentFile.ts';
import { fileProblem } from './openFile.ts';
import { formatBytes, mostArticleCharacters } from './sizes.ts';

const mostDepth = 50;

/** The Markdown files of a folder and of those in it, by name. Symbolic links are not followed, wherever they lead. */
export async function* folderFiles(root: string): AsyncGenerator<ContentFile> {
  let row = 0;
  for await (const found of walk(root, '', 0)) {
    row += 1;
    const { path } = found;
    if ('reason' in found) yield { kind: 'bad', row, path, reason: found.reason };
    else yield { row, path, ...(await readWithoutLinks(join(root, path))) };
  }
}

type Found = { path: string } | { path: string; reason: string };

async function* walk(root: string, folder: string, depth: number): AsyncGenerator<Found> {
  if (depth > mostDepth)
    return yield { path: folder, reason: `folders are nested more than ${mostDepth} deep` };
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(fileProblem);
  if (typeof entries === 'string') return yield { path: folder, reason: entries };
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = posix.join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      // A link to a folder bears no ending.
      if (isContent(path) || !entry.name.includes('.'))
        yield { path, reason: 'it is a symbolic link, which is not followed' };
    } else if (entry.isDirectory()) {
      if (!isIgnoredFolder(entry.name)) yield* walk(root, path, depth + 1);
    } else if (entry.isFile() && isContent(path)) yield { path };
  }
}

type Read = { kind: 'file'; bytes: Buffer } | { kind: 'bad'; reason: string };

/** It may have become a link, or have grown, since it was found. */
async function readWithoutLinks(path: string): Promise<Read> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    fileProblem,
  );
  if (typeof file === 'string') return { kind: 'bad', reason: file };
  try {
    return await readSome(file);
  } finally {
    await file.close();
  }
}

async function readSome(file: FileHandle): Promise<Read> {
  const { size } = await file.stat();
  if (size > mostArticleCharacters) return { kind: 'bad', reason: tooLarge(size) };
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  return { kind: 'file', bytes: bytes.subarray(0, bytesRead) };
}

/** Why a file is no article. */
export function tooLarge(bytes: number): string {
  return `it is larger than ${formatBytes(mostArticleCharacters)} (${formatBytes(bytes)})`;
}
