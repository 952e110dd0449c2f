import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseHealth } from './DatabaseHealth.ts';
import { retryWaitMs } from './retryWaitMs.ts';
import { unlessAborted } from './unlessAborted.ts';

/**
 * Runs `work` until it succeeds: while the database is away it is tried again, for ever, each time after a
 * longer wait. So it must bear being run twice. Throws what is not the database's absence, and the signal's
 * reason as soon as that is aborted; `work` is then left to itself.
 */
export async function holdOn<Result>(
  work: () => Promise<Result>,
  { health, signal }: { health: DatabaseHealth; signal: AbortSignal },
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    try {
      const result = await unlessAborted(work(), signal);
      health.answered();
      return result;
    } catch (error) {
      if (signal.aborted || !health.failed(error)) throw error;
    }
    await sleep(retryWaitMs(tries), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
