import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A short name for what is in a file: another one as soon as it changes. */
export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12);
}
