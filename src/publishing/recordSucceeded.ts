import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Database } from '../database/Database.ts';
import { transact, unlessBrokenOff } from '../database/transact.ts';
import { raiseAlert } from '../models/alerts.ts';
import { isPublished } from '../models/publications.ts';
import { recordLateSuccess } from '../models/recordLateSuccess.ts';
import { type NewPublished, recordPublished } from '../models/recordPublished.ts';
import { claimLost, type EndedTry, intentOf, type Recorded } from './endTry.ts';

export type Succeeded = Extract<PublishOutcome, { kind: 'succeeded' }>;

/**
 * Records that a post went out. Throws `ClaimLostError` when that is on the record already; what is recorded
 * then stays as it is.
 */
export async function recordSucceeded(db: Database, ended: EndedTry, outcome: Succeeded): Promise<Recorded> {
  const { claimed, destination, now, durationMs } = ended;
  const { attempts } = claimed;
  const { remoteId, remoteUrl } = outcome;
  const { publicationId } = intentOf(ended);
  const published: NewPublished = {
    publicationId,
    proof: 'answer',
    attempts,
    remoteId,
    remoteUrl,
    durationMs,
    notes: ended.notes,
    channelUpMessage: `Channel ${destination.name} is back: it took "${claimed.title}".`,
    accountUpMessage: `Account ${destination.accountName} (channel ${destination.name}) works again.`,
    now,
  };
  const isRecorded = await unlessBrokenOff(() => recordPublished(db, published));
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
