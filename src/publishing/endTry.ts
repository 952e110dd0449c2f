import type { ComposedPost, Reconciliation } from '../channels/Channel.ts';
import type { Database } from '../database/Database.ts';
import { type AttemptOutcome, recordAttempt } from '../models/attempts.ts';
import type { Destination, HoldTarget } from '../models/channels.ts';
import { type ClaimEnd, type ClaimedRouteArticle, endClaim, freeDuplicateWaits } from '../models/claims.ts';
import { giveBackClaim } from '../models/giveBacks.ts';
import { deletePublication } from '../models/publications.ts';

// What the end of a try is written with, whatever came of it: every write is matched by the claim, and one
// that no longer matches takes back the whole transaction.

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
  /** What was left out of the post or cut, for people; null: nothing. */
  notes: string | null;
};

/** An intent that is on the record. */
export type PassedIntent = { publicationId: number; post: ComposedPost; sendingAt: Date; sendBy: Date };

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

/** Which candidates a hold takes along. */
export function dropsOf({ table }: HoldTarget): 'channel' | 'account' {
  return table === 'accounts' ? 'account' : 'channel';
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

/** The intent that a try must have had to be answered at all. */
export function intentOf({ claimed, intent }: EndedTry): PassedIntent {
  if (intent === null) throw new Error(`route article ${claimed.id} has an answer without an intent`);
  return intent;
}

/** Deletes what was written at the gate, and frees who waits for its link: it did not go out. */
export async function dropIntent(trx: Database, { claimed, intent }: EndedTry): Promise<void> {
  if (intent === null) return;
  if (!(await deletePublication(trx, intent))) throw claimLost(claimed);
  await freeDuplicateWaits(trx, claimed);
}

type EndFields = Pick<ClaimEnd, 'publishStatus' | 'attempts'> &
  Partial<Pick<ClaimEnd, 'nextAttemptAt' | 'nextLookupAt' | 'skipReason' | 'errorCode' | 'error'>>;

/** Ends the claim. Throws `ClaimLostError`. */
export async function endTry(trx: Database, ended: EndedTry, fields: EndFields): Promise<void> {
  const { claimed, intent, now } = ended;
  const isOurs = await endClaim(trx, {
    id: claimed.id,
    claimToken: claimed.claimToken,
    // A repeat that was recovered meanwhile is unknown already, and its count and its wait are decided; and of
    // any other row that was, it is no news that its end is not known.
    passedGate: intent !== null && !claimed.repeats && fields.publishStatus !== 'unknown',
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

/** Writes the try into the history. */
export async function noteTry(trx: Database, ended: EndedTry, fields: NoteFields): Promise<void> {
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

/** The error of a claim that is no longer ours. */
export function claimLost({ id, claimToken }: ClaimedRouteArticle): ClaimLostError {
  return new ClaimLostError(`claim ${claimToken} on route article ${id} was lost`);
}

/** What an alert about an unknown outcome names. */
export function unknownOf({ claimed, destination, now }: EndedTry) {
  const { id: routeArticleId, workspaceId, title } = claimed;
  return { workspaceId, routeArticleId, title, destination, now };
}
