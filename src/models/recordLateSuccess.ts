import type { Post } from '../channels/Channel.ts';
import { type Database, query } from '../database/Database.ts';

/** A success that came when its publication had been given up and deleted: with what is known of it. */
export type LateSuccess = {
  routeArticleId: number;
  urlKey: string;
  generation: number;
  post: Post;
  countedAt: Date;
  sendingAt: Date;
  sendBy: Date;
  attempts: number;
  remoteId: string | null;
  remoteUrl: string | null;
  durationMs: number;
  now: Date;
};

/**
 * Inserts it as published, without a slot: what was sent was sent. The row is published wherever it stands by
 * now; whoever has claimed it again loses the claim. False: another publication of the same link is on its
 * way or out, and nothing was changed.
 */
export async function recordLateSuccess(db: Database, late: LateSuccess): Promise<boolean> {
  const rows = await query(db, insertLate, [
    late.routeArticleId,
    late.urlKey,
    late.generation,
    JSON.stringify(late.post),
    late.countedAt,
    late.sendingAt,
    late.sendBy,
    late.remoteId,
    late.remoteUrl,
    late.now,
    late.attempts,
    Math.max(0, Math.round(late.durationMs)),
  ]);
  return rows.length > 0;
}

const insertLate = {
  name: 'record-late-success',
  text: `
    with publication as (
      insert into publications (workspace_id, channel_id, route_article_id, url_key, generation, state, post,
                                counted_at, sending_at, send_by, remote_id, remote_url, published_at)
      select workspace_id, channel_id, id, $2, $3, 'published', $4, $5, $6, $7, $8, $9, $10
      from route_articles where id = $1
      on conflict (channel_id, url_key, generation) do nothing
      returning *),
    route_article as (
      update route_articles r
      set publish_status = 'published', publish_attempts = greatest(r.publish_attempts, $11),
          next_attempt_at = null, next_lookup_at = null, lookups = 0, skip_reason = null,
          last_error_code = null, last_error = null, updated_at = $10,
          claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null
      from publication p where r.id = p.route_article_id),
    freed as (
      update route_articles r set next_attempt_at = null
      from publication p
      where r.channel_id = p.channel_id and r.url_key = p.url_key and r.id <> p.route_article_id
        and r.queue_state = 2 and r.last_error_code = 'duplicate_in_flight'),
    channel as (
      update channels c set last_published_at = greatest(c.last_published_at, p.counted_at)
      from publication p where c.id = p.channel_id),
    attempt as (
      insert into attempts (workspace_id, channel_id, route_article_id, publication_id, attempt,
                            outcome, code, attempted_at, duration_ms)
      select workspace_id, channel_id, route_article_id, id, $11, 'published', 'late', $10, $12 from publication)
    select id from publication`,
};
