import type { Database } from '../database/Database.ts';
import { isDatabaseAway } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { claimedFeeds } from '../models/feedClaims.ts';
import { feedUnit, type LockFeed } from './feedLock.ts';
import { recoverFeed } from './recoverFeed.ts';

export type RecoverTools = { db: Database; lock: LockFeed; logger: Logger };

/**
 * Recovers every feed whose reader died, each under its lock and in a transaction of its own; one that is
 * being read is left to its reader. Returns how many it recovered. Throws when the database is away; what
 * fails otherwise is one feed's own, and ended when that feed is read the next time.
 */
export async function recoverFeeds(
  tools: RecoverTools,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<number> {
  let recovered = 0;
  for (const feedId of await claimedFeeds(tools.db)) {
    if (signal.aborted) break;
    if (await recoverIfFree(tools, { feedId, now })) recovered += 1;
  }
  return recovered;
}

async function recoverIfFree(tools: RecoverTools, feed: { feedId: number; now: Date }): Promise<boolean> {
  const unit = await tools.lock(feedUnit(feed.feedId));
  if (unit === null) return false;
  try {
    return (await recoverFeed(tools, feed)) !== null;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    tools.logger.error({ feedId: feed.feedId, err: error }, 'feed could not be recovered');
    return false;
  } finally {
    await unit.release();
  }
}
