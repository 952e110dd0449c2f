import { type Database, execute, query } from '../database/Database.ts';
import { dueBefore, type Feed, type FeedStatus, isReadableFeed } from './feeds.ts';

// The claim of a feed, from its taking to its end: every write is matched by its token.

export type FeedClaim = { feedId: number; claimToken: string };

/** Row fields of a `Feed`, for any statement that joins `feeds f` and `workspaces w`. */
export const feedColumns = `
  f.id, f.workspace_id as "workspaceId", f.name, f.url, f.every_ms as "everyMs",
  f.first_import as "firstImport", f.max_age_ms as "maxAgeMs", f.enrich_within_ms as "enrichWithinMs", f.status, f.etag,
  f.last_modified as "lastModified", f.ttl_ms as "ttlMs", f.moved_to as "movedTo", f.moved_hits as "movedHits",
  f.first_imported_at as "firstImportedAt", f.last_complete_at as "lastCompleteAt", f.failures, w.timezone`;

const noClaim = "ingest_status = 'idle', claim_token = null, claimed_at = null";

/**
 * Marks a feed as being fetched, and changes nothing else of it, under its lock. Null: it is no longer due,
 * because another process read it between the list and the lock.
 */
export async function claimFeed(
  db: Database,
  { feedId, claimToken, isForced, now }: FeedClaim & { isForced: boolean; now: Date },
): Promise<Feed | null> {
  const values = [feedId, claimToken, now, dueBefore({ isForced, now })];
  const [feed] = await query<Feed>(db, updateClaim, values);
  return feed ?? null;
}

const updateClaim = {
  name: 'claim-feed',
  text: `
    update feeds f set ingest_status = 'fetching', claim_token = $2, claimed_at = $3
    from workspaces w
    where f.id = $1 and w.id = f.workspace_id and f.ingest_status = 'idle'
      and ${isReadableFeed} and f.next_fetch_at <= $4
    returning ${feedColumns}`,
};

/** Locks the row for the rest of the transaction. False: the claim is someone else's now. */
export async function holdsFeedClaim(db: Database, { feedId, claimToken }: FeedClaim): Promise<boolean> {
  return (await query(db, selectClaim, [feedId, claimToken])).length > 0;
}

// No stronger lock: an import that is still reading its file refers to its feed, for minutes.
const selectClaim = {
  name: 'lock-claimed-feed',
  text: 'select id from feeds where id = $1 and claim_token = $2 for no key update',
};

/**
 * Puts claims back in one statement, as if the feeds had not been touched: they stay due. What is no longer
 * as it was claimed is left alone. Returns how many it put back.
 */
export async function giveBackFeeds(db: Database, claims: readonly FeedClaim[]): Promise<number> {
  const feedIds = claims.map(({ feedId }) => feedId);
  const claimTokens = claims.map(({ claimToken }) => claimToken);
  return execute(db, updateGivenBack, [feedIds, claimTokens]);
}

const updateGivenBack = {
  name: 'give-back-feeds',
  text: `
    update feeds f set ${noClaim}
    from unnest($1::bigint[], $2::uuid[]) as claimed (feed_id, claim_token)
    where f.id = claimed.feed_id and f.claim_token = claimed.claim_token and f.ingest_status = 'fetching'`,
};

/** Every feed that somebody claimed, whether its process lives or not. */
export async function claimedFeeds(db: Database): Promise<number[]> {
  return (await query<{ id: number }>(db, selectClaimed)).map(({ id }) => id);
}

// Walks the primary key, at start-up only: an index of its own would make every claim and every end of one
// an update of indexes as well.
const selectClaimed = {
  name: 'claimed-feeds',
  text: "select id from feeds where ingest_status = 'fetching' order by id",
};

export type InterruptedFeed = Feed & { claimToken: string };

/** A claimed feed, locked for the transaction; null: it is idle. Whoever holds its lock knows: orphaned. */
export async function lockInterruptedFeed(db: Database, feedId: number): Promise<InterruptedFeed | null> {
  const [feed] = await query<InterruptedFeed>(db, selectInterrupted, [feedId]);
  return feed ?? null;
}

const selectInterrupted = {
  name: 'lock-interrupted-feed',
  text: `
    select ${feedColumns}, f.claim_token as "claimToken"
    from feeds f join workspaces w on w.id = f.workspace_id
    where f.id = $1 and f.ingest_status = 'fetching' for no key update of f`,
};

/** Ends a claim with an interruption: the feed is due now. False: the claim was lost. */
export async function pickFeedAgain(
  db: Database,
  { feedId, claimToken, failures, error, now }: FeedClaim & { failures: number; error: string; now: Date },
): Promise<boolean> {
  return (await execute(db, updatePickedAgain, [feedId, claimToken, failures, error, now])) > 0;
}

const updatePickedAgain = {
  name: 'pick-feed-again',
  text: `
    update feeds set failures = $3, last_error = $4, next_fetch_at = least(next_fetch_at, $5), ${noClaim}
    where id = $1 and claim_token = $2`,
};

export type FeedRead = FeedClaim & {
  now: Date;
  nextFetchAt: Date;
  etag: string | null;
  lastModified: string | null;
  ttlMs: number;
  /** Whether a gap before this read is still one after it. Default: a complete read ends it. */
  keepsGap?: boolean;
  /** Whether the document held nothing: what comes next is then still the feed's first import. Default: it did. */
  isEmpty?: boolean;
  /** The feed's new address, or null to keep it. */
  url: string | null;
  movedTo: string | null;
  movedHits: number;
};

/** Ends a claim with a complete read (200 parsed, or 304). False: the claim was lost. */
export async function recordFeedRead(db: Database, read: FeedRead): Promise<boolean> {
  const {
    feedId,
    claimToken,
    now,
    nextFetchAt,
    etag,
    lastModified,
    url,
    ttlMs,
    keepsGap = false,
    isEmpty = false,
  } = read;
  const moves = [url, read.movedTo, read.movedHits];
  const values = [
    feedId,
    claimToken,
    now,
    nextFetchAt,
    etag,
    lastModified,
    ...moves,
    ttlMs,
    keepsGap,
    isEmpty,
  ];
  return (await execute(db, updateRead, values)) > 0;
}

const updateRead = {
  name: 'record-feed-read',
  text: `
    update feeds
    set status = 'active', failures = 0, last_error = null, last_fetched_at = $3,
        last_complete_at = case when $11 then last_complete_at else $3 end,
        first_imported_at = coalesce(first_imported_at, case when not $12 then $3::timestamptz end), next_fetch_at = $4, etag = $5,
        last_modified = $6, url = coalesce($7, url), moved_to = $8, moved_hits = $9,
        ttl_ms = $10, ${noClaim}
    where id = $1 and claim_token = $2`,
};

export type FeedFailure = FeedClaim & {
  now: Date;
  nextFetchAt: Date;
  status: FeedStatus;
  failures: number;
  error: string;
};

/** Ends a claim with a failure. False: the claim was lost. */
export async function recordFeedFailure(db: Database, failure: FeedFailure): Promise<boolean> {
  const { feedId, claimToken, now, nextFetchAt, status, failures, error } = failure;
  return (
    (await execute(db, updateFailed, [feedId, claimToken, now, nextFetchAt, status, failures, error])) > 0
  );
}

const updateFailed = {
  name: 'record-feed-failure',
  text: `
    update feeds
    set last_fetched_at = $3, next_fetch_at = $4, status = $5, failures = $6, last_error = $7, ${noClaim}
    where id = $1 and claim_token = $2`,
};
