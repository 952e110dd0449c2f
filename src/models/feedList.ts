import { type Database, execute, query } from '../database/Database.ts';
import type { FeedStatus } from './feeds.ts';

/** A feed as people see it. */
export type ListedFeed = {
  id: number;
  name: string;
  url: string;
  paused: boolean;
  status: FeedStatus;
  lastFetchedAt: Date | null;
  /** The last complete read. */
  lastCompleteAt: Date | null;
  nextFetchAt: Date;
  failures: number;
  lastError: string | null;
  articles: number;
};

/** The feeds of a workspace, by name. */
export async function listFeeds(db: Database, workspaceId: number): Promise<ListedFeed[]> {
  return query<ListedFeed>(db, selectFeeds, [workspaceId]);
}

const selectFeeds = {
  name: 'list-feeds',
  text: `
    select f.id, f.name, f.url, f.paused, f.status, f.last_fetched_at as "lastFetchedAt",
           f.last_complete_at as "lastCompleteAt", f.next_fetch_at as "nextFetchAt", f.failures,
           f.last_error as "lastError",
           (select count(*) from articles a where a.feed_id = f.id) as articles
    from feeds f
    where f.workspace_id = $1 and f.archived_at is null
    order by f.name`,
};

/** Pauses a feed. True when it was not paused. */
export async function pauseFeed(db: Database, id: number): Promise<boolean> {
  return (await execute(db, updatePaused, [id])) > 0;
}

const updatePaused = {
  name: 'pause-feed',
  text: 'update feeds set paused = true where id = $1 and not paused',
};

/** Resumes a feed, also one that was gone or is failing: it is due at once. True when that changed it. */
export async function resumeFeed(db: Database, id: number, now: Date): Promise<boolean> {
  return (await execute(db, updateResumed, [id, now])) > 0;
}

const updateResumed = {
  name: 'resume-feed',
  text: `
    update feeds set paused = false, status = 'active', failures = 0, next_fetch_at = least(next_fetch_at, $2)
    where id = $1 and (paused or status <> 'active')`,
};
