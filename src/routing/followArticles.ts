import type { Database } from '../database/Database.ts';
import { type NewText, type QueuedText, queuedTexts, replaceTexts } from '../models/queuedTexts.ts';
import { textHash } from '../models/textHash.ts';
import { renderTemplate } from './renderTemplate.ts';

/**
 * Why articles have another text than before. `edited`: their feed changed them; what a person approved is asked
 * about again where its route says so. `enriched`: their pages filled in what was missing, which changes
 * nothing that a person has approved.
 */
export type Following = 'edited' | 'enriched';

/**
 * Renders anew what is queued of articles that changed, by the routes as they are now, in the caller's
 * transaction. What has gone out, is going out, or was written by a person stays. Filters are not asked again:
 * what was queued stays queued. Returns how many texts changed.
 */
export async function followArticles(
  db: Database,
  articleIds: readonly number[],
  { following, now }: { following: Following; now: Date },
): Promise<number> {
  const queued = await queuedTexts(db, articleIds);
  const free = following === 'edited' ? queued : queued.filter(row => !isApprovedByPerson(row));
  const texts = free.map(row => ({ ...rendered(row), asksAgain: following === 'edited' && asksAgain(row) }));
  const hashes = new Map(queued.map(row => [row.id, row.textHash]));
  return replaceTexts(
    db,
    texts.filter(({ id, textHash }) => hashes.get(id) !== textHash),
    now,
  );
}

function isApprovedByPerson({ isApproved, isApprovedByPerson, approval }: QueuedText): boolean {
  return isApprovedByPerson || (isApproved && approval === 'manual');
}

function rendered(row: QueuedText): Omit<NewText, 'asksAgain'> {
  const { id, title, url } = row;
  const text = renderTemplate(row.template, row);
  return { id, title, text, textHash: textHash({ title, text, url }) };
}

/** The route's own word, else: asks where it asks anyway. */
function asksAgain({ edits, approval }: QueuedText): boolean {
  return (edits ?? (approval === 'manual' ? 'ask' : 'follow')) === 'ask';
}
