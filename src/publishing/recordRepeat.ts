import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Database } from '../database/Database.ts';
import { markUnknown, recordSlot } from '../models/publications.ts';
import {
  claimLost,
  dropsOf,
  type EndedTry,
  endTry,
  intentOf,
  noteTry,
  type Recorded,
  unknownOf,
} from './endTry.ts';
import { holdForRefusal, tripBreakerIfDue } from './holds.ts';
import { firstLookUpAt, tellUnknown } from './leftToPerson.ts';

type NotSucceeded = Exclude<PublishOutcome, { kind: 'succeeded' }>;

/**
 * Whatever a repeat meets but a success, the first send may be out all the same: the row stays unknown with
 * the post as it was sent. Refused or unanswered counts as its attempt; after the last it is left to a person.
 */
export async function recordRepeat(trx: Database, ended: EndedTry, outcome: NotSucceeded): Promise<Recorded> {
  const { claimed, at } = ended;
  const { workspaceId } = claimed;
  const isUnknown = outcome.kind === 'unknown';
  const isRefused = outcome.kind === 'throttled' || outcome.kind === 'blocked';
  const isCounted = !isRefused && outcome.kind !== 'not_sent';
  const attempts = isCounted ? claimed.attempts : claimed.attempts - 1;
  const code = outcome.kind === 'skipped' ? outcome.reason : outcome.code;
  const { detail } = outcome;
  const settled = await markUnknown(trx, intentOf(ended), { keepsSlot: isUnknown });
  if (!settled) throw claimLost(claimed);

  const request = { workspaceId, ...ended };
  const held = isRefused ? await holdForRefusal(trx, request, outcome) : null;
  const nextLookupAt = nextRepeatAt(outcome, { at, attempts, heldUntil: held?.until ?? null });
  await endTry(trx, ended, {
    publishStatus: 'unknown',
    attempts,
    nextLookupAt,
    errorCode: code,
    error: detail,
  });
  if (isUnknown) await recordSlot(trx, workspaceId, settled.slotAt);
  if (outcome.kind === 'not_sent') return { attempts, nextAttemptAt: nextLookupAt, drops: null };

  const blamesChannel = outcome.kind === 'failed' && outcome.blames === 'channel';
  await noteTry(trx, ended, { outcome: outcome.kind, code, detail, attempt: attempts, blamesChannel });
  if (!nextLookupAt) await tellUnknown(trx, unknownOf(ended), detail);
  if (held) return { attempts, nextAttemptAt: nextLookupAt, drops: dropsOf(held.target) };
  const isTripped = blamesChannel && (await tripBreakerIfDue(trx, request));
  return { attempts, nextAttemptAt: nextLookupAt, drops: isTripped || isUnknown ? 'channel' : null };
}

// What is gone for good is asked no more; an account that needs attention will be, once it is reconnected.
function nextRepeatAt(
  outcome: NotSucceeded,
  { at, attempts, heldUntil }: { at: Date; attempts: number; heldUntil: Date | null },
): Date | null {
  if (outcome.kind === 'not_sent' || needsAttention(outcome)) return at;
  if (outcome.kind === 'throttled' || outcome.kind === 'blocked') return heldUntil;
  return firstLookUpAt('repeat', { at, attempts });
}

function needsAttention(outcome: NotSucceeded): boolean {
  return outcome.kind === 'blocked' && outcome.scope === 'account' && outcome.isGone;
}
