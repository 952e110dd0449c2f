import { type Database, execute, query } from '../database/Database.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'rejected';
export type PublishStatus =
  | 'pending'
  | 'publishing'
  | 'published'
  | 'skipped'
  | 'failed'
  | 'dead'
  | 'unknown';
export type SkipReason = 'duplicate' | 'already_there' | 'too_old' | 'source_gone' | 'by_person';

/** How often an article is tried at most; the failure that reaches it makes the row dead. */
export const maxPublishAttempts = 4;

/** How many candidates one tick tries at most. */
export const candidatesPerTick = 10;

export type Candidate = { id: number; channelId: number };

export type DueCandidates = {
  /** The oldest due rows of each channel, merged: priority first, then age, then id. */
  candidates: readonly Candidate[];
  /** Waits that ended and were not promoted yet, in the channel that has most of them. */
  dueWaits: number;
};

/**
 * The row's half of eligibility; the channel's half is `openChannels`, whose ids come in here. Up to ten
 * rows for each of them, so that a hold set in mid-tick drops a channel's rows without asking again, and
 * an approval in mid-tick is left for the next one.
 *
 * Per channel, because a backlog behind one channel must cost the others nothing: the work grows with
 * the channels, never with the rows. `queue_state` is compared with literals: as parameters they would
 * hide the partial indexes from the generic plan.
 */
export async function dueForPublishing(
  db: Database,
  openChannelIds: readonly number[],
  at: Date,
): Promise<DueCandidates> {
  if (openChannelIds.length === 0) return { candidates: [], dueWaits: 0 };
  const rows = await query<Candidate & { dueWaits: number }>(db, selectDue, [openChannelIds, at]);
  const dueWaits = rows.reduce((most, row) => Math.max(most, row.dueWaits), 0);
  return { candidates: rows.map(({ id, channelId }) => ({ id, channelId })), dueWaits };
}

const publishingOrder = 'priority desc, created_at, id';

// The lower bound is only for the planner: of a range it expects half a per cent of the rows, of one bound
// a third, and then it would rather read another index from end to end.
const hasEnded = "next_attempt_at > timestamptz '-infinity' and next_attempt_at <= $2";

/** Exported for the bench and the plan tests: the statement that every tick runs. */
export const selectDue = {
  name: 'due-for-publishing',
  text: `
    select due.id, due.channel_id as "channelId", due.due_waits as "dueWaits"
    from unnest($1::bigint[]) as open_channel (id)
    cross join lateral (
      select id, channel_id, priority, created_at, max(due_waits) over () as due_waits from (
        (select id, channel_id, priority, created_at, 0::bigint as due_waits
         from route_articles
         where channel_id = open_channel.id and queue_state = 1
         order by ${publishingOrder} limit ${candidatesPerTick})
        union all
        (select id, channel_id, priority, created_at, count(*) over () as due_waits
         from route_articles
         where channel_id = open_channel.id and queue_state = 2 and ${hasEnded}
         order by ${publishingOrder} limit ${candidatesPerTick})
      ) heads
      order by ${publishingOrder} limit ${candidatesPerTick}
    ) due
    order by due.priority desc, due.created_at, due.id`,
};

/**
 * Turns ended waits into ready rows, at most 500: sorting a pile of them at every tick is what would
 * make ticks slow. The order in which they are tried does not change.
 */
export async function promoteEndedWaits(
  db: Database,
  channelIds: readonly number[],
  at: Date,
): Promise<number> {
  return execute(db, promoteWaits, [channelIds, at]);
}

const promoteWaits = {
  name: 'promote-ended-waits',
  text: `
    with ended as materialized (
      select waiting.id from unnest($1::bigint[]) as open_channel (id)
      cross join lateral (
        select id from route_articles
        where channel_id = open_channel.id and queue_state = 2 and ${hasEnded}
        order by next_attempt_at limit 500 for update skip locked) waiting
      limit 500)
    update route_articles r set next_attempt_at = null from ended where r.id = ended.id`,
};
