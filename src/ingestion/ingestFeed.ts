import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { type ClaimedFeed, claimFeed, type FeedClaim, giveBackFeed } from '../models/feeds.ts';
import type { GuardedFetch } from '../network/guardedFetch.ts';
import { type FeedOutcome, outcome } from './FeedOutcome.ts';
import { isAtFailureLimit } from './feedHealth.ts';
import { type FeedFetch, fetchFeed } from './fetchFeed.ts';
import { recordFailed, recordGone, recordInterrupted, recordRead, recordUnchanged } from './recordOutcome.ts';

/** Takes a unit's lock without waiting; null: another one has it. */
export type LockFeed = (unit: string) => Promise<{ signal: AbortSignal; release(): Promise<void> } | null>;

export type IngestTools = { db: Database; lock: LockFeed; fetch: GuardedFetch; newId: () => string };

type Run = IngestTools & { clock: Clock; feed: ClaimedFeed; claim: FeedClaim };

/**
 * Reads one feed, stores what is new and routes it. Everything that a read brings is written in one
 * transaction, so that a crash leaves the feed as if it had not been read: its articles, its validators and
 * its route articles exist together or not at all.
 */
export async function ingestFeed(
  feedId: number,
  options: IngestTools & { clock: Clock; signal: AbortSignal; isForced: boolean },
): Promise<FeedOutcome> {
  const { db, lock, clock, signal, isForced } = options;
  const unit = await lock(`feed:${feedId}`);
  if (unit === null) return outcome('busy', 'another process is reading it');
  try {
    const claim = { feedId, claimToken: options.newId() };
    const feed = await claimFeed(db, { ...claim, isForced, now: clock.now() });
    if (feed === null) return outcome('busy', 'another process has just read it');
    const run = { ...options, feed, claim };
    return await readClaimed(run, AbortSignal.any([signal, unit.signal]));
  } finally {
    await unit.release();
  }
}

async function readClaimed(run: Run, signal: AbortSignal): Promise<FeedOutcome> {
  const { feed, fetch, clock } = run;
  if (feed.wasInterrupted && isAtFailureLimit(feed)) return recordInterrupted(run, clock.now());
  const request = { ...feed, zone: feed.timezone };
  try {
    const result = await fetchFeed(request, { fetch, now: clock.now(), signal });
    return await record(run, result, clock.now());
  } catch (error) {
    // Our own fault. Counted all the same: a feed that trips us must not be tried at every tick.
    const detail = `internal error: ${error instanceof Error ? error.message : String(error)}`;
    await recordFailed(run, { detail, waitMs: 0 }, clock.now());
    throw error;
  }
}

function record(run: Run, result: FeedFetch, now: Date): Promise<FeedOutcome> {
  switch (result.kind) {
    case 'read':
      return recordRead(run, result, now);
    case 'unchanged':
      return recordUnchanged(run, result, now);
    case 'gone':
      return recordGone(run, now);
    case 'failed':
      return recordFailed(run, result, now);
    case 'aborted':
      return giveBack(run);
    default:
      return result satisfies never;
  }
}

async function giveBack({ db, claim }: Run): Promise<FeedOutcome> {
  await giveBackFeed(db, claim);
  return outcome('stopped');
}
