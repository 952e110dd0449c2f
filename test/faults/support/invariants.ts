import { systemClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { until } from '../../support/until.ts';
import { findStuck } from './findStuck.ts';
import { type Exceptions, findViolations } from './findViolations.ts';
import { type History, readHistory } from './history.ts';
import type { AcceptedPost } from './publisherPath.ts';

export type InvariantsRequest = Exceptions & {
  db: Database;
  /** The fake publisher, or whatever else remembers what it accepted. */
  publisher: { readonly posts: readonly AcceptedPost[] };
  /** False: no worker runs any more, and nothing waits for its turn. Default true. */
  isRunning?: boolean;
  /** How long a consumer has to mend what was left in flight, and to get on. Default 20 s. */
  limitMs?: number;
};

/** A fault was not survived: every sentence that says how. */
export class InvariantsBrokenError extends Error {
  override name = 'InvariantsBrokenError';

  constructor(broken: readonly string[]) {
    super(`the invariants do not hold:\n${broken.join('\n')}`);
  }
}

/**
 * Asserts I1 to I6 of the whole history since `recordTransitions`, and returns it. What no consumer could mend
 * (posted twice, wrongly counted, unexplained) fails at once; what one should (left in flight, without its
 * turn) after a limit. Throws `InvariantsBrokenError`.
 */
export async function expectInvariants(request: InvariantsRequest): Promise<History> {
  const { db, publisher, isRunning = true, limitMs = 20_000, forgot = false } = request;
  const read = () => readHistory(db, { posts: publisher.posts, at: systemClock.now() });
  let history = await read();
  let stuck: string[] = [];
  const isFree = async () => {
    history = await read();
    stuck = findStuck(history).filter(sentence => isRunning || sentence.startsWith('I2'));
    return stuck.length === 0 || findViolations(history, { forgot }).length > 0;
  };
  await until(isFree, { timeoutMs: limitMs, intervalMs: 100 }).catch(() => undefined);
  const broken = [...findViolations(history, { forgot }), ...stuck];
  if (broken.length > 0) throw new InvariantsBrokenError(broken);
  return history;
}
