import { type Database, query } from '../database/Database.ts';

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
  /** How long at most an article waits for what its page says of it; null: its page is not asked. */
  enrichWithinMs: number | null;
  status: FeedStatus;
  /** Validators of the last complete read, as the server wrote them. */
  etag: string | null;
  lastModified: string | null;
  /** For how long its document asked not to be read again; 0: it did not. */
  ttlMs: number;
  movedTo: string | null;
  movedHits: number;
  /** Null until the first complete read. */
  firstImportedAt: Date | null;
  /** The end of the last complete read; null before the first. */
  lastCompleteAt: Date | null;
  /** In a row. */
  failures: number;
  /** The workspace's IANA zone: dates without an offset are read in it. */
  timezone: string;
};

/** Which feeds are looked for: null takes any. `isForced`: whether they are due or not. */
export type FeedSelection = {
  feedId: number | null;
  workspaceId: number | null;
  isForced: boolean;
  now: Date;
};

/** What may be read at all, as the index `feeds_due` has it. */
export const isReadableFeed = "not f.paused and f.status <> 'gone' and f.archived_at is null";

/** Read in one go at most; what is left over is still due at the next tick. */
const maxFeedsPerRun = 1_000;

/**
 * The feeds that may be read and are due, longest due first; those that failed the last time come after all others:
 * a dozen silent hosts must not take every place.
 */
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
    where ${isReadableFeed} and w.archived_at is null and f.next_fetch_at <= $1
      and f.workspace_id = coalesce($2, f.workspace_id) and f.id = coalesce($3, f.id)
    order by least(f.failures, 1), f.next_fetch_at, f.id limit ${maxFeedsPerRun}`,
};

/** Until when a feed may have been due: whoever is forced waits for nothing. */
export function dueBefore({ isForced, now }: { isForced: boolean; now: Date }): Date | string {
  return isForced ? 'infinity' : now;
}
