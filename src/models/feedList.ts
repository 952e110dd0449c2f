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
  everyMs: number;
  /** Where permanent redirects lead that are not yet followed for good, and how many there were in a row. */
  movedTo: string | null;
  movedHits: number;
  /** Approved in some channel, and not out yet. */
  waiting: number;
  /** Not yet approved in some channel. */
  held: number;
  isRouted: boolean;
  /** Another feed of the workspace with the very URL; null: none. */
  sameUrlAs: string | null;
};

/** The feeds of a workspace, by name. Counts articles per channel that they wait for. */
export async function listFeeds(db: Database, workspaceId: number): Promise<ListedFeed[]> {
  return query<ListedFeed>(db, selectFeeds, [workspaceId]);
}

const selectFeeds = {
  name: 'list-feeds',
  text: `
    select f.id, f.name, f.url, f.paused, f.status, f.last_fetched_at as "lastFetchedAt",
           f.last_complete_at as "lastCompleteAt", f.next_fetch_at as "nextFetchAt", f.failures,
           f.last_error as "lastError",
           (select count(*) from articles a where a.feed_id = f.id) as articles,
           f.every_ms as "everyMs", f.moved_to as "movedTo", f.moved_hits as "movedHits",
           coalesce(queued.waiting, 0) as waiting, coalesce(queued.held, 0) as held,
           exists (select from routes r join channels c on c.id = r.channel_id
                   where r.feed_id = f.id and r.archived_at is null and c.archived_at is null) as "isRouted",
           (select min(o.name) from feeds o
            where o.workspace_id = f.workspace_id and o.url = f.url and o.id <> f.id
              and o.archived_at is null) as "sameUrlAs"
    from feeds f
    left join (
      select a.feed_id, count(*) filter (where r.approval_status = 'approved') as waiting,
             count(*) filter (where r.approval_status = 'pending') as held
      from route_articles r join articles a on a.id = r.article_id
      where r.workspace_id = $1 and r.publish_status in ('pending', 'failed')
      group by a.feed_id) queued on queued.feed_id = f.id
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
