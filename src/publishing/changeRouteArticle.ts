import { randomUUID } from 'node:crypto';
import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { recordAudit } from '../models/auditLog.ts';
import {
  publishAgain,
  retryByPerson,
  setApproval,
  setPriority,
  setText,
  skipByPerson,
} from '../models/routeArticleChanges.ts';
import { findRouteArticle, type ListedRouteArticle } from '../models/routeArticleList.ts';
import { textHash } from '../models/textHash.ts';

/** What a person can do to a route article: `publish-again` once it has gone out, all else before. */
export type Change =
  | { action: 'approve' | 'reject' | 'skip' | 'retry' | 'publish-again' }
  | { action: 'prioritise'; priority: number }
  | { action: 'edit'; title: string; text: string };

/** `unchanged`: it already was so; pressed twice equals once. `refused`: it may not be changed any more. */
export type ChangeResult =
  | { kind: 'changed' | 'unchanged'; article: ListedRouteArticle }
  | { kind: 'refused'; article: ListedRouteArticle; detail: string }
  | { kind: 'not_found' };

/** Does one action of a person: one conditional UPDATE and its audit row, in one transaction. */
export async function changeRouteArticle(
  db: Database,
  request: { id: number; change: Change; actor: string; now: Date },
): Promise<ChangeResult> {
  const { id, change, actor, now } = request;
  return transact(db, async trx => {
    const before = await findRouteArticle(trx, id);
    if (!before) return { kind: 'not_found' };
    const isChanged = await apply(trx, before, change, now);
    const article = (await findRouteArticle(trx, id)) ?? before;
    if (!isChanged) {
      const isInTime =
        (!isOutOrMayBe(article) || isPressedTwice(article, change)) && isAlready(article, change);
      const objection = isInTime ? null : objectionTo(article, change);
      return objection ? { kind: 'refused', article, detail: objection } : { kind: 'unchanged', article };
    }
    const { action, ...detail } = change;
    const { workspaceId } = article;
    await recordAudit(trx, {
      workspaceId,
      actor,
      action,
      subjectType: 'route_article',
      subjectId: id,
      detail,
      now,
    });
    return { kind: 'changed', article };
  });
}

function apply(db: Database, { id, url }: ListedRouteArticle, change: Change, now: Date): Promise<boolean> {
  switch (change.action) {
    case 'approve':
      return setApproval(db, { id, approval: 'approved', now });
    case 'reject':
      return setApproval(db, { id, approval: 'rejected', now });
    case 'skip':
      return skipByPerson(db, { id, now });
    case 'retry':
      return retryByPerson(db, { id, now });
    case 'publish-again':
      return publishAgain(db, { id, postKey: randomUUID(), now });
    case 'prioritise':
      return setPriority(db, { id, priority: change.priority, now });
    case 'edit': {
      const { title, text } = change;
      return setText(db, { id, title, text, textHash: textHash({ title, text, url }), now });
    }
    default:
      return change satisfies never;
  }
}

// Even "it already is so" would promise something about what is not ours to change any more.
function isOutOrMayBe({ publishStatus, isSending }: ListedRouteArticle): boolean {
  return isSending || publishStatus === 'published' || publishStatus === 'unknown';
}

// A tick may come between the two: what went out by the first is not to go out once more by the second.
function isPressedTwice({ publishStatus, generation }: ListedRouteArticle, { action }: Change): boolean {
  return action === 'publish-again' && publishStatus === 'published' && generation > 1;
}

function isAlready(article: ListedRouteArticle, change: Change): boolean {
  const { publishStatus, approvalStatus, attempts } = article;
  switch (change.action) {
    case 'approve':
      return approvalStatus === 'approved';
    case 'reject':
      return approvalStatus === 'rejected';
    case 'skip':
      return publishStatus === 'skipped';
    case 'retry':
      return publishStatus === 'pending' && attempts === 0;
    case 'publish-again':
      return article.generation > 1 && (publishStatus === 'pending' || publishStatus === 'published');
    case 'prioritise':
      return article.priority === change.priority;
    case 'edit':
      return article.title === change.title && article.text === change.text;
    default:
      return change satisfies never;
  }
}

function objectionTo({ publishStatus }: ListedRouteArticle, { action }: Change): string {
  if (publishStatus === 'publishing') return 'it is being sent: too late';
  if (publishStatus === 'unknown') return 'whether it went out is not known yet';
  return `it is ${publishStatus}, and ${action} is not for that`;
}
