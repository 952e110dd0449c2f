import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { type ClaimedRouteArticle, freeDuplicateWaits } from '../models/claims.ts';
import { giveBackClaim } from '../models/giveBacks.ts';
import { deletePublication, findIntentOfClaim, markUnknown, type Sent } from '../models/publications.ts';

const maxTries = 3;

/**
 * Undoes a gate whose answer was lost with its connection: the claim is read back, and since nothing was sent
 * the row is given back, with its intent if that is on the record. False: the claim is no longer ours.
 *
 * The lost connection's transaction may still be at work. Whichever of the two comes first at the row, the
 * other one sees it: the gate finds no claim, or the give-back finds the gate's stamp and looks again.
 */
export async function undoGate(db: Database, claimed: ClaimedRouteArticle, now: Date): Promise<boolean> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (await transact(db, trx => undoOnce(trx, claimed, now))) return true;
  }
  return false;
}

async function undoOnce(trx: Database, claimed: ClaimedRouteArticle, now: Date): Promise<boolean> {
  const { id, claimToken } = claimed;
  const intent = await findIntentOfClaim(trx, claimed);
  if (intent) await undoIntent(trx, claimed, intent);
  return giveBackClaim(trx, { id, claimToken, passedGate: intent !== null, waitInstead: null, now });
}

async function undoIntent(trx: Database, claimed: ClaimedRouteArticle, intent: Sent): Promise<void> {
  if (claimed.repeats) {
    await markUnknown(trx, intent, { keepsSlot: false });
    return;
  }
  await deletePublication(trx, intent);
  await freeDuplicateWaits(trx, claimed);
}
