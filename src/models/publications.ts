import type { ComposedPost } from '../channels/Channel.ts';
import { type Database, execute, type Flight, query, violatedConstraint } from '../database/Database.ts';

/** The intent to send: written, and committed, before the request. */
export type Intent = {
  routeArticleId: number;
  claimToken: string;
  /** Read at the claim: an edit since then changes it, and the gate refuses. */
  textHash: string;
  /** Null for a person's publish-now. */
  slotAt: Date | null;
  /** The instant of the tick: what caps and intervals count by. */
  countedAt: Date;
  sendingAt: Date;
  sendBy: Date;
  post: ComposedPost;
};

/**
 * The gate's last step, in one statement: stamps the claimed row where it is still exactly what was
 * claimed and approved, and inserts the publication. Null: the row has changed. Throws the violation of
 * one of the three unique indexes, which `conflictOf` names.
 */
export async function insertIntent(db: Flight, intent: Intent): Promise<number | null> {
  const [row] = await query<{ id: number }>(db, stampAndInsert, [
    intent.routeArticleId,
    intent.claimToken,
    intent.textHash,
    intent.slotAt,
    JSON.stringify(intent.post),
    intent.countedAt,
    intent.sendingAt,
    intent.sendBy,
  ]);
  return row?.id ?? null;
}

const stampAndInsert = {
  name: 'insert-intent',
  text: `
    with stamped as (
      update route_articles set sending_at = $7, updated_at = $7
      where id = $1 and claim_token = $2 and publish_status = 'publishing'
        and approval_status = 'approved' and text_hash = $3
      returning id, workspace_id, channel_id, url_key, generation)
    insert into publications (workspace_id, channel_id, route_article_id, url_key, generation,
                              slot_at, state, post, counted_at, sending_at, send_by)
    select workspace_id, channel_id, id, url_key, generation, $4, 'sending', $5, $6, $7, $8 from stamped
    returning id`,
};

export type RenewedIntent = Pick<
  Intent,
  'routeArticleId' | 'claimToken' | 'textHash' | 'slotAt' | 'sendingAt' | 'sendBy'
> & { publicationId: number };

/**
 * The gate's last step for a repeat: stamps the claimed row, and makes its own publication `sending` again.
 * False: one of the two is no longer as it was, and what has been changed must be rolled back.
 */
export async function renewIntent(db: Flight, intent: RenewedIntent): Promise<boolean> {
  const { routeArticleId, claimToken, textHash, publicationId, slotAt, sendingAt, sendBy } = intent;
  const values = [routeArticleId, claimToken, textHash, publicationId, slotAt, sendingAt, sendBy];
  return (await query(db, renewAndStamp, values)).length > 0;
}

// Publication before route article, as a late answer locks them.
const renewAndStamp = {
  name: 'renew-intent',
  text: `
    with renewed as (
      update publications set state = 'sending', slot_at = $5, sending_at = $6, send_by = $7
      where id = $4 and state = 'unknown'
      returning route_article_id)
    update route_articles r set sending_at = $6, updated_at = $6
    from renewed
    where r.id = renewed.route_article_id and r.id = $1 and r.claim_token = $2
      and r.publish_status = 'publishing' and r.approval_status = 'approved' and r.text_hash = $3
    returning r.id`,
};

/** Which promise an insert would have broken; null for any other error. */
export type IntentConflict = 'in_flight' | 'slot' | 'url_key';

const conflicts: Readonly<Record<string, IntentConflict>> = {
  publications_one_in_flight: 'in_flight',
  publications_one_per_slot: 'slot',
  publications_once_per_channel: 'url_key',
};

/** Tells the three unique indexes apart by the violated constraint's name. */
export function conflictOf(error: unknown): IntentConflict | null {
  return conflicts[violatedConstraint(error) ?? ''] ?? null;
}

export type PublicationState = 'sending' | 'published' | 'unknown';

/** The state of the publication that holds a (channel, URL key, generation), or null when it is free. */
export async function findPublicationState(
  db: Database,
  key: { channelId: number; urlKey: string; generation: number },
): Promise<PublicationState | null> {
  const values = [key.channelId, key.urlKey, key.generation];
  const [row] = await query<{ state: PublicationState }>(db, selectState, values);
  return row?.state ?? null;
}

const selectState = {
  name: 'find-publication-state',
  text: 'select state from publications where channel_id = $1 and url_key = $2 and generation = $3',
};

/** One send of a publication: a repeat has the same id, and its own instant. */
export type Sent = { publicationId: number; sendingAt: Date };

/**
 * Marks a publication as unknown while the end of this very send is open. It keeps its slot, unless nothing
 * has left in it: then another one may have it. Null: it is gone, settled, or was sent again since.
 */
export async function markUnknown(
  db: Database,
  { publicationId, sendingAt }: Sent,
  { keepsSlot = true } = {},
): Promise<{ slotAt: Date | null } | null> {
  const values = [publicationId, keepsSlot, sendingAt];
  const [row] = await query<{ slotAt: Date | null }>(db, updateUnknown, values);
  return row ?? null;
}

const updateUnknown = {
  name: 'mark-publication-unknown',
  text: `
    update publications set state = 'unknown', slot_at = case when $2 then slot_at end
    where id = $1 and state in ('sending', 'unknown') and sending_at = $3
    returning slot_at as "slotAt"`,
};

/** Whether a publication is recorded as published. */
export async function isPublished(db: Database, id: number): Promise<boolean> {
  return (await query(db, selectPublished, [id])).length > 0;
}

const selectPublished = {
  name: 'is-published',
  text: `select 1 from publications where id = $1 and state = 'published'`,
};

/** The intent that a claim has on the record, if its gate was passed. */
export async function findIntentOfClaim(
  db: Database,
  { id, claimToken }: { id: number; claimToken: string },
): Promise<Sent | null> {
  const [row] = await query<Sent>(db, selectIntentOfClaim, [id, claimToken]);
  return row ?? null;
}

const selectIntentOfClaim = {
  name: 'find-intent-of-claim',
  text: `
    select p.id as "publicationId", p.sending_at as "sendingAt" from route_articles r
    join publications p on p.route_article_id = r.id and p.state = 'sending'
    where r.id = $1 and r.claim_token = $2 and r.sending_at is not null`,
};

/** Deletes a publication whose send definitely did not go out. False: it is gone, published, or was sent again since. */
export async function deletePublication(db: Database, { publicationId, sendingAt }: Sent): Promise<boolean> {
  return (await execute(db, deleteById, [publicationId, sendingAt])) > 0;
}

const deleteById = {
  name: 'delete-publication',
  text: `delete from publications where id = $1 and state in ('sending', 'unknown') and sending_at = $2`,
};

/** Locks what is in the sending state in a workspace, if anything is, for the transaction. */
export async function lockSending(db: Database, workspaceId: number): Promise<void> {
  await query(db, selectSendingForUpdate, [workspaceId]);
}

const selectSendingForUpdate = {
  name: 'lock-sending-publication',
  text: `select 1 from publications where workspace_id = $1 and state = 'sending' for update`,
};

/** What is in the sending state for a route article: at most one, found by recovery. */
export async function findSending(
  db: Database,
  routeArticleId: number,
): Promise<(Sent & { slotAt: Date | null }) | null> {
  const [row] = await query<Sent & { slotAt: Date | null }>(db, selectSending, [routeArticleId]);
  return row ?? null;
}

const selectSending = {
  name: 'find-sending-publication',
  text: `
    select id as "publicationId", sending_at as "sendingAt", slot_at as "slotAt" from publications
    where route_article_id = $1 and state = 'sending'`,
};

/** Moves the workspace's slot forward, never back. */
export async function recordSlot(db: Database, workspaceId: number, slotAt: Date | null): Promise<void> {
  if (slotAt) await execute(db, updateLastSlot, [workspaceId, slotAt]);
}

const updateLastSlot = {
  name: 'record-slot',
  text: `
    update workspaces set last_slot_at = greatest(last_slot_at, $2)
    where id = $1 and (last_slot_at is null or last_slot_at < $2)`,
};
