import { type Database, query } from '../database/Database.ts';
import type { ApprovalReason } from './insertRouteArticles.ts';
import type { ApprovalStatus, PublishStatus, SkipReason } from './routeArticles.ts';

/** A route article as people see it. */
export type ListedRouteArticle = {
  id: number;
  workspaceId: number;
  channelId: number;
  channel: string;
  feed: string | null;
  title: string;
  text: string;
  url: string | null;
  approvalStatus: ApprovalStatus;
  /** Why a person is asked, beside the route's own rule, with what there is to say; null: by that rule. */
  approvalReason: ApprovalReason | null;
  approvalDetail: string | null;
  publishStatus: PublishStatus;
  /** It passed the gate and has no answer yet: too late for any change. */
  isSending: boolean;
  attempts: number;
  nextAttemptAt: Date | null;
  /** When an unknown outcome is found out about next; null: it is left to a person. */
  nextLookupAt: Date | null;
  /** 1, and one more for each time that a person published it again. */
  generation: number;
  priority: number;
  createdAt: Date;
  skipReason: SkipReason | null;
  lastErrorCode: string | null;
  lastError: string | null;
  remoteUrl: string | null;
  /** What was left out of it or cut when it went out; null: nothing, or it has not. */
  notes: string | null;
};

const listed = `
  select r.id, r.workspace_id as "workspaceId", r.channel_id as "channelId", c.name as channel, f.name as feed,
         r.title, r.text, a.url, r.approval_status as "approvalStatus",
         r.approval_reason as "approvalReason", r.approval_detail as "approvalDetail",
         r.publish_status as "publishStatus",
         r.publish_status = 'publishing' and r.sending_at is not null as "isSending",
         r.publish_attempts as "attempts", r.next_attempt_at as "nextAttemptAt", r.next_lookup_at as "nextLookupAt", r.generation, r.priority,
         r.created_at as "createdAt", r.skip_reason as "skipReason", r.last_error_code as "lastErrorCode",
         r.last_error as "lastError",
         (select p.remote_url from publications p where p.route_article_id = r.id
          order by p.id desc limit 1) as "remoteUrl",
         (select t.detail from attempts t where t.route_article_id = r.id and t.outcome = 'published'
          order by t.id desc limit 1) as notes
  from route_articles r
  join channels c on c.id = r.channel_id
  join articles a on a.id = r.article_id
  left join feeds f on f.id = a.feed_id`;

/** One route article, or null when there is none with that id. */
export async function findRouteArticle(db: Database, id: number): Promise<ListedRouteArticle | null> {
  const [row] = await query<ListedRouteArticle>(db, selectOne, [id]);
  return row ?? null;
}

const selectOne = { name: 'find-route-article', text: `${listed} where r.id = $1` };

/** What `queue list` can be narrowed to; `waiting` is all that is neither published nor ended. */
export const listStates = [
  'waiting',
  'pending',
  'failed',
  'dead',
  'unknown',
  'skipped',
  'published',
] as const;
export type ListState = (typeof listStates)[number];

/**
 * The route articles of a workspace in publishing order (priority, age, id), at most `limit`. Ended ones
 * come newest first.
 */
export async function listRouteArticles(
  db: Database,
  list: { workspaceId: number; state: ListState; limit: number },
): Promise<ListedRouteArticle[]> {
  const { workspaceId, state, limit } = list;
  const isEnded = state === 'skipped' || state === 'published';
  const statuses = state === 'waiting' ? ['pending', 'publishing', 'failed', 'unknown'] : [state];
  return query<ListedRouteArticle>(db, isEnded ? selectEnded : selectWaiting, [workspaceId, statuses, limit]);
}

const selectWaiting = {
  name: 'list-waiting-route-articles',
  text: `
    ${listed}
    where r.workspace_id = $1 and r.publish_status = any($2)
    order by r.priority desc, r.created_at, r.id limit $3`,
};

const selectEnded = {
  name: 'list-ended-route-articles',
  text: `
    ${listed}
    where r.workspace_id = $1 and r.publish_status = any($2)
    order by r.updated_at desc, r.id desc limit $3`,
};

/** How many route articles of a workspace stand where. */
export async function countByStatus(
  db: Database,
  workspaceId: number,
): Promise<{ publishStatus: PublishStatus; approvalStatus: ApprovalStatus; count: number }[]> {
  return query(db, selectCounts, [workspaceId]);
}

const selectCounts = {
  name: 'count-route-articles',
  text: `
    select publish_status as "publishStatus", approval_status as "approvalStatus", count(*) as count
    from route_articles where workspace_id = $1
    group by publish_status, approval_status order by publish_status, approval_status`,
};
