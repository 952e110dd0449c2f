import { type Database, execute, query } from '../database/Database.ts';
import { type Destination, destinationColumns } from './channels.ts';
import type { PublicationState } from './publications.ts';

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

/** A claimed row with what its post is composed of. */
export type ClaimedRouteArticle = {
  id: number;
  workspaceId: number;
  channelId: number;
  claimToken: string;
  /** Counted by the claim; a give-back takes it off again. */
  attempts: number;
  title: string;
  text: string;
  textHash: string;
  urlKey: string;
  generation: number;
  postKey: string;
  postCreatedAt: Date;
  url: string | null;
  summary: string | null;
  author: string | null;
  tags: readonly string[];
  imageUrl: string | null;
  articlePublishedAt: Date;
  feed: string;
  maxAgeMs: number | null;
  destination: Destination;
  /** The state of the publication that already holds this (channel, URL key, generation); null: it is free. */
  duplicate: PublicationState | null;
};

/**
 * Claims one row for the holder of its workspace's lock: `publishing`, attempt + 1. Null when it is no
 * longer due (rejected, skipped, claimed or published in the meantime): the next candidate's turn.
 * `dueBy` null claims a row that still waits: a person's publish-now.
 */
export async function claimRouteArticle(
  db: Database,
  { id, claimToken, dueBy, now }: { id: number; claimToken: string; dueBy: Date | null; now: Date },
): Promise<ClaimedRouteArticle | null> {
  const values = [id, claimToken, dueBy, now];
  const [row] = await query<ClaimedRow>(db, claim, values);
  return row ? toClaimed(row) : null;
}

type ClaimedRow = Omit<ClaimedRouteArticle, 'destination'> & Omit<Destination, 'id'>;

function toClaimed(row: ClaimedRow): ClaimedRouteArticle {
  const { name, platform, needsAccount, settings, secrets, ...rest } = row;
  const { accountId, hasActiveAccount, accountSettings, accountSecrets, ...claimed } = rest;
  const channel = { id: row.channelId, name, platform, needsAccount, settings, secrets };
  const account = { accountId, hasActiveAccount, accountSettings, accountSecrets };
  return { ...claimed, destination: { ...channel, ...account } };
}

// The commit need not wait for the disk: nothing has left yet, and the gate's commit takes it along. A claim
// that a crash of the server undoes has never been.
const claim = {
  name: 'claim-route-article',
  text: `
    with unhurried as materialized (select set_config('synchronous_commit', 'off', true)),
    claimed as (
      update route_articles
      set publish_status = 'publishing', publish_attempts = publish_attempts + 1,
          claim_token = $2, claimed_at = $4, claimed_from = publish_status, claimed_wait = next_attempt_at,
          next_attempt_at = null, sending_at = null, updated_at = $4
      from unhurried
      where id = $1 and queue_state in (1, 2)
        and ($3::timestamptz is null or coalesce(next_attempt_at, $3) <= $3)
      returning route_articles.*)
    select ${destinationColumns}, r.id, r.workspace_id as "workspaceId", r.channel_id as "channelId",
           r.claim_token as "claimToken", r.publish_attempts as "attempts",
           r.title, r.text, r.text_hash as "textHash", r.url_key as "urlKey", r.generation,
           r.post_key as "postKey", r.post_created_at as "postCreatedAt",
           t.url, t.summary, t.author, t.tags, t.image_url as "imageUrl",
           t.published_at as "articlePublishedAt", coalesce(f.name, '') as feed, f.max_age_ms as "maxAgeMs",
           (select p.state from publications p
            where p.channel_id = r.channel_id and p.url_key = r.url_key and p.generation = r.generation) as duplicate
    from claimed r
    join articles t on t.id = r.article_id
    left join feeds f on f.id = t.feed_id
    join channels c on c.id = r.channel_id
    left join accounts a on a.id = c.account_id and a.archived_at is null`,
};

/** Where a row that was claimed ends up. */
export type ClaimEnd = {
  id: number;
  claimToken: string;
  /** After the gate a late answer is recorded even if the row was recovered as unknown meanwhile. */
  passedGate: boolean;
  publishStatus: Exclude<PublishStatus, 'pending' | 'publishing'>;
  attempts: number;
  nextAttemptAt: Date | null;
  nextLookupAt: Date | null;
  skipReason: SkipReason | null;
  errorCode: string | null;
  error: string | null;
  now: Date;
};

/** Ends a claim. False: the claim was lost, and nothing was changed. */
export async function endClaim(db: Database, end: ClaimEnd): Promise<boolean> {
  const changed = await execute(db, updateClaimEnd, [
    end.id,
    end.claimToken,
    end.passedGate ? ['publishing', 'unknown'] : ['publishing'],
    end.publishStatus,
    end.attempts,
    end.nextAttemptAt,
    end.nextLookupAt,
    end.skipReason,
    end.errorCode,
    end.error,
    end.now,
  ]);
  return changed > 0;
}

// A publishing row has a token (a constraint), an unknown one has none: coalesce lets only the latter pass.
const updateClaimEnd = {
  name: 'end-claim',
  text: `
    update route_articles
    set publish_status = $4, publish_attempts = $5, next_attempt_at = $6, next_lookup_at = $7,
        skip_reason = $8, last_error_code = $9, last_error = $10, updated_at = $11,
        claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null,
        sending_at = case when $4 in ('published', 'unknown') then sending_at end
    where id = $1 and coalesce(claim_token, $2) = $2 and publish_status = any($3)`,
};

/**
 * Gives a claim back as if it had not been: status and wait as before, attempt not counted, no error.
 * `nextAttemptAt` and `code` stand instead of the old wait where the row has to wait for another's end.
 * False: the claim was lost, and nothing was changed.
 */
export async function giveBackClaim(
  db: Database,
  back: {
    id: number;
    claimToken: string;
    /** After the gate a late answer gives back even a row that was recovered as unknown meanwhile. */
    passedGate: boolean;
    waitInstead: { nextAttemptAt: Date; code: string; detail: string } | null;
    now: Date;
  },
): Promise<boolean> {
  const { id, claimToken, passedGate, waitInstead, now } = back;
  const { nextAttemptAt = null, code = null, detail = null } = waitInstead ?? {};
  const statuses = passedGate ? ['publishing', 'unknown'] : ['publishing'];
  return (
    (await execute(db, updateGiveBack, [id, claimToken, statuses, nextAttemptAt, code, detail, now])) > 0
  );
}

// Recovery wiped what an unknown row was claimed from: its attempts tell.
const updateGiveBack = {
  name: 'give-back-claim',
  text: `
    update route_articles
    set publish_status = coalesce(claimed_from, case when publish_attempts > 1 then 'failed' else 'pending' end),
        publish_attempts = publish_attempts - 1, next_attempt_at = coalesce($4, claimed_wait),
        next_lookup_at = case when claimed_from = 'unknown' then next_lookup_at end,
        last_error_code = coalesce($5, last_error_code), last_error = coalesce($6, last_error),
        claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null,
        sending_at = null, updated_at = $7
    where id = $1 and coalesce(claim_token, $2) = $2 and publish_status = any($3)`,
};

export type InFlight = {
  id: number;
  channelId: number;
  claimToken: string;
  claimedFrom: 'pending' | 'failed' | 'unknown';
  attempts: number;
  title: string;
  claimedAt: Date;
  sendingAt: Date | null;
};

/** What a workspace has in flight, locked for the transaction. Whoever holds its lock knows: orphaned. */
export async function lockInFlight(db: Database, workspaceId: number): Promise<InFlight[]> {
  return query<InFlight>(db, selectInFlight, [workspaceId]);
}

const selectInFlight = {
  name: 'lock-in-flight',
  text: `
    select id, channel_id as "channelId", claim_token as "claimToken", claimed_from as "claimedFrom",
           publish_attempts as "attempts", title, claimed_at as "claimedAt", sending_at as "sendingAt"
    from route_articles where workspace_id = $1 and queue_state = 3
    for update`,
};

/** Ends the waits of rows that waited for one (channel, URL key) to be settled. */
export async function freeDuplicateWaits(
  db: Database,
  { channelId, urlKey }: { channelId: number; urlKey: string },
): Promise<void> {
  await execute(db, updateDuplicateWaits, [channelId, urlKey]);
}

const updateDuplicateWaits = {
  name: 'free-duplicate-waits',
  text: `
    update route_articles set next_attempt_at = null
    where channel_id = $1 and url_key = $2 and queue_state = 2 and last_error_code = 'duplicate_in_flight'`,
};
