import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

// The keys are what all secrets hang on: whoever reads their file finds all of it or the one before, whatever
// process was killed and whatever power was cut.

/**
 * The text of a file of keys; null: there is none. Short, and read while something is sealed or opened, so it
 * is read at once. Throws where it is there and cannot be read.
 */
export function readKeyFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Makes a file of keys that only its owner can read, and the folders above it. False: there is one already, or
 * another process was faster.
 */
export async function createKeyFile(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeDurably(draft, text);
    // Unlike a rename it never takes the place of a file that is there.
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new Error(`cannot create ${path}: make its folder writable or set HEADWAY_SECRET_KEY`, {
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Puts other keys into a file of keys, which stays that of its owner, whoever runs this. One at a time: the
 * callers hold a lock. Throws where it could not be done, and the old keys are then there still.
 */
export async function replaceKeyFile(path: string, text: string): Promise<void> {
  try {
    // Not to put a file into the place of a link.
    const target = await realpath(path);
    const draft = `${target}.next`;
    // What a process left that was killed in this place.
    await rm(draft, { force: true });
    await writeDurably(draft, text, await stat(target));
    await rename(draft, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`cannot write ${path}, where the old keys still are: ${reason}`, { cause });
  }
}

async function writeDurably(path: string, text: string, owner?: { uid: number; gid: number }): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    // A person may be root where the server is not, which could not read the keys any more.
    if (owner && owner.uid !== process.getuid?.()) await file.chown(owner.uid, owner.gid);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

// Without it a power cut may keep the secrets and lose the name of their key.
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
