import { setTimeout as sleep } from 'node:timers/promises';
import { retryWaitMs } from '../database/retryWaitMs.ts';
import { isDatabaseAway } from '../database/transact.ts';

/**
 * Does what must be written, however long the database is away: what was read from the world outside cannot
 * be asked for again. `work` is told whether an earlier try may have been carried out all the same, its
 * answer lost. Ends with the last error when `signal` is aborted; other errors end it at once.
 */
export async function untilAnswered<Result>(
  work: (isInDoubt: boolean) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(tries > 0);
    } catch (error) {
      if (!isDatabaseAway(error) || signal.aborted) throw error;
      await sleep(retryWaitMs(tries), undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
