import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { type AlertKind, raiseAlert } from '../models/alerts.ts';
import { type FeedClaim, holdsFeedClaim, recordFeedFailure, recordFeedRead } from '../models/feedClaims.ts';
import type { Feed } from '../models/feeds.ts';
import type { ApprovalHold } from '../models/insertRouteArticles.ts';
import type { LinkedItem } from './FeedItem.ts';
import { type FeedOutcome, outcome } from './FeedOutcome.ts';
import { afterFailure, afterRedirect, nextFetchAfterRead } from './feedHealth.ts';
import type { FeedFetch } from './fetchFeed.ts';
import { gapBefore } from './gapBefore.ts';
import { type Stored, storeItems } from './storeItems.ts';

/** A claimed feed, and what recording its outcome takes. */
export type ClaimedRun = { db: Database; newId: () => string } & Claimed;
type Claimed = { feed: Feed; claim: FeedClaim };

/** A complete read, with what is known of where its links lead. */
export type FeedRead = Extract<FeedFetch, { kind: 'read' }> & { feed: { items: readonly LinkedItem[] } };

/** Stores a complete read with its articles and route articles: all of it or nothing. */
export function recordRead(
  { db, feed, claim, newId }: ClaimedRun,
  result: FeedRead,
  now: Date,
): Promise<FeedOutcome> {
  return transact(db, async transaction => {
    if (!(await holdsFeedClaim(transaction, claim))) return claimLost();
    const hold = gapBefore(feed, now);
    const stored = await storeItems(transaction, feed, result.feed.items, { now, newId, hold });
    if (hold && stored.held > 0)
      await alert(transaction, feed, 'articles_held', heldMessage(feed, stored, hold), now);
    const { etag, lastModified, movedTo } = result;
    const { ttlMs } = result.feed;
    const waitMs = Math.max(result.waitMs, ttlMs);
    // A feed that is empty for once says nothing of what came out meanwhile, nor does that it is so still: without
    // validators the next read is a whole one.
    const isEmpty = result.feed.items.length === 0;
    const keepsGap = hold !== null && isEmpty;
    await recordFeedRead(transaction, {
      ...claim,
      now,
      etag: keepsGap ? null : etag,
      lastModified: keepsGap ? null : lastModified,
      ttlMs,
      keepsGap,
      isEmpty,
      ...afterRedirect(feed, movedTo),
      nextFetchAt: nextFetchAfterRead(feed, waitMs, now),
    });
    const change = await recovered(transaction, feed, now);
    const { newArticles, queued } = stored;
    return {
      outcome: 'read',
      newArticles,
      routed: queued,
      detail: describe(stored, result.feed.warnings),
      change,
    };
  });
}

/** A 304 is a complete read: what the feed holds is what it held. */
export function recordUnchanged(
  { db, feed, claim }: ClaimedRun,
  { movedTo, waitMs }: { movedTo: string | null; waitMs: number },
  now: Date,
): Promise<FeedOutcome> {
  return transact(db, async transaction => {
    const { etag, lastModified, ttlMs } = feed;
    const isRecorded = await recordFeedRead(transaction, {
      ...claim,
      now,
      etag,
      lastModified,
      ttlMs,
      ...afterRedirect(feed, movedTo),
      nextFetchAt: nextFetchAfterRead(feed, Math.max(waitMs, ttlMs), now),
    });
    if (!isRecorded) return claimLost();
    return { ...outcome('unchanged'), change: await recovered(transaction, feed, now) };
  });
}

/** Counts a failure and sets the wait; the one that makes the feed failing raises the alert. */
export function recordFailed(
  { db, ...claimed }: ClaimedRun,
  failure: Failure,
  now: Date,
): Promise<FeedOutcome> {
  return transact(db, transaction => recordFailedIn(transaction, claimed, failure, now));
}

type Failure = { detail: string; waitMs: number };

/** As `recordFailed`, in the caller's transaction. */
export async function recordFailedIn(
  transaction: Database,
  { feed, claim }: Claimed,
  { detail, waitMs }: Failure,
  now: Date,
): Promise<FeedOutcome> {
  const after = afterFailure(feed, waitMs, now);
  if (!(await recordFeedFailure(transaction, { ...claim, ...after, error: detail, now }))) return claimLost();
  const isNewlyFailing = after.status === 'failing' && feed.status !== 'failing';
  if (!isNewlyFailing) return outcome('failed', detail);
  const next = after.nextFetchAt.toISOString();
  const message = `Feed "${feed.name}" failed ${after.failures} times in a row: ${detail}. It is tried again at ${next}, then less and less often.`;
  await alert(transaction, feed, 'feed_failing', message, now);
  return { ...outcome('failed', detail), change: 'failing' };
}

/** 410: the feed is read no more, by its publisher's own word. */
export function recordGone({ db, feed, claim }: ClaimedRun, now: Date): Promise<FeedOutcome> {
  return transact(db, async transaction => {
    const detail = 'the server answered 410, gone for good';
    const { failures } = feed;
    const gone = { ...claim, status: 'gone', failures, error: detail, nextFetchAt: now, now } as const;
    if (!(await recordFeedFailure(transaction, gone))) return claimLost();
    const message = `Feed "${feed.name}" is gone for good (410 from ${feed.url}). It is not read again until a person gives it another URL or resumes it.`;
    await alert(transaction, feed, 'feed_gone', message, now);
    return { ...outcome('gone', detail), change: 'gone' };
  });
}

async function recovered(db: Database, feed: Feed, now: Date): Promise<'recovered' | null> {
  if (feed.status !== 'failing') return null;
  await alert(db, feed, 'feed_recovered', `Feed "${feed.name}" can be read again.`, now);
  return 'recovered';
}

function alert(db: Database, feed: Feed, kind: AlertKind, message: string, now: Date): Promise<void> {
  return raiseAlert(db, { workspaceId: feed.workspaceId, feedId: feed.id, kind, message, now });
}

function heldMessage({ name, lastCompleteAt }: Feed, { held }: Stored, { detail }: ApprovalHold): string {
  const posts = held === 1 ? 'A post' : `${held} posts`;
  return `${posts} from feed "${name}" wait for approval, ${detail} since ${lastCompleteAt?.toISOString()}: after an outage they are news, after a restored backup they may be out already.`;
}

function describe({ changedArticles, tooOld, held }: Stored, warnings: readonly string[]): string | null {
  const notes = [
    ...(changedArticles > 0 ? [`${changedArticles} changed`] : []),
    ...(tooOld > 0 ? [`${tooOld} too old`] : []),
    ...(held > 0 ? [`${held} held for approval`] : []),
    ...warnings,
  ];
  return notes.length > 0 ? notes.join('; ') : null;
}

/** What a read is that finds its claim taken over: nothing of it was written. */
export function claimLost(): FeedOutcome {
  return outcome('lost', 'claim lost: another process took the feed over');
}
