import { type Database, query, type Statement } from '../database/Database.ts';

/** `person`: the audit log explains it, and it adds no attempt to the history. */
export type PublishedProof = 'answer' | 'look_up' | 'person';

export type NewPublished = {
  publicationId: number;
  /** The row's attempts, this one included. */
  attempts: number;
  remoteId: string | null;
  remoteUrl: string | null;
  durationMs: number;
  /** What was left out of it or cut, for people; null: nothing. */
  notes?: string | null;
  /** What tells that it is out: only an answer proves that channel and account work. */
  proof: PublishedProof;
  /** What operators are told if the channel, or its account, had been down until now. */
  channelUpMessage: string;
  accountUpMessage: string;
  now: Date;
};

/**
 * Records that a post went out, all of it in one statement: publication, route article, slot, history, the
 * health of channel and account with the alert at its edge, and the rows that waited for this link.
 *
 * The publication's id is the guard, while its end is open: a late success is recorded whoever holds the
 * claim by now, for what was sent was sent. False: it is gone, or settled already, and nothing was changed.
 */
export async function recordPublished(db: Database, published: NewPublished): Promise<boolean> {
  const rows = await query(db, statements[published.proof], [
    published.publicationId,
    published.remoteId,
    published.remoteUrl,
    published.now,
    published.attempts,
    Math.max(0, Math.round(published.durationMs)),
    published.channelUpMessage,
    published.accountUpMessage,
    published.notes ?? null,
  ]);
  return rows.length > 0;
}

// What a claim has counted counts only if it is this one's: a late success may meet another's.
// A part that is read by another runs before it: the workspace is changed before the channel, as in the gate.
const recordText = ({ code, hasAttempt, provesHealth }: Recording) => `
    with publication as (
      update publications set state = 'published', remote_id = $2, remote_url = $3, published_at = $4
      where id = $1 and state in ('sending', 'unknown')
      returning *),
    route_article as (
      update route_articles r
      set publish_status = 'published', publish_attempts = greatest(r.publish_attempts - (r.publish_status = 'publishing')::int, $5), next_attempt_at = null, next_lookup_at = null, lookups = 0,
          last_error_code = null, last_error = null, updated_at = $4,
          claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null
      from publication p
      where r.id = p.route_article_id and r.publish_status in ('publishing', 'unknown')
      returning r.id),
    workspace as (
      update workspaces w set last_slot_at = greatest(w.last_slot_at, p.slot_at)
      from publication p
      where w.id = p.workspace_id and p.slot_at is not null
      returning w.id),
    health as materialized (
      select c.id as channel_id, c.down_since, a.id as account_id, a.down_since as account_down_since
      from publication p
      join channels c on c.id = p.channel_id
      left join accounts a on a.id = c.account_id
      left join workspace w on w.id = p.workspace_id
      where ${provesHealth}),
    sent as (
      update channels c set last_published_at = greatest(c.last_published_at, p.counted_at)
      from publication p where c.id = p.channel_id and not ${provesHealth}),
    channel as (
      update channels c
      set last_published_at = greatest(c.last_published_at, p.counted_at), failures_since = $4,
          hold_reason = null, hold_detail = null, held_until = null, refusals = 0,
          breaker_tripped = false, down_since = null
      from publication p, health h
      where c.id = p.channel_id and h.channel_id = c.id),
    account as (
      update accounts a
      set hold_reason = null, hold_detail = null, held_until = null, refusals = 0, down_since = null
      from health h
      where a.id = h.account_id and (a.hold_reason is not null or a.refusals > 0 or a.down_since is not null)),
    freed as (
      update route_articles r set next_attempt_at = null
      from publication p
      where r.channel_id = p.channel_id and r.url_key = p.url_key
        and r.queue_state = 2 and r.last_error_code = 'duplicate_in_flight'),
    attempt as (
      insert into attempts (workspace_id, channel_id, route_article_id, publication_id, attempt,
                            outcome, code, detail, attempted_at, duration_ms)
      select workspace_id, channel_id, route_article_id, id, $5, 'published', ${code}, $9, $4, $6
      from publication where ${hasAttempt}),
    channel_alert as (
      insert into alerts (workspace_id, kind, message, channel_id, created_at)
      select p.workspace_id, 'channel_up', $7, p.channel_id, $4
      from publication p, health h where h.down_since is not null),
    account_alert as (
      insert into alerts (workspace_id, kind, message, channel_id, account_id, created_at)
      select p.workspace_id, 'account_up', $8, p.channel_id, h.account_id, $4
      from publication p, health h where h.account_down_since is not null)
    select id from publication`;

type Recording = { code: string; hasAttempt: boolean; provesHealth: boolean };

const statements: Readonly<Record<PublishedProof, Statement>> = {
  answer: {
    name: 'record-published',
    text: recordText({ code: 'null', hasAttempt: true, provesHealth: true }),
  },
  look_up: {
    name: 'record-found',
    text: recordText({ code: `'found'`, hasAttempt: true, provesHealth: false }),
  },
  person: {
    name: 'record-settled',
    text: recordText({ code: 'null', hasAttempt: false, provesHealth: false }),
  },
};
