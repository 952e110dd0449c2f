import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { isDatabaseAway } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { claimFeed, type FeedClaim, giveBackFeeds } from '../models/feedClaims.ts';
import type { Feed } from '../models/feeds.ts';
import type { GuardedFetch } from '../network/guardedFetch.ts';
import type { InBulkTurn } from './bulkTurns.ts';
import { type FeedOutcome, outcome } from './FeedOutcome.ts';
import { type FeedClaimsInHand, isInHand, letGo } from './feedClaimsInHand.ts';
import { feedUnit, type LockFeed } from './feedLock.ts';
import { type FeedFetch, fetchFeed } from './fetchFeed.ts';
import type { InTurn } from './hostTurns.ts';
import type { ReadDocument } from './readDocument.ts';
import {
  claimLost,
  type FeedRead,
  recordFailed,
  recordGone,
  recordRead,
  recordUnchanged,
} from './recordOutcome.ts';
import { recoverFeed } from './recoverFeed.ts';
import { resolveLinks } from './resolveLinks.ts';

export type IngestTools = {
  db: Database;
  lock: LockFeed;
  fetch: GuardedFetch;
  read: ReadDocument;
  logger: Logger;
  newId: () => string;
  claims: FeedClaimsInHand;
  inTurn: InTurn;
  inBulkTurn: InBulkTurn;
  /** For the links of one read together. */
  linksMs: number;
};

type Circumstances = { clock: Clock; signal: AbortSignal; isForced: boolean };
type Run = IngestTools & Circumstances & { claim: FeedClaim };

/**
 * Reads one feed, stores what is new and routes it. Everything that a read brings is written in one
 * transaction, so that a crash leaves the feed as if it had not been read: its articles, its validators and
 * its route articles exist together or not at all.
 */
export async function ingestFeed(feedId: number, options: IngestTools & Circumstances): Promise<FeedOutcome> {
  const { lock, clock, newId } = options;
  const unit = await lock(feedUnit(feedId));
  if (unit === null) return outcome('busy', 'another process is reading it');
  try {
    const signal = AbortSignal.any([options.signal, unit.signal]);
    if (signal.aborted) return outcome('stopped');
    const recovered = await recoverFeed(options, { feedId, now: clock.now() });
    if (recovered && !recovered.isDue) return recovered.outcome;
    return await claimAndRead({ ...options, signal, claim: { feedId, claimToken: newId() } });
  } finally {
    await unit.release();
  }
}

async function claimAndRead(run: Run): Promise<FeedOutcome> {
  const { claims, claim, logger } = run;
  claims.set(claim.feedId, claim.claimToken);
  try {
    const ended = await readClaimed(run);
    // What this process gave back itself while it was read is no news: that is how it stops.
    const isGivenBack = ended.outcome === 'lost' && !isInHand(claims, claim);
    letGo(claims, claim);
    if (isGivenBack) return outcome('stopped');
    if (ended.outcome === 'lost') logger.warn({ feedId: claim.feedId }, 'claim lost');
    return ended;
  } catch (error) {
    // Without an answer the claim may stand: it stays in hand, to be given back, or recovered by the next read.
    if (!isDatabaseAway(error)) letGo(claims, claim);
    throw error;
  }
}

async function readClaimed(run: Run): Promise<FeedOutcome> {
  const { db, fetch, read, claim, clock, signal, isForced, inTurn, inBulkTurn } = run;
  const feed = await claimFeed(db, { ...claim, isForced, now: clock.now() });
  if (feed === null) return outcome('busy', 'another process has just read it');
  const claimed = { ...run, feed };
  try {
    const request = { ...feed, zone: feed.timezone };
    const result = await inTurn(feed.url, () =>
      fetchFeed(request, { fetch, read, now: clock.now(), signal }),
    );
    // What was cut off may report anything, such as a failure or a feed without items.
    if (signal.aborted) return await giveBack(run);
    const resolved = await withLinks(claimed, result);
    if (signal.aborted) return await giveBack(run);
    const items = resolved.kind === 'read' ? resolved.feed.items.length : 0;
    return await inBulkTurn(items, () => record(claimed, resolved, clock.now()));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (signal.aborted) return giveBack(run, message);
    // Our own fault. Counted all the same: a feed that trips us must not be tried at every tick.
    await recordFailed(claimed, { detail: `internal error: ${message}`, waitMs: 0 }, clock.now());
    throw error;
  }
}

type Resolved = Exclude<FeedFetch, { kind: 'read' }> | FeedRead;

/** Follows the links of a complete read, before there is a transaction that would wait for strangers. */
async function withLinks(run: Run & { feed: Feed }, result: FeedFetch): Promise<Resolved> {
  if (result.kind !== 'read') return result;
  const items = await resolveLinks(run.feed, result.feed.items, { ...run, now: run.clock.now() });
  return { ...result, feed: { ...result.feed, items } };
}

function record(run: Run & { feed: Feed }, result: Resolved, now: Date): Promise<FeedOutcome> {
  switch (result.kind) {
    case 'read':
      return recordRead(run, result, now);
    case 'unchanged':
      return recordUnchanged(run, result, now);
    case 'gone':
      return recordGone(run, now);
    case 'failed':
      return recordFailed(run, result, now);
    default:
      return result satisfies never;
  }
}

async function giveBack({ db, claim }: Run, detail: string | null = null): Promise<FeedOutcome> {
  const isGivenBack = (await giveBackFeeds(db, [claim])) > 0;
  return isGivenBack ? outcome('stopped', detail) : claimLost();
}
