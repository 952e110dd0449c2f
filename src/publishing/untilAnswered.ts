import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseHealth } from '../database/DatabaseHealth.ts';
import { retryWaitMs } from '../database/retryWaitMs.ts';

/**
 * Does what must be written, however long the database is away: what was read from the world outside cannot
 * be asked for again. `work` is told whether an earlier try may have been carried out all the same, its
 * answer lost. Ends with the last error when `signal` is aborted; other errors end it at once. That the database
 * is away is told to `health`.
 */
export async function untilAnswered<Result>(
  work: (isInDoubt: boolean) => Promise<Result>,
  { health, signal }: { health: DatabaseHealth; signal: AbortSignal },
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(tries > 0);
    } catch (error) {
      if (!health.failed(error) || signal.aborted) throw error;
      await sleep(retryWaitMs(tries), undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
