import type { Kept } from '../../../scripts/servers/keep.ts';
import { until } from '../../support/until.ts';

/**
 * Waits until a server answers (an error counts as not yet) or has ended: then false. Throws, with what it printed,
 * when neither comes about within the limit.
 */
export async function becomesReady(
  server: Kept,
  { isReady, limitMs }: { isReady: () => Promise<boolean>; limitMs: number },
): Promise<boolean> {
  let hasEnded = false;
  void server.ended.then(() => {
    hasEnded = true;
  });
  try {
    await until(() => hasEnded || isReady(), { timeoutMs: limitMs });
  } catch (cause) {
    throw new Error(`it did not answer within ${limitMs / 1000} s; it printed:\n${server.output()}`, {
      cause,
    });
  }
  return !hasEnded;
}
