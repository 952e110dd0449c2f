import type { Database } from '../database/Database.ts';
import { endEnrichmentWait } from '../models/enrichment.ts';
import { recordEnrichmentFailure } from '../models/enrichmentClaims.ts';

const maxAttempts = 3;

/** After the first and the second attempt: both shall fit into the time for which a publication waits. */
const backoffMs = [30_000, 120_000] as const;

export type Ending = {
  articleId: number;
  claimToken: string;
  /** This one included. */
  attempts: number;
  error: string;
  /** False: asking again would not help. */
  mayPass: boolean;
};

/**
 * Ends an attempt that brought nothing, in the caller's transaction: it is tried again, or is over for good,
 * and what waits for it is published as it is. Nobody is alerted: nothing is lost.
 */
export async function endEnrichment(
  trx: Database,
  ending: Ending,
  now: Date,
): Promise<'failed' | 'postponed' | 'lost'> {
  const { articleId, claimToken, attempts, error, mayPass } = ending;
  const nextAt = mayPass && attempts < maxAttempts ? nextTryAt(attempts, now) : null;
  if (!(await recordEnrichmentFailure(trx, { articleId, claimToken, error, nextAt }))) return 'lost';
  if (nextAt !== null) return 'postponed';
  await endEnrichmentWait(trx, articleId, now);
  return 'failed';
}

function nextTryAt(attempts: number, now: Date): Date {
  return new Date(now.getTime() + (backoffMs[attempts - 1] ?? backoffMs[1]));
}
