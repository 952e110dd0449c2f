import type { ComposedPost, Post } from '../channels/Channel.ts';
import { type Database, execute, query } from '../database/Database.ts';
import { type Destination, type DestinationRow, destinationColumns, takeDestination } from './channels.ts';

// Outcomes that are not known: a row is `unknown` as long as its publication is, and the two end together.

/** An unknown outcome with what it takes to find out about it. */
export type UnknownOutcome = {
  routeArticleId: number;
  publicationId: number;
  workspaceId: number;
  channelId: number;
  urlKey: string;
  title: string;
  attempts: number;
  /** Searches so far. */
  lookups: number;
  /** Null: it is left to a person. */
  nextLookupAt: Date | null;
  /** As it was sent. */
  post: ComposedPost;
  sendingAt: Date;
  sendBy: Date;
  /** Where the destination is: of one instance only one is asked at a time. */
  instance: string;
  destination: Destination;
};

/** For a statement with `channels c`: when its first open unknown outcome can be found out about. */
export const openUnknownAt = `(
  select r.next_lookup_at from route_articles r
  where r.channel_id = c.id and r.publish_status = 'unknown' and r.next_lookup_at is not null
  order by r.next_lookup_at limit 1)`;

type UnknownRow = Omit<UnknownOutcome, 'destination' | 'post'> &
  DestinationRow & { post: Post & Partial<ComposedPost> };

const unknownColumns = `
  ${destinationColumns}, c.instance, r.id as "routeArticleId", p.id as "publicationId",
  r.workspace_id as "workspaceId", r.channel_id as "channelId", r.url_key as "urlKey", r.title,
  r.publish_attempts as "attempts", r.lookups, r.next_lookup_at as "nextLookupAt", p.post,
  p.sending_at as "sendingAt", p.send_by as "sendBy"`;

/** What can be found out about at `at`: of each channel of the workspace the one that waits longest. */
export async function dueUnknowns(db: Database, workspaceId: number, at: Date): Promise<UnknownOutcome[]> {
  return (await query<UnknownRow>(db, selectDue, [workspaceId, at])).map(toUnknown);
}

const selectDue = {
  name: 'due-unknowns',
  text: `
    select ${unknownColumns}
    from channels c
    cross join lateral (
      select * from route_articles
      where channel_id = c.id and publish_status = 'unknown' and next_lookup_at is not null
        and next_lookup_at <= $2
      order by next_lookup_at, id limit 1) r
    join publications p on p.route_article_id = r.id and p.state = 'unknown'
    left join accounts a on a.id = c.account_id and a.archived_at is null
    where c.workspace_id = $1
    order by r.next_lookup_at, r.id`,
};

/** One unknown outcome by its route article; null: it is not unknown. */
export async function findUnknown(db: Database, routeArticleId: number): Promise<UnknownOutcome | null> {
  const [row] = await query<UnknownRow>(db, selectOne, [routeArticleId]);
  return row ? toUnknown(row) : null;
}

const selectOne = {
  name: 'find-unknown',
  text: `
    select ${unknownColumns}
    from route_articles r
    join publications p on p.route_article_id = r.id and p.state = 'unknown'
    join channels c on c.id = r.channel_id
    left join accounts a on a.id = c.account_id and a.archived_at is null
    where r.id = $1 and r.publish_status = 'unknown'`,
};

// What an older version has sent lacks what posts have learnt since.
function toUnknown({ post, ...row }: UnknownRow): UnknownOutcome {
  const { imageAlt = null, language = null, composed = null, refusals = 0 } = post;
  return takeDestination({ ...row, post: { ...post, imageAlt, language, composed, refusals } });
}

/** Writes down a search that proved nothing; `next` null leaves it to a person. False: it is no longer unknown. */
export async function recordLookUp(
  db: Database,
  {
    routeArticleId,
    next,
    detail,
    now,
  }: { routeArticleId: number; next: Date | null; detail: string; now: Date },
): Promise<boolean> {
  return (await execute(db, updateLookedUp, [routeArticleId, next, detail, now])) > 0;
}

const updateLookedUp = {
  name: 'record-look-up',
  text: `
    update route_articles
    set lookups = lookups + 1, next_lookup_at = $2, last_error = $3, updated_at = $4
    where id = $1 and publish_status = 'unknown'`,
};

/** Deletes the publication of an unknown outcome that did not go out. False: it is no longer unknown. */
export async function deleteUnknown(db: Database, publicationId: number): Promise<boolean> {
  return (await execute(db, deleteById, [publicationId])) > 0;
}

const deleteById = {
  name: 'delete-unknown-publication',
  text: `delete from publications where id = $1 and state = 'unknown'`,
};

/** Where an unknown row that did not go out ends up. Pending: a person sends it again, from the first attempt. */
export type NotSentEnd = {
  routeArticleId: number;
  publishStatus: 'pending' | 'failed' | 'dead';
  attempts: number;
  nextAttemptAt: Date | null;
  errorCode: string | null;
  error: string | null;
  now: Date;
};

/** Ends an unknown row as not sent. False: it is no longer unknown, and nothing was changed. */
export async function endUnknown(db: Database, end: NotSentEnd): Promise<boolean> {
  const { routeArticleId, publishStatus, attempts, nextAttemptAt, errorCode, error, now } = end;
  const values = [routeArticleId, publishStatus, attempts, nextAttemptAt, errorCode, error, now];
  return (await execute(db, updateEnded, values)) > 0;
}

const updateEnded = {
  name: 'end-unknown',
  text: `
    update route_articles
    set publish_status = $2, publish_attempts = $3, next_attempt_at = $4, last_error_code = $5,
        last_error = $6, updated_at = $7, sending_at = null, next_lookup_at = null, lookups = 0
    where id = $1 and publish_status = 'unknown'`,
};
