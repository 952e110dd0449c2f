import { type Database, query } from '../database/Database.ts';

export type Expired = { count: number; oldestTitle: string | null };

const mostAtOnce = 10_000;

/**
 * Skips all queued articles of a workspace that have passed the maximum age of their feed at `at`, in one
 * statement with their rows of history. What is claimed meanwhile is left to its claim.
 */
export async function skipExpired(db: Database, workspaceId: number, at: Date, now: Date): Promise<Expired> {
  const detail = 'older than the maximum age of its feed';
  const [row] = await query<Expired>(db, updateExpired, [workspaceId, at, now, detail]);
  return row ?? { count: 0, oldestTitle: null };
}

const updateExpired = {
  name: 'skip-expired',
  text: `
    with expired as materialized (
      select r.id, t.published_at
      from channels c
      join route_articles r on r.channel_id = c.id and r.queue_state in (1, 2)
      join articles t on t.id = r.article_id
      join feeds f on f.id = t.feed_id
      where c.workspace_id = $1 and f.max_age_ms is not null
        and t.published_at < $2::timestamptz - f.max_age_ms * interval '1 millisecond'
      order by t.published_at limit ${mostAtOnce} for update of r skip locked),
    skipped as (
      update route_articles r
      set publish_status = 'skipped', skip_reason = 'too_old', publish_attempts = 4, next_attempt_at = null,
          last_error_code = null, last_error = null, updated_at = $3
      from expired where r.id = expired.id
      returning r.id, r.workspace_id, r.channel_id, r.title, expired.published_at),
    attempt as (
      insert into attempts (workspace_id, channel_id, route_article_id, attempt, outcome, code, detail, attempted_at)
      select workspace_id, channel_id, id, 4, 'skipped', 'too_old', $4, $3 from skipped)
    select count(*) as count, (array_agg(title order by published_at))[1] as "oldestTitle" from skipped`,
};
