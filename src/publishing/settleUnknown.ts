import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { recordAudit } from '../models/auditLog.ts';
import { freeDuplicateWaits } from '../models/claims.ts';
import { recordPublished } from '../models/recordPublished.ts';
import { findRouteArticle, type ListedRouteArticle } from '../models/routeArticleList.ts';
import { deleteUnknown, endUnknown, findUnknown, type UnknownOutcome } from '../models/unknownOutcomes.ts';
import { timeLimit } from '../timeLimit.ts';
import type { PublishingTools } from './publishRouteArticle.ts';
import { isLongPast, provenAt } from './recordLookedUp.ts';

/** What a person says of an unknown outcome: it went out (where, if they know), or it is to be sent again. */
export type Settlement = { as: 'published'; url: string | null } | { as: 'send_again' };

/** `settled`: as what; a post that was found on the way is published, whatever was asked for. */
export type SettleResult =
  | { kind: 'settled'; as: 'published' | 'send_again'; article: ListedRouteArticle }
  | { kind: 'unchanged'; article: ListedRouteArticle }
  | { kind: 'refused'; article: ListedRouteArticle; detail: string }
  | { kind: 'not_found' };

export type SettleRequest = {
  id: number;
  settlement: Settlement;
  actor: string;
  clock: Clock;
  signal: AbortSignal;
};

/**
 * Ends an unknown outcome by a person's word. Twice is worse than late, also here: it is not sent again while
 * its first request may still arrive, nor where the remote side could be asked and did not answer.
 */
export async function settleUnknown(tools: PublishingTools, request: SettleRequest): Promise<SettleResult> {
  const { id, settlement } = request;
  const unknown = await findUnknown(tools.db, id);
  if (!unknown) return notUnknown(tools.db, id, settlement);
  if (settlement.as === 'published') {
    return settle(tools, request, unknown, { as: 'published', url: settlement.url });
  }
  const objection = await objectionToSendingAgain(tools, unknown, request);
  if (objection && 'url' in objection) return settle(tools, request, unknown, objection);
  if (objection) return refused(tools.db, id, objection.detail);
  return settle(tools, request, unknown, { as: 'send_again' });
}

type Found = { as: 'published'; url: string | null; isFound: true };

async function objectionToSendingAgain(
  { service, limits }: PublishingTools,
  unknown: UnknownOutcome,
  { clock, signal }: SettleRequest,
): Promise<{ detail: string } | Found | null> {
  if (!isLongPast(unknown, limits, clock.now())) {
    return {
      detail: `its first request may still arrive: try again after ${provenAt(unknown, limits).toISOString()}`,
    };
  }
  const prepared = service.prepare(unknown.destination);
  if (prepared.kind !== 'ready') return { detail: `its channel cannot be asked: ${prepared.detail}` };
  if (prepared.reconciliation !== 'look_up') return null;
  const limit = timeLimit(signal, limits.lookUpsMs);
  const answer = await prepared.lookUp(unknown, { clock, signal: limit });
  switch (answer.kind) {
    case 'found':
      return { as: 'published', url: answer.remoteUrl, isFound: true };
    case 'not_found':
      return null;
    case 'incomplete':
      return { detail: `it could not be looked up first: ${answer.detail}` };
    default:
      return answer satisfies never;
  }
}

async function settle(
  { db, logger }: PublishingTools,
  { id, actor, clock }: SettleRequest,
  unknown: UnknownOutcome,
  settlement: Settlement | Found,
): Promise<SettleResult> {
  const now = clock.now();
  const { workspaceId } = unknown;
  const isSettled = await transact(db, async trx => {
    const isDone = await (settlement.as === 'published'
      ? markPublished(trx, unknown, settlement.url, now)
      : markNotSent(trx, unknown, now));
    if (!isDone) return false;
    const subject = { subjectType: 'route_article', subjectId: id } as const;
    await recordAudit(trx, { workspaceId, actor, action: 'settle', ...subject, detail: settlement, now });
    return true;
  }).catch(isClaimedMeanwhile);
  const { as } = settlement;
  if (!isSettled) return notUnknown(db, id, settlement);
  logger.info({ routeArticleId: id, workspaceId, as }, 'article settled');
  const article = await findRouteArticle(db, id);
  return article ? { kind: 'settled', as, article } : { kind: 'not_found' };
}

function markPublished(
  trx: Database,
  { publicationId, attempts }: UnknownOutcome,
  remoteUrl: string | null,
  now: Date,
): Promise<boolean> {
  const messages = { channelUpMessage: '', accountUpMessage: '' };
  const settled = { publicationId, proof: 'person', attempts, remoteId: null, remoteUrl } as const;
  return recordPublished(trx, { ...settled, ...messages, durationMs: 0, now });
}

/** Thrown inside the transaction, so that nothing of it stays. */
class ClaimedMeanwhileError extends Error {
  override name = 'ClaimedMeanwhileError';
}

function isClaimedMeanwhile(error: unknown): false {
  if (error instanceof ClaimedMeanwhileError) return false;
  throw error;
}

// The post key stays: a late success, or a duplicate under it, still meets the unique index.
async function markNotSent(trx: Database, unknown: UnknownOutcome, now: Date): Promise<boolean> {
  const { publicationId, routeArticleId } = unknown;
  if (!(await deleteUnknown(trx, publicationId))) return false;
  const fresh = { publishStatus: 'pending', attempts: 0, nextAttemptAt: null } as const;
  if (!(await endUnknown(trx, { routeArticleId, ...fresh, errorCode: null, error: null, now }))) {
    throw new ClaimedMeanwhileError(`route article ${routeArticleId} was claimed for a repeat`);
  }
  await freeDuplicateWaits(trx, unknown);
  return true;
}

async function notUnknown(db: Database, id: number, { as }: Settlement): Promise<SettleResult> {
  const article = await findRouteArticle(db, id);
  if (!article) return { kind: 'not_found' };
  const { publishStatus, attempts, isSending } = article;
  const isAlready = {
    published: publishStatus === 'published',
    send_again: publishStatus === 'pending' && attempts === 0,
  };
  if (isAlready[as]) return { kind: 'unchanged', article };
  const detail = isSending
    ? 'it is being sent just now'
    : `it is ${publishStatus}, and nothing about it is unknown`;
  return { kind: 'refused', article, detail };
}

async function refused(db: Database, id: number, detail: string): Promise<SettleResult> {
  const article = await findRouteArticle(db, id);
  return article ? { kind: 'refused', article, detail } : { kind: 'not_found' };
}
