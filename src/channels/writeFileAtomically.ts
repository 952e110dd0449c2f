import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

/**
 * Puts a whole file at `relativePath` under `root`, or none: readers see the old one or the new one. Its
 * bytes are on the disk before it gets its name. Throws only before that; what fails after it is not told,
 * since the file is there.
 */
export async function writeFileAtomically({
  root,
  relativePath,
  text,
}: {
  root: string;
  relativePath: string;
  text: string;
}): Promise<void> {
  const path = resolve(root, relativePath);
  const folder = dirname(path);
  // In the same folder, or the rename would not be atomic; hidden, so that site generators pass over it.
  const temporary = join(folder, `.${basename(path)}.${randomUUID()}.tmp`);

  await mkdir(folder, { recursive: true });
  try {
    await writeAndSync(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolders(root, folder);
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

// From the file's folder up to the root: each may have got a new entry.
async function syncFolders(root: string, innermost: string): Promise<void> {
  const names = relative(root, innermost).split(/[\\/]/);
  for (let depth = names.length; depth >= 0; depth -= 1) {
    await syncFolder(join(root, ...names.slice(0, depth))).catch(() => {});
  }
}

// Not every system lets a folder be opened.
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
