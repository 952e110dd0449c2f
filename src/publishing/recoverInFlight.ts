import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { raiseAlert } from '../models/alerts.ts';
import { recordAttempt } from '../models/attempts.ts';
import { loadDestination } from '../models/channels.ts';
import { endClaim, type InFlight, lockInFlight } from '../models/claims.ts';
import { giveBackClaim } from '../models/giveBacks.ts';
import { findSending, lockSending, markUnknown, recordSlot } from '../models/publications.ts';
import { hasExhaustedPublishAttempts, waitUntil } from './backoff.ts';
import { holdForUnknown } from './holds.ts';
import { firstLookUpAt, tellUnknown } from './leftToPerson.ts';
import type { PublishingTools } from './publishRouteArticle.ts';

const interrupted = 'interrupted (consumer restarted)';

export type Recovered = { routeArticleId: number; outcome: 'failed' | 'dead' | 'unknown' | 'given_back' };

/**
 * Ends what a workspace has in flight, in one transaction. Only for the holder of its lock: to whoever
 * holds that, what is in flight is orphaned, its own leftovers included.
 *
 * Before the gate nothing left: failed, with the attempt counted, since an article that kills its process
 * must not do so for ever. After it something may be out: unknown, the publication as well.
 */
export async function recoverInFlight(
  { db, service }: Pick<PublishingTools, 'db' | 'service'>,
  { workspaceId, at, now }: { workspaceId: number; at: Date; now: Date },
): Promise<Recovered[]> {
  return transact(db, async trx => {
    // Publication before route article, as a late answer locks them: the two may meet.
    await lockSending(trx, workspaceId);
    const orphans = await lockInFlight(trx, workspaceId);
    const recovered: Recovered[] = [];
    for (const orphan of orphans) {
      recovered.push(await recover(trx, { workspaceId, orphan, at, now, service }));
    }
    return recovered;
  });
}

type Recovery = { workspaceId: number; orphan: InFlight; at: Date; now: Date } & Pick<
  PublishingTools,
  'service'
>;

async function recover(trx: Database, recovery: Recovery): Promise<Recovered> {
  const { orphan, now } = recovery;
  const { id, claimToken } = orphan;
  if (orphan.sendingAt) return recoverAsUnknown(trx, recovery);
  if (orphan.claimedFrom !== 'unknown') return recoverAsFailed(trx, recovery);
  await giveBackClaim(trx, { id, claimToken, passedGate: false, waitInstead: null, now });
  return { routeArticleId: id, outcome: 'given_back' };
}

async function recoverAsFailed(trx: Database, recovery: Recovery): Promise<Recovered> {
  const { workspaceId, orphan, at, now } = recovery;
  const { id, attempts, channelId } = orphan;
  const outcome = hasExhaustedPublishAttempts(attempts) ? 'dead' : 'failed';
  await endOrphan(trx, recovery, { publishStatus: outcome, nextAttemptAt: waitUntil(at, attempts) });
  await note(trx, recovery, 'interrupted', null);
  if (outcome === 'dead') {
    const message = `"${orphan.title}" is dead after ${attempts} attempts: ${interrupted}`;
    await raiseAlert(trx, {
      workspaceId,
      kind: 'article_dead',
      message,
      channelId,
      routeArticleId: id,
      now,
    });
  }
  return { routeArticleId: id, outcome };
}

async function recoverAsUnknown(trx: Database, recovery: Recovery): Promise<Recovered> {
  const { workspaceId, orphan, at, now, service } = recovery;
  const { id, channelId, attempts, title } = orphan;
  const publication = await findSending(trx, id);
  if (publication) {
    await markUnknown(trx, publication);
    await recordSlot(trx, workspaceId, publication.slotAt);
  }
  const destination = await loadDestination(trx, channelId);
  const reconciliation = service.reconciliationOf(destination);
  const nextLookupAt = publication && firstLookUpAt(reconciliation, { at, attempts });
  await endOrphan(trx, recovery, { publishStatus: 'unknown', nextLookupAt });
  await note(trx, recovery, 'unknown', publication?.publicationId ?? null);
  if (reconciliation === 'blind') {
    await holdForUnknown(trx, { workspaceId, destination, at, now }, interrupted);
  }
  const unknown = { workspaceId, routeArticleId: id, title, destination, now };
  if (!nextLookupAt) await tellUnknown(trx, unknown, interrupted);
  return { routeArticleId: id, outcome: 'unknown' };
}

async function endOrphan(
  trx: Database,
  { orphan, now }: Recovery,
  end: { publishStatus: 'failed' | 'dead' | 'unknown'; nextAttemptAt?: Date; nextLookupAt?: Date | null },
): Promise<void> {
  const { publishStatus, nextAttemptAt = null, nextLookupAt = null } = end;
  await endClaim(trx, {
    id: orphan.id,
    claimToken: orphan.claimToken,
    passedGate: false,
    publishStatus,
    attempts: orphan.attempts,
    nextAttemptAt,
    nextLookupAt,
    skipReason: null,
    errorCode: 'interrupted',
    error: interrupted,
    now,
  });
}

async function note(
  trx: Database,
  { workspaceId, orphan, now }: Recovery,
  outcome: 'interrupted' | 'unknown',
  publicationId: number | null,
): Promise<void> {
  await recordAttempt(trx, {
    workspaceId,
    channelId: orphan.channelId,
    routeArticleId: orphan.id,
    publicationId,
    attempt: orphan.attempts,
    outcome,
    code: 'interrupted',
    detail: interrupted,
    blamesChannel: false,
    attemptedAt: now,
    durationMs: now.getTime() - orphan.claimedAt.getTime(),
  });
}
