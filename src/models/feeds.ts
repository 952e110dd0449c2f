import { type Database, execute, query } from '../database/Database.ts';

export type FeedStatus = 'active' | 'failing' | 'gone';

/** What of the first complete read is queued. `sinceMs` counts back from that read; `at` is ISO 8601. */
export type FirstImport =
  | { mode: 'baseline' }
  | { mode: 'last'; count: number }
  | { mode: 'since'; sinceMs: number }
  | { mode: 'since'; at: string }
  | { mode: 'all' };

export type Feed = {
  id: number;
  workspaceId: number;
  name: string;
  url: string;
  everyMs: number;
  firstImport: FirstImport;
  /** Null: no limit. */
  maxAgeMs: number | null;
  status: FeedStatus;
  /** Validators of the last complete read, as the server wrote them. */
  etag: string | null;
  lastModified: string | null;
  movedTo: string | null;
  movedHits: number;
  /** Null until the first complete read. */
  firstImportedAt: Date | null;
  /** In a row. */
  failures: number;
  /** The workspace's IANA zone: dates without an offset are read in it. */
  timezone: string;
};

export type FeedClaim = { feedId: number; claimToken: string };

/** Which feeds are looked for: null takes any. `isForced`: whether they are due or not. */
export type FeedSelection = {
  feedId: number | null;
  workspaceId: number | null;
  isForced: boolean;
  now: Date;
};

const feedColumns = `
  f.id, f.workspace_id as "workspaceId", f.name, f.url, f.every_ms as "everyMs",
  f.first_import as "firstImport", f.max_age_ms as "maxAgeMs", f.status, f.etag,
  f.last_modified as "lastModified", f.moved_to as "movedTo", f.moved_hits as "movedHits",
  f.first_imported_at as "firstImportedAt", f.failures, w.timezone`;

/** What may be read at all, as the index `feeds_due` has it. */
const isReadable = "not f.paused and f.status <> 'gone' and f.archived_at is null";

/** Read in one go at most; what is left over is still due at the next tick. */
const maxFeedsPerRun = 1_000;

/** The feeds that may be read and are due, longest due first. */
export async function dueFeeds(db: Database, selection: FeedSelection) {
  const { feedId, workspaceId } = selection;
  type DueFeed = { id: number; workspaceId: number; name: string; url: string };
  return query<DueFeed>(db, selectDueFeeds, [dueBefore(selection), workspaceId, feedId]);
}

const selectDueFeeds = {
  name: 'due-feeds',
  text: `
    select f.id, f.workspace_id as "workspaceId", f.name, f.url
    from feeds f join workspaces w on w.id = f.workspace_id
    where ${isReadable} and w.archived_at is null and f.next_fetch_at <= $1
      and f.workspace_id = coalesce($2, f.workspace_id) and f.id = coalesce($3, f.id)
    order by f.next_fetch_at, f.id limit ${maxFeedsPerRun}`,
};

export type ClaimedFeed = Feed & {
  /** A dead reader's claim was found on it, and is counted in `failures`: it may be this feed that kills. */
  wasInterrupted: boolean;
};

/**
 * Marks a feed as being fetched, under its lock: a claim that is still there is a dead reader's, and is taken
 * over. Null: it is no longer due, because another process read it between the list and the lock.
 */
export async function claimFeed(
  db: Database,
  { feedId, claimToken, isForced, now }: FeedClaim & { isForced: boolean; now: Date },
): Promise<ClaimedFeed | null> {
  const values = [feedId, claimToken, now, dueBefore({ isForced, now })];
  const [feed] = await query<ClaimedFeed>(db, updateClaim, values);
  return feed ?? null;
}

const updateClaim = {
  name: 'claim-feed',
  text: `
    with next as materialized (
      select f.id, f.ingest_status = 'fetching' as was_interrupted from feeds f
      where f.id = $1 and ${isReadable} and f.next_fetch_at <= $4 for update)
    update feeds f
    set ingest_status = 'fetching', claim_token = $2, claimed_at = $3,
        failures = f.failures + next.was_interrupted::int
    from next, workspaces w
    where f.id = next.id and w.id = f.workspace_id
    returning ${feedColumns}, next.was_interrupted as "wasInterrupted"`,
};

function dueBefore({ isForced, now }: { isForced: boolean; now: Date }): Date | string {
  return isForced ? 'infinity' : now;
}

/** Locks the row for the rest of the transaction. False: the claim is someone else's now. */
export async function holdsFeedClaim(db: Database, { feedId, claimToken }: FeedClaim): Promise<boolean> {
  return (await query(db, selectClaim, [feedId, claimToken])).length > 0;
}

const selectClaim = {
  name: 'lock-claimed-feed',
  text: 'select id from feeds where id = $1 and claim_token = $2 for update',
};

const noClaim = "ingest_status = 'idle', claim_token = null, claimed_at = null";

/** Puts a claim back as if the feed had not been touched: it stays due. */
export async function giveBackFeed(db: Database, { feedId, claimToken }: FeedClaim): Promise<boolean> {
  return (await execute(db, updateGivenBack, [feedId, claimToken])) > 0;
}

const updateGivenBack = {
  name: 'give-back-feed',
  text: `update feeds set ${noClaim} where id = $1 and claim_token = $2`,
};

export type FeedRead = FeedClaim & {
  now: Date;
  nextFetchAt: Date;
  etag: string | null;
  lastModified: string | null;
  /** The feed's new address, or null to keep it. */
  url: string | null;
  movedTo: string | null;
  movedHits: number;
};

/** Ends a claim with a complete read (200 parsed, or 304). False: the claim was lost. */
export async function recordFeedRead(db: Database, read: FeedRead): Promise<boolean> {
  const { feedId, claimToken, now, nextFetchAt, etag, lastModified, url, movedTo, movedHits } = read;
  const values = [feedId, claimToken, now, nextFetchAt, etag, lastModified, url, movedTo, movedHits];
  return (await execute(db, updateRead, values)) > 0;
}

const updateRead = {
  name: 'record-feed-read',
  text: `
    update feeds
    set status = 'active', failures = 0, last_error = null, last_fetched_at = $3, last_complete_at = $3,
        first_imported_at = coalesce(first_imported_at, $3), next_fetch_at = $4, etag = $5,
        last_modified = $6, url = coalesce($7, url), moved_to = $8, moved_hits = $9, ${noClaim}
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
