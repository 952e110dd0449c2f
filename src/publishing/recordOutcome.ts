import type { Post, Reconciliation } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { raiseAlert } from '../models/alerts.ts';
import { type AttemptOutcome, recordAttempt } from '../models/attempts.ts';
import { type Destination, type HoldTarget, markChannelDown } from '../models/channels.ts';
import {
  type ClaimEnd,
  type ClaimedRouteArticle,
  endClaim,
  freeDuplicateWaits,
  giveBackClaim,
} from '../models/claims.ts';
import { deletePublication, isPublished, markUnknown, recordSlot } from '../models/publications.ts';
import { recordLateSuccess } from '../models/recordLateSuccess.ts';
import { recordPublished } from '../models/recordPublished.ts';
import { maxPublishAttempts, type SkipReason } from '../models/routeArticles.ts';
import { hasExhaustedPublishAttempts, waitUntil } from './backoff.ts';
import { holdForRefusal, holdForUnknown, holdWithoutAccount, tripBreakerIfDue } from './holds.ts';
import { firstLookUpAt, tellUnknown } from './leftToPerson.ts';

/** One try that ended, with all that recording its outcome takes. */
export type EndedTry = {
  claimed: ClaimedRouteArticle;
  destination: Destination;
  /** What was written at the gate; null: it ended before that. */
  intent: PassedIntent | null;
  /** How its channel can find out about a lost answer. */
  reconciliation: Reconciliation['kind'];
  tickIntervalMs: number;
  /** The tick's instant: waits and holds count from it. */
  at: Date;
  now: Date;
  durationMs: number;
};

/** An intent that is on the record. */
export type PassedIntent = { publicationId: number; post: Post; sendingAt: Date; sendBy: Date };

/** What the row looks like now, and whom the tick is to leave alone from here on. */
export type Recorded = {
  attempts: number;
  nextAttemptAt: Date | null;
  drops: 'channel' | 'account' | null;
  /** The row is dead by it: its wait is stamped, but only a person's retry brings it back. */
  isDead?: boolean;
};

/** Thrown inside the transaction, so that nothing of it stays: somebody else ended this claim. */
export class ClaimLostError extends Error {
  override name = 'ClaimLostError';
}

/** Records an outcome in one transaction. Throws `ClaimLostError` when the claim is no longer ours. */
export async function recordOutcome(
  db: Database,
  ended: EndedTry,
  outcome: PublishOutcome,
): Promise<Recorded> {
  if (outcome.kind === 'succeeded') return recordSucceeded(db, ended, outcome);
  return transact(db, trx => recordIn(trx, ended, outcome));
}

type Succeeded = Extract<PublishOutcome, { kind: 'succeeded' }>;

async function recordSucceeded(db: Database, ended: EndedTry, outcome: Succeeded): Promise<Recorded> {
  const { claimed, destination, now, durationMs } = ended;
  const { attempts } = claimed;
  const { remoteId, remoteUrl } = outcome;
  const { publicationId } = intentOf(ended);
  const isRecorded = await recordPublished(db, {
    publicationId,
    proof: 'answer',
    attempts,
    remoteId,
    remoteUrl,
    durationMs,
    channelUpMessage: `Channel ${destination.name} is back: it took "${claimed.title}".`,
    accountUpMessage: `The account of channel ${destination.name} works again.`,
    now,
  });
  if (!isRecorded) await recordGoneSuccess(db, ended, outcome);
  return { attempts, nextAttemptAt: null, drops: null };
}

/** Its publication was settled meanwhile: as published, and all is said; or as not sent, and that was wrong. */
async function recordGoneSuccess(db: Database, ended: EndedTry, outcome: Succeeded): Promise<void> {
  const { claimed, destination, at: countedAt, now, durationMs } = ended;
  const { publicationId, ...intent } = intentOf(ended);
  if (await isPublished(db, publicationId)) throw claimLost(claimed);
  const { id: routeArticleId, workspaceId, channelId, urlKey, generation, attempts, title } = claimed;
  const { remoteId, remoteUrl } = outcome;
  await transact(db, async trx => {
    const sent = { routeArticleId, urlKey, generation, attempts, remoteId, remoteUrl, countedAt, durationMs };
    const isInserted = await recordLateSuccess(trx, { ...sent, ...intent, now });
    const end = isInserted
      ? 'it is published now'
      : 'it was sent again meanwhile, so look for a second one there';
    const message = `"${title}" reached channel ${destination.name} after it had been settled as not sent: ${end}.`;
    await raiseAlert(trx, { workspaceId, kind: 'late_success', message, channelId, routeArticleId, now });
  });
}

type NotSucceeded = Exclude<PublishOutcome, Succeeded>;

function recordIn(trx: Database, ended: EndedTry, outcome: NotSucceeded): Promise<Recorded> {
  if (ended.claimed.repeats) return recordRepeat(trx, ended, outcome);
  switch (outcome.kind) {
    case 'skipped':
      return recordSkipped(trx, ended, outcome.reason, outcome.detail);
    case 'failed':
      return recordPublishAttemptFailed(trx, ended, outcome);
    case 'throttled':
    case 'blocked':
      return recordRefused(trx, ended, outcome);
    case 'unknown':
      return recordUnknown(trx, ended, outcome);
    case 'not_sent':
      return giveBack(trx, ended);
    default:
      return outcome satisfies never;
  }
}

/** Terminal: attempts are set to the maximum, and nothing picks the row again. Costs no cap. */
export async function recordSkipped(
  trx: Database,
  ended: EndedTry,
  reason: SkipReason,
  detail: string,
): Promise<Recorded> {
  await dropIntent(trx, ended);
  const attempts = maxPublishAttempts;
  await end(trx, ended, { publishStatus: 'skipped', attempts, skipReason: reason });
  await note(trx, ended, { outcome: 'skipped', code: reason, detail, attempt: attempts });
  return { attempts, nextAttemptAt: null, drops: null };
}

type Failed = Extract<PublishOutcome, { kind: 'failed' }>;

async function recordPublishAttemptFailed(trx: Database, ended: EndedTry, failed: Failed): Promise<Recorded> {
  const { claimed, destination, at } = ended;
  const { attempts } = claimed;
  const { code, detail } = failed;
  const nextAttemptAt = waitUntil(at, attempts);
  const isDead = failed.isFinal || hasExhaustedPublishAttempts(attempts);
  const isWithoutAccount = code === 'no_account';
  const blamesChannel = failed.blames === 'channel' && !isWithoutAccount;
  await dropIntent(trx, ended);
  const publishStatus = isDead ? 'dead' : 'failed';
  await end(trx, ended, { publishStatus, attempts, nextAttemptAt, errorCode: code, error: detail });
  await note(trx, ended, { outcome: 'failed', code, detail, attempt: attempts, blamesChannel });
  const recorded: Recorded = { attempts, nextAttemptAt, drops: null, isDead };

  if (isDead) await tellDead(trx, ended, `${code}: ${detail}`);
  const request = { workspaceId: claimed.workspaceId, ...ended };
  if (isWithoutAccount) {
    await holdWithoutAccount(trx, request, detail);
    return { ...recorded, drops: 'channel' };
  }
  if (!blamesChannel) return recorded;
  const isHeld = await tripBreakerIfDue(trx, request);
  // The death alert names the channel, so its going down needs no second one.
  if (isDead) await markChannelDown(trx, destination.id, ended.now);
  return { ...recorded, drops: isHeld ? 'channel' : null };
}

async function tellDead(trx: Database, { claimed, destination, now }: EndedTry, why: string): Promise<void> {
  const { id: routeArticleId, workspaceId, channelId, title, attempts } = claimed;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message = `"${title}" for channel ${destination.name} is dead after ${tries}: ${why}`;
  await raiseAlert(trx, { workspaceId, kind: 'article_dead', message, channelId, routeArticleId, now });
}

type Refused = Extract<PublishOutcome, { kind: 'throttled' | 'blocked' }>;

// Not the article's fault: given back, no attempt counted, and the scope is held.
async function recordRefused(trx: Database, ended: EndedTry, refused: Refused): Promise<Recorded> {
  const { claimed } = ended;
  const returned = await giveBack(trx, ended);
  const { kind: outcome, code, detail } = refused;
  await note(trx, ended, { outcome, code, detail, attempt: returned.attempts });
  const { target } = await holdForRefusal(trx, { workspaceId: claimed.workspaceId, ...ended }, refused);
  return { ...returned, drops: dropsOf(target) };
}

function dropsOf({ table }: HoldTarget): 'channel' | 'account' {
  return table === 'accounts' ? 'account' : 'channel';
}

type Unknown = Extract<PublishOutcome, { kind: 'unknown' }>;

// Something may be out: the publication stays, and counts, until it is found out or told by a person.
async function recordUnknown(trx: Database, ended: EndedTry, unknown: Unknown): Promise<Recorded> {
  const { claimed, at, reconciliation } = ended;
  const { attempts, workspaceId } = claimed;
  const { code, detail } = unknown;
  const settled = await markUnknown(trx, intentOf(ended).publicationId);
  if (!settled) throw claimLost(claimed);
  const nextLookupAt = firstLookUpAt(reconciliation, { at, attempts });
  await end(trx, ended, {
    publishStatus: 'unknown',
    attempts,
    nextLookupAt,
    errorCode: code,
    error: detail,
  });
  await recordSlot(trx, workspaceId, settled.slotAt);
  await note(trx, ended, { outcome: 'unknown', code, detail, attempt: attempts });
  if (reconciliation === 'blind') await holdForUnknown(trx, { workspaceId, ...ended }, detail);
  if (!nextLookupAt) await tellUnknown(trx, toldUnknown(ended), detail);
  return { attempts, nextAttemptAt: null, drops: 'channel' };
}

/**
 * Whatever a repeat meets but a success, the first send may be out all the same: the row stays unknown with
 * the post as it was sent. Refused or unanswered counts as its attempt; after the last it is left to a person.
 */
async function recordRepeat(trx: Database, ended: EndedTry, outcome: NotSucceeded): Promise<Recorded> {
  const { claimed, at } = ended;
  const { workspaceId } = claimed;
  const isUnknown = outcome.kind === 'unknown';
  const isRefused = outcome.kind === 'throttled' || outcome.kind === 'blocked';
  const isCounted = !isRefused && outcome.kind !== 'not_sent';
  const attempts = isCounted ? claimed.attempts : claimed.attempts - 1;
  const code = outcome.kind === 'skipped' ? outcome.reason : outcome.code;
  const { detail } = outcome;
  const settled = await markUnknown(trx, intentOf(ended).publicationId, { keepsSlot: isUnknown });
  if (!settled) throw claimLost(claimed);

  const request = { workspaceId, ...ended };
  const held = isRefused ? await holdForRefusal(trx, request, outcome) : null;
  const nextLookupAt = nextRepeatAt(outcome, { at, attempts, heldUntil: held?.until ?? null });
  await end(trx, ended, { publishStatus: 'unknown', attempts, nextLookupAt, errorCode: code, error: detail });
  if (isUnknown) await recordSlot(trx, workspaceId, settled.slotAt);
  if (outcome.kind === 'not_sent') return { attempts, nextAttemptAt: nextLookupAt, drops: null };

  const blamesChannel = outcome.kind === 'failed' && outcome.blames === 'channel';
  await note(trx, ended, { outcome: outcome.kind, code, detail, attempt: attempts, blamesChannel });
  if (!nextLookupAt) await tellUnknown(trx, toldUnknown(ended), detail);
  if (held) return { attempts, nextAttemptAt: nextLookupAt, drops: dropsOf(held.target) };
  const isTripped = blamesChannel && (await tripBreakerIfDue(trx, request));
  return { attempts, nextAttemptAt: nextLookupAt, drops: isTripped || isUnknown ? 'channel' : null };
}

// What is gone for good is asked no more.
function nextRepeatAt(
  outcome: NotSucceeded,
  { at, attempts, heldUntil }: { at: Date; attempts: number; heldUntil: Date | null },
): Date | null {
  if (outcome.kind === 'not_sent') return at;
  if (outcome.kind === 'throttled' || outcome.kind === 'blocked') return heldUntil;
  return firstLookUpAt('repeat', { at, attempts });
}

function toldUnknown({ claimed, destination, now }: EndedTry) {
  const { id: routeArticleId, workspaceId, title } = claimed;
  return { workspaceId, routeArticleId, title, destination, now };
}

/** Gives the row back as if it had not been claimed; nothing was sent, so its intent goes as well. */
export async function giveBack(
  trx: Database,
  ended: EndedTry,
  waitInstead: { nextAttemptAt: Date; code: string; detail: string } | null = null,
): Promise<Recorded> {
  const { claimed, intent, now } = ended;
  await dropIntent(trx, ended);
  const { id, claimToken } = claimed;
  const passedGate = intent !== null;
  const isOurs = await giveBackClaim(trx, { id, claimToken, passedGate, waitInstead, now });
  if (!isOurs) throw claimLost(claimed);
  const nextAttemptAt = waitInstead?.nextAttemptAt ?? null;
  return { attempts: claimed.attempts - 1, nextAttemptAt, drops: null };
}

function intentOf({ claimed, intent }: EndedTry): PassedIntent {
  if (intent === null) throw new Error(`route article ${claimed.id} has an answer without an intent`);
  return intent;
}

async function dropIntent(trx: Database, { claimed, intent }: EndedTry): Promise<void> {
  if (intent === null) return;
  if (!(await deletePublication(trx, intent.publicationId))) throw claimLost(claimed);
  await freeDuplicateWaits(trx, claimed);
}

type EndFields = Pick<ClaimEnd, 'publishStatus' | 'attempts'> &
  Partial<Pick<ClaimEnd, 'nextAttemptAt' | 'nextLookupAt' | 'skipReason' | 'errorCode' | 'error'>>;

async function end(trx: Database, ended: EndedTry, fields: EndFields): Promise<void> {
  const { claimed, intent, now } = ended;
  const isOurs = await endClaim(trx, {
    id: claimed.id,
    claimToken: claimed.claimToken,
    passedGate: intent !== null,
    nextAttemptAt: null,
    nextLookupAt: null,
    skipReason: null,
    errorCode: null,
    error: null,
    now,
    ...fields,
  });
  if (!isOurs) throw claimLost(claimed);
}

type NoteFields = {
  outcome: AttemptOutcome;
  attempt: number;
  code?: string;
  detail?: string;
  blamesChannel?: boolean;
};

async function note(trx: Database, ended: EndedTry, fields: NoteFields): Promise<void> {
  const { claimed, intent, now, durationMs } = ended;
  const { outcome, attempt, code = null, detail = null, blamesChannel = false } = fields;
  const { workspaceId, channelId, id: routeArticleId } = claimed;
  const who = { workspaceId, channelId, routeArticleId, publicationId: intent?.publicationId ?? null };
  await recordAttempt(trx, {
    ...who,
    attempt,
    outcome,
    code,
    detail,
    blamesChannel,
    attemptedAt: now,
    durationMs,
  });
}

function claimLost({ id, claimToken }: ClaimedRouteArticle): ClaimLostError {
  return new ClaimLostError(`claim ${claimToken} on route article ${id} was lost`);
}
