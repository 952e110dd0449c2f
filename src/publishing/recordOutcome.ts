import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { raiseAlert } from '../models/alerts.ts';
import { isOwnSearchFailing } from '../models/attempts.ts';
import { markChannelDown } from '../models/channels.ts';
import { markUnknown, recordSlot } from '../models/publications.ts';
import { maxPublishAttempts, type SkipReason } from '../models/routeArticles.ts';
import { hasExhaustedPublishAttempts, waitUntil } from './backoff.ts';
import {
  claimLost,
  dropIntent,
  dropsOf,
  type EndedTry,
  endTry,
  giveBack,
  intentOf,
  noteTry,
  type Recorded,
  unknownOf,
} from './endTry.ts';
import { holdForRefusal, holdForUnknown, holdWithoutAccount, tripBreakerIfDue } from './holds.ts';
import { firstLookUpAt, tellUnknown } from './leftToPerson.ts';
import { recordRepeat } from './recordRepeat.ts';
import { recordSucceeded } from './recordSucceeded.ts';

/** Records an outcome in one transaction. Throws `ClaimLostError` when the claim is no longer ours. */
export async function recordOutcome(
  db: Database,
  ended: EndedTry,
  outcome: PublishOutcome,
): Promise<Recorded> {
  if (outcome.kind === 'succeeded') return recordSucceeded(db, ended, outcome);
  return transact(db, trx => recordIn(trx, ended, outcome));
}

type NotSucceeded = Exclude<PublishOutcome, { kind: 'succeeded' }>;

function recordIn(trx: Database, ended: EndedTry, outcome: NotSucceeded): Promise<Recorded> {
  if (ended.claimed.repeats) {
    return ended.intent ? recordRepeat(trx, ended, outcome) : recordNotRepeated(trx, ended, outcome);
  }
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
  await endTry(trx, ended, { publishStatus: 'skipped', attempts, skipReason: reason });
  await noteTry(trx, ended, { outcome: 'skipped', code: reason, detail, attempt: attempts });
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
  await endTry(trx, ended, { publishStatus, attempts, nextAttemptAt, errorCode: code, error: detail });
  await noteTry(trx, ended, { outcome: 'failed', code, detail, attempt: attempts, blamesChannel });
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
  const { claimed, tickIntervalMs } = ended;
  const { kind: outcome, code, detail } = refused;
  const isSearch = code === 'lookup_failed';
  if (isSearch && (await isOwnSearchFailing(trx, claimed.id))) return recordSearchFailed(trx, ended, detail);
  const request = { workspaceId: claimed.workspaceId, ...ended };
  const { target, until } = await holdForRefusal(trx, request, refused);
  // Whether it is the channel or the search for this very article, the next one in turn will show.
  const nextAttemptAt = isSearch && until ? new Date(until.getTime() + tickIntervalMs) : null;
  const returned = await giveBack(trx, ended, nextAttemptAt && { nextAttemptAt, code, detail });
  await noteTry(trx, ended, { outcome, code, detail, attempt: returned.attempts });
  return { ...returned, drops: dropsOf(target) };
}

// Others have gone out in its channel since, so it is not the channel: a link that the remote side cannot search
// for, say. It must not hold the channel for ever.
function recordSearchFailed(trx: Database, ended: EndedTry, detail: string): Promise<Recorded> {
  const failed = { kind: 'failed', code: 'lookup_failed', isFinal: false, blames: 'article' } as const;
  return recordPublishAttemptFailed(trx, ended, { ...failed, detail });
}

// It has not come to the gate, so nothing is new about the first send; what stands in the way is held.
function recordNotRepeated(trx: Database, ended: EndedTry, outcome: NotSucceeded): Promise<Recorded> {
  switch (outcome.kind) {
    case 'throttled':
    case 'blocked':
      return recordRefused(trx, ended, outcome);
    case 'failed': {
      const { code, detail } = outcome;
      return recordRefused(trx, ended, { kind: 'blocked', scope: 'channel', code, detail, isGone: false });
    }
    default:
      return giveBack(trx, ended);
  }
}

type Unknown = Extract<PublishOutcome, { kind: 'unknown' }>;

// Something may be out: the publication stays, and counts, until it is found out or told by a person.
async function recordUnknown(trx: Database, ended: EndedTry, unknown: Unknown): Promise<Recorded> {
  const { claimed, at, reconciliation } = ended;
  const { attempts, workspaceId } = claimed;
  const { code, detail } = unknown;
  const settled = await markUnknown(trx, intentOf(ended));
  if (!settled) throw claimLost(claimed);
  const nextLookupAt = firstLookUpAt(reconciliation, { at, attempts });
  await endTry(trx, ended, {
    publishStatus: 'unknown',
    attempts,
    nextLookupAt,
    errorCode: code,
    error: detail,
  });
  await recordSlot(trx, workspaceId, settled.slotAt);
  await noteTry(trx, ended, { outcome: 'unknown', code, detail, attempt: attempts });
  if (reconciliation === 'blind') await holdForUnknown(trx, { workspaceId, ...ended }, detail);
  if (!nextLookupAt) await tellUnknown(trx, unknownOf(ended), detail);
  return { attempts, nextAttemptAt: null, drops: 'channel' };
}
