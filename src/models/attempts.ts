import { type Database, execute, query } from '../database/Database.ts';

export type AttemptOutcome =
  | 'published'
  | 'skipped'
  | 'failed'
  | 'throttled'
  | 'blocked'
  | 'unknown'
  | 'interrupted';

export type NewAttempt = {
  workspaceId: number;
  channelId: number;
  routeArticleId: number;
  publicationId: number | null;
  /** The route article's count after this try. */
  attempt: number;
  outcome: AttemptOutcome;
  code: string | null;
  detail: string | null;
  /** Only a failure of the channel itself feeds its breaker. */
  blamesChannel: boolean;
  attemptedAt: Date;
  durationMs: number;
};

/** Writes one row of history. Belongs into the transaction that records the outcome. */
export async function recordAttempt(db: Database, attempt: NewAttempt): Promise<void> {
  await execute(db, insertAttempt, [
    attempt.workspaceId,
    attempt.channelId,
    attempt.routeArticleId,
    attempt.publicationId,
    attempt.attempt,
    attempt.outcome,
    attempt.code,
    attempt.detail,
    attempt.blamesChannel,
    attempt.attemptedAt,
    Math.max(0, Math.round(attempt.durationMs)),
  ]);
}

const insertAttempt = {
  name: 'insert-attempt',
  text: `
    insert into attempts (workspace_id, channel_id, route_article_id, publication_id, attempt,
                          outcome, code, detail, blames_channel, attempted_at, duration_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

/** The channel's own failures after `since`, counted up to `limit`: a breaker needs to know no more. */
export async function countChannelFailures(
  db: Database,
  { channelId, since, limit }: { channelId: number; since: Date; limit: number },
): Promise<number> {
  const [row] = await query<{ failures: number }>(db, selectFailures, [channelId, since, limit]);
  return row?.failures ?? 0;
}

const selectFailures = {
  name: 'count-channel-failures',
  text: `
    select count(*) as failures from (
      select 1 from attempts
      where channel_id = $1 and outcome = 'failed' and blames_channel and attempted_at > $2
      order by attempted_at desc limit $3) newest`,
};

const refusalsFrom = (row: string) => `
  from attempts t
  where t.route_article_id = ${row}.id and t.publication_id is not null
    and t.outcome in ('failed', 'throttled', 'blocked')
    and t.code <> all('{connection_refused,connection_timeout,dns_failed,tls_failed,address_refused,not_arrived}')`;

/**
 * For a statement with route articles as `row`: how often the remote side has read its post and refused it. What
 * never reached it, or was not found there afterwards, is no refusal.
 */
export const refusalsOf = (row: string) => `(select count(*) ${refusalsFrom(row)})`;

/** The same: when it refused this generation of it first; null: it has not. */
export const firstRefusedAtOf = (row: string) =>
  `(select min(t.attempted_at) ${refusalsFrom(row)} and t.attempted_at >= ${row}.post_created_at)`;

/** Whether a search for this article has failed before, and its channel has published something since. */
export async function isOwnSearchFailing(db: Database, routeArticleId: number): Promise<boolean> {
  const [row] = await query<{ isOwn: boolean }>(db, selectOwnFailure, [routeArticleId]);
  return row?.isOwn ?? false;
}

const selectOwnFailure = {
  name: 'is-own-search-failing',
  text: `
    select exists (
      select 1 from attempts t join channels c on c.id = t.channel_id
      where t.route_article_id = $1 and t.code = 'lookup_failed' and c.last_published_at > t.attempted_at) as "isOwn"`,
};
