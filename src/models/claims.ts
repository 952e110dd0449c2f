import { type Database, execute, query, type Statement, violatedConstraint } from '../database/Database.ts';
import { firstRefusedAtOf, refusalsOf } from './attempts.ts';
import { type Destination, type DestinationRow, destinationColumns, takeDestination } from './channels.ts';
import type { PublicationState } from './publications.ts';
import type { PublishStatus, SkipReason } from './routeArticles.ts';

// The claim of a route article, from its taking to its end: every write is matched by its token.

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
  imageAlt: string | null;
  language: string | null;
  articlePublishedAt: Date;
  feed: string;
  maxAgeMs: number | null;
  destination: Destination;
  /** When the remote side refused it first; null: it has not. */
  firstRefusedAt: Date | null;
  /** How often the remote side has answered with a refusal so far. */
  refusals: number;
  /** It is an unknown outcome that is sent again, exactly as it was sent. */
  repeats: boolean;
  /** The state of the publication that already holds this (channel, URL key, generation); null: it is free. */
  duplicate: PublicationState | null;
};

/**
 * Claims one row for the holder of its workspace's lock: `publishing`, attempt + 1. Null when it cannot be
 * had: it is no longer due (rejected, skipped, claimed or published in the meantime), the workspace's
 * newest slot is another than `lastSlotAt`, which was seen when the row was chosen, or something is in
 * flight. `dueBy` null claims a row that still waits: a person's publish-now.
 */
export async function claimRouteArticle(
  db: Database,
  request: ClaimRequest,
): Promise<ClaimedRouteArticle | null> {
  return takeClaim(db, claim, request);
}

/**
 * Claims an unknown row whose repeat is due, to send again exactly what was sent. Null: it was settled, its
 * repeat is not due, it has no attempt left, or as with `claimRouteArticle`.
 */
export async function claimRepeat(
  db: Database,
  request: ClaimRequest & { dueBy: Date },
): Promise<ClaimedRouteArticle | null> {
  return takeClaim(db, claimUnknown, request);
}

async function takeClaim(db: Database, statement: Statement, request: ClaimRequest) {
  const { id, claimToken, dueBy, lastSlotAt, now } = request;
  try {
    const [row] = await query<ClaimedRow>(db, statement, [id, claimToken, dueBy, now, lastSlotAt]);
    return row ? takeDestination(row) : null;
  } catch (error) {
    if (violatedConstraint(error) === 'route_articles_in_flight') return null;
    throw error;
  }
}

export type ClaimRequest = {
  id: number;
  claimToken: string;
  dueBy: Date | null;
  lastSlotAt: Date | null;
  now: Date;
};

type ClaimedRow = Omit<ClaimedRouteArticle, 'destination'> & DestinationRow;

// The commit need not wait for the disk: nothing has left yet, and the gate's commit takes it along. A claim
// that a crash of the server undoes has never been. And it waits for nobody: a row that somebody holds locked
// must not hold up the others.
const claimText = (isClaimable: string) => `
    with unhurried as materialized (select set_config('synchronous_commit', 'off', true)),
    next as materialized (
      select r.id as next_id from route_articles r
      where r.id = $1 and ${isClaimable}
        and (select w.last_slot_at from workspaces w where w.id = r.workspace_id) is not distinct from $5
      for update skip locked),
    claimed as (
      update route_articles
      set publish_status = 'publishing', publish_attempts = publish_attempts + 1,
          claim_token = $2, claimed_at = $4, claimed_from = publish_status, claimed_wait = next_attempt_at,
          next_attempt_at = null, sending_at = null, updated_at = $4
      from unhurried, next
      where id = next_id
      returning route_articles.*)
    select ${destinationColumns}, r.id, r.workspace_id as "workspaceId", r.channel_id as "channelId",
           r.claim_token as "claimToken", r.publish_attempts as "attempts",
           r.title, r.text, r.text_hash as "textHash", r.url_key as "urlKey", r.generation,
           r.post_key as "postKey", r.post_created_at as "postCreatedAt",
           t.url, t.summary, t.author, t.tags, t.image_url as "imageUrl",
           t.image_alt as "imageAlt", t.language,
           r.claimed_from = 'unknown' as repeats, t.published_at as "articlePublishedAt", coalesce(f.name, '') as feed, f.max_age_ms as "maxAgeMs",
           ${refusalsOf('r')} as refusals, ${firstRefusedAtOf('r')} as "firstRefusedAt",
           (select p.state from publications p
            where p.channel_id = r.channel_id and p.url_key = r.url_key and p.generation = r.generation) as duplicate
    from claimed r
    join articles t on t.id = r.article_id
    left join feeds f on f.id = t.feed_id
    join channels c on c.id = r.channel_id
    left join accounts a on a.id = c.account_id and a.archived_at is null`;

const claim = {
  name: 'claim-route-article',
  text: claimText(
    'queue_state in (1, 2) and ($3::timestamptz is null or coalesce(next_attempt_at, $3) <= $3)',
  ),
};
// It keeps next_lookup_at: a give-back finds it there.
const claimUnknown = {
  name: 'claim-repeat',
  text: claimText(`publish_status = 'unknown' and publish_attempts < 4 and next_lookup_at <= $3`),
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
// What was counted while its answer was late stays counted.
const updateClaimEnd = {
  name: 'end-claim',
  text: `
    update route_articles
    set publish_status = $4, next_attempt_at = $6, next_lookup_at = $7,
        publish_attempts = case when claim_token is null then greatest(publish_attempts, $5) else $5 end,
        skip_reason = $8, last_error_code = $9, last_error = $10, updated_at = $11,
        claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null,
        sending_at = case when $4 in ('published', 'unknown') then sending_at end,
        lookups = case when $4 = 'unknown' then lookups else 0 end
    where id = $1 and coalesce(claim_token, $2) = $2 and publish_status = any($3)`,
};

/** The workspaces that have something in flight: orphaned, unless somebody holds their lock. */
export async function workspacesInFlight(db: Database): Promise<number[]> {
  const rows = await query<{ workspaceId: number }>(db, selectWorkspacesInFlight);
  return rows.map(({ workspaceId }) => workspaceId);
}

const selectWorkspacesInFlight = {
  name: 'workspaces-in-flight',
  text: `
    select workspace_id as "workspaceId" from route_articles where queue_state = 3
    order by workspace_id`,
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
