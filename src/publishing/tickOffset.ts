import { createHash } from 'node:crypto';

const hashBytes = 6;

/**
 * Where a workspace's slots begin, in milliseconds after each multiple of its interval since the epoch:
 * 1 … everyMs - 1, the same for ever, in every process and after a lost queue store. It spreads
 * workspaces over the interval, and it is never zero, because a scheduler without an offset fires at
 * once whenever it is written.
 *
 * Frozen: 1 + (first 48 bits of the SHA-256 of the decimal id, big-endian) modulo (everyMs - 1). Another
 * formula would move every slot of a running installation. `everyMs` is at least 2.
 */
export function tickOffsetMs(workspaceId: number, everyMs: number) {
  const digest = createHash('sha256').update(String(workspaceId)).digest();
  return 1 + (digest.readUIntBE(0, hashBytes) % (everyMs - 1));
}
