import type { LookUpAnswer, Refusal } from '../channels/Channel.ts';
import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import type { Limits } from '../limits.ts';
import { raiseAlert } from '../models/alerts.ts';
import { recordAttempt } from '../models/attempts.ts';
import { freeDuplicateWaits } from '../models/claims.ts';
import { recordPublished } from '../models/recordPublished.ts';
import { deleteUnknown, endUnknown, recordLookUp, type UnknownOutcome } from '../models/unknownOutcomes.ts';
import { hasExhaustedPublishAttempts, waitUntil } from './backoff.ts';
import { holdForRefusal } from './holds.ts';
import { nextLookUpAt, tellUnknown } from './leftToPerson.ts';
import type { PublishingTools } from './publishRouteArticle.ts';

const notArrived = 'not_arrived';
const nothingFound = 'it was searched for, and is not there';

type LookedUp = { unknown: UnknownOutcome; answer: LookUpAnswer; at: Date; now: Date };

/**
 * Records what a search for a lost post found. That it is not there counts only when the request can no
 * longer arrive: it is then settled as not sent, failed, and tried again by its backoff.
 */
export async function recordLookedUp(tools: PublishingTools, looked: LookedUp): Promise<void> {
  const { unknown, answer, now } = looked;
  const { routeArticleId, channelId } = unknown;
  const outcome = await transact(tools.db, trx => record(trx, looked, tools.limits));
  const { info, warn } = outcomes[outcome];
  const fields = { routeArticleId, channelId, lookups: unknown.lookups + 1, answer, at: now };
  if (warn) tools.logger.warn(fields, warn);
  else tools.logger.info(fields, info);
}

type Outcome = 'published' | 'not_sent' | 'unknown' | 'left_to_person' | 'settled';

const outcomes: Readonly<Record<Outcome, { info: string; warn?: string }>> = {
  published: { info: 'article found' },
  not_sent: { info: 'article not found' },
  unknown: { info: 'article still unknown' },
  left_to_person: { info: '', warn: 'article left to a person' },
  settled: { info: 'article was settled meanwhile' },
};

async function record(trx: Database, looked: LookedUp, limits: Limits): Promise<Outcome> {
  const { unknown, answer, now } = looked;
  switch (answer.kind) {
    case 'found':
      return recordFound(trx, unknown, answer, now);
    case 'not_found':
      return isLongPast(unknown, limits, now)
        ? recordNotSent(trx, looked)
        : recordIncomplete(trx, looked, 'not there yet, and its request may still arrive');
    case 'incomplete':
      if (isUnauthorized(answer.refusal)) await holdUnauthorized(trx, looked, answer.refusal);
      return recordIncomplete(trx, looked, answer.detail);
    default:
      return answer satisfies never;
  }
}

type Unauthorized = Extract<Refusal, { kind: 'blocked' }>;

function isUnauthorized(refusal: Refusal | undefined): refusal is Unauthorized {
  return refusal?.kind === 'blocked' && refusal.scope === 'account' && refusal.isGone;
}

// Credentials that are refused for a search are refused for a post, too: people are to hear of it now.
async function holdUnauthorized(
  trx: Database,
  { unknown: { workspaceId, destination }, at, now }: LookedUp,
  refusal: Unauthorized,
): Promise<void> {
  await holdForRefusal(trx, { workspaceId, destination, at, now, tickIntervalMs: 0 }, refusal);
}

/**
 * After which instant a request can no longer arrive, so that its absence is a proof: `send_by`, the time for
 * an answer, and then some are over.
 */
export function provenAt(
  { sendBy }: Pick<UnknownOutcome, 'sendBy'>,
  { sendAnswerMs, settleAfterMs }: Pick<Limits, 'sendAnswerMs' | 'settleAfterMs'>,
): Date {
  return new Date(sendBy.getTime() + sendAnswerMs + settleAfterMs);
}

/** Whether a request can no longer arrive at `now`. */
export function isLongPast(
  unknown: Pick<UnknownOutcome, 'sendBy'>,
  limits: Pick<Limits, 'sendAnswerMs' | 'settleAfterMs'>,
  now: Date,
): boolean {
  return now > provenAt(unknown, limits);
}

/** Records a post that was found on the remote side. */
export async function recordFound(
  trx: Database,
  { publicationId, attempts }: UnknownOutcome,
  { remoteId, remoteUrl }: Extract<LookUpAnswer, { kind: 'found' }>,
  now: Date,
): Promise<'published' | 'settled'> {
  const found = { publicationId, proof: 'look_up', attempts, remoteId, remoteUrl } as const;
  const messages = { channelUpMessage: '', accountUpMessage: '' };
  return (await recordPublished(trx, { ...found, ...messages, durationMs: 0, now }))
    ? 'published'
    : 'settled';
}

async function recordNotSent(trx: Database, { unknown, at, now }: LookedUp): Promise<Outcome> {
  const { publicationId, routeArticleId, workspaceId, channelId, attempts, title, destination } = unknown;
  if (!(await deleteUnknown(trx, publicationId))) return 'settled';
  const isDead = hasExhaustedPublishAttempts(attempts);
  const isEnded = await endUnknown(trx, {
    routeArticleId,
    publishStatus: isDead ? 'dead' : 'failed',
    attempts,
    nextAttemptAt: waitUntil(at, attempts),
    errorCode: notArrived,
    error: nothingFound,
    now,
  });
  if (!isEnded) throw new Error(`route article ${routeArticleId} is not as unknown as its publication`);
  await freeDuplicateWaits(trx, unknown);
  await recordAttempt(trx, {
    workspaceId,
    channelId,
    routeArticleId,
    publicationId,
    attempt: attempts,
    outcome: 'failed',
    code: notArrived,
    detail: nothingFound,
    blamesChannel: false,
    attemptedAt: now,
    durationMs: 0,
  });
  if (isDead) {
    const message = `"${title}" for channel ${destination.name} is dead after ${attempts} attempts: ${nothingFound}`;
    await raiseAlert(trx, { workspaceId, kind: 'article_dead', message, channelId, routeArticleId, now });
  }
  return 'not_sent';
}

async function recordIncomplete(
  trx: Database,
  { unknown, at, now }: LookedUp,
  detail: string,
): Promise<Outcome> {
  const next = nextLookUpAt(at, unknown.lookups + 1);
  const { routeArticleId } = unknown;
  if (!(await recordLookUp(trx, { routeArticleId, next, detail, now }))) return 'settled';
  if (next) return 'unknown';
  await tellUnknown(trx, { ...unknown, now }, detail);
  return 'left_to_person';
}
