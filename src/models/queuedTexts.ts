import { type Database, execute, query } from '../database/Database.ts';
import { notYetSending } from './routeArticleChanges.ts';
import type { EditsRule } from './routes.ts';

// The texts of route articles that have not gone out, and what their articles and routes make of them now.

export type QueuedText = {
  id: number;
  textHash: string;
  template: string;
  approval: 'auto' | 'manual';
  edits: EditsRule | null;
  isApproved: boolean;
  /** A person did that, whatever the route says: it was held, or the route asked at that time. */
  isApprovedByPerson: boolean;
  feed: string;
  title: string;
  url: string | null;
  summary: string | null;
  author: string | null;
  tags: readonly string[];
};

// What a person wrote stays, and so does what no route stands for any more.
const followed = `
  r.publish_status in ('pending', 'failed', 'dead', 'publishing') and (${notYetSending}) and not r.is_edited`;

/**
 * What is still to go out of these articles, by the routes that are in use, locked for the transaction: a person
 * who approves meanwhile approves what comes of it.
 */
export async function queuedTexts(db: Database, articleIds: readonly number[]): Promise<QueuedText[]> {
  return articleIds.length === 0 ? [] : query<QueuedText>(db, selectQueued, [articleIds]);
}

const selectQueued = {
  name: 'queued-texts',
  text: `
    select r.id, r.text_hash as "textHash", o.template, o.approval, o.edits,
           r.approval_status = 'approved' as "isApproved",
           r.approval_status = 'approved' and exists (
             select 1 from audit_log l
             where l.subject_type = 'route_article' and l.subject_id = r.id and l.action = 'approve')
             as "isApprovedByPerson",
           f.name as feed,
           a.title, a.url, a.summary, a.author, a.tags
    from route_articles r
    join articles a on a.id = r.article_id
    join feeds f on f.id = a.feed_id
    join routes o on o.id = r.route_id and o.archived_at is null
    where r.article_id = any($1) and ${followed}
    order by r.id for update of r`,
};

export type NewText = {
  id: number;
  title: string;
  text: string;
  textHash: string;
  /** Whether an approval of the old text is taken back. */
  asksAgain: boolean;
};

/** Replaces texts in one statement; what has begun to go out meanwhile keeps the one that it went out with. */
export async function replaceTexts(db: Database, texts: readonly NewText[], now: Date): Promise<number> {
  if (texts.length === 0) return 0;
  return execute(db, updateTexts, [
    now,
    'its feed changed it after it was approved',
    texts.map(({ id }) => id),
    texts.map(({ title }) => title),
    texts.map(({ text }) => text),
    texts.map(({ textHash }) => textHash),
    texts.map(({ asksAgain }) => asksAgain),
  ]);
}

const isTakenBack = "n.asks_again and r.approval_status = 'approved'";

const updateTexts = {
  name: 'replace-queued-texts',
  text: `
    update route_articles r
    set title = n.title, text = n.text, text_hash = n.text_hash, updated_at = $1,
        approval_status = case when ${isTakenBack} then 'pending' else r.approval_status end,
        approval_reason = case when ${isTakenBack} then 'edited' else r.approval_reason end,
        approval_detail = case when ${isTakenBack} then $2 else r.approval_detail end
    from unnest($3::bigint[], $4::text[], $5::text[], $6::uuid[], $7::boolean[])
      as n (id, title, text, text_hash, asks_again)
    where r.id = n.id and ${followed}`,
};
