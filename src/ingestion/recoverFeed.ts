import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { type InterruptedFeed, lockInterruptedFeed, pickFeedAgain } from '../models/feedClaims.ts';
import { type FeedOutcome, outcome } from './FeedOutcome.ts';
import { isAtFailureLimit } from './feedHealth.ts';
import { recordFailedIn } from './recordOutcome.ts';

const interrupted = 'interrupted (consumer restarted)';

/** `isDue` false: it was interrupted too often in a row, and is backed off. */
export type RecoveredFeed = { isDue: boolean; outcome: FeedOutcome };

/**
 * Ends what is in flight on a feed, in one transaction; null: nothing is. Only for the holder of its lock: to
 * whoever holds that, a claim is orphaned, its own leftover included: a feed whose read the database gives up
 * every time must be backed off as well.
 *
 * The feed is picked again at once, the interruption counted as a failure: it may be this feed that kills
 * its readers, so that from the third in a row on it is backed off like one that fails.
 */
export async function recoverFeed(
  { db, logger }: { db: Database; logger: Logger },
  { feedId, now }: { feedId: number; now: Date },
): Promise<RecoveredFeed | null> {
  const recovered = await transact(db, async trx => {
    const feed = await lockInterruptedFeed(trx, feedId);
    return feed && endInterrupted(trx, feed, now);
  });
  if (recovered) logger.warn({ feedId, isDue: recovered.isDue }, 'feed recovered');
  return recovered;
}

async function endInterrupted(trx: Database, feed: InterruptedFeed, now: Date): Promise<RecoveredFeed> {
  const claim = { feedId: feed.id, claimToken: feed.claimToken };
  const failures = feed.failures + 1;
  if (isAtFailureLimit({ failures })) {
    const backedOff = await recordFailedIn(trx, { feed, claim }, { detail: interrupted, waitMs: 0 }, now);
    return { isDue: false, outcome: backedOff };
  }
  await pickFeedAgain(trx, { ...claim, failures, error: interrupted, now });
  return { isDue: true, outcome: outcome('failed', interrupted) };
}
