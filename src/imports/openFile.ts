import { stat } from 'node:fs/promises';
import { formatBytes, mostFileBytes } from './sizes.ts';

/** Whether a path can be read as a file, before it is opened: a pipe or a device would never end. */
export async function findFileProblem(path: string, mostBytes = mostFileBytes): Promise<string | null> {
  const found = await stat(path).catch((error: unknown) => fileProblem(error));
  if (typeof found === 'string') return found;
  if (found.isDirectory()) return 'it is a folder, not a file';
  if (!found.isFile()) return 'it is not a file';
  if (found.size > mostBytes) {
    return `it is larger than ${formatBytes(mostBytes)} (${formatBytes(found.size)}): import it in parts`;
  }
  return null;
}

/** What the system's error about a file means, for a person. Throws it on where it is none. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read by this user';
  if (code === 'ENOTDIR') return 'its path leads through a file';
  if (code === 'ELOOP') return 'it is a symbolic link, which is not followed';
  if (code === 'EIO') return 'its disk cannot be read';
  throw error;
}
