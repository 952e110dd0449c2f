import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { endEnrichmentWait } from '../models/enrichment.ts';
import { type ArticleToEnrich, lockClaimedArticle, recordEnriched } from '../models/enrichmentClaims.ts';
import type { PageAnswer } from './askPage.ts';
import type { EnrichmentRun } from './EnrichmentRun.ts';
import { endEnrichment } from './endEnrichment.ts';
import { fillGaps } from './fillGaps.ts';
import type { PageMetadata } from './readPage.ts';

/** Renders anew what is queued of articles that their pages have filled in, in the caller's transaction. */
export type OnEnriched = (db: Database, articleIds: readonly number[], now: Date) => Promise<unknown>;

export type Recording = {
  db: Database;
  onEnriched: OnEnriched;
  claimToken: string;
  now: Date;
};

/**
 * Records what came of an article's page, ends the wait of what is queued of it, and renders that anew where
 * the page filled something in: all of it or nothing, and nothing with a claim that was lost.
 */
export async function recordAnswer(
  found: ArticleToEnrich,
  answer: Exclude<PageAnswer, { kind: 'cut_off' }>,
  recording: Recording,
): Promise<Exclude<EnrichmentRun['outcome'], 'busy' | 'stopped'>> {
  if (answer.kind === 'read') return recordPage(found, answer.page, recording);
  return recordFailure(found, { error: answer.detail, mayPass: answer.kind === 'failed' }, recording);
}

/** Records an attempt that brought nothing. */
export async function recordFailure(
  { id: articleId, attempts }: ArticleToEnrich,
  failure: { error: string; mayPass: boolean },
  { db, claimToken, now }: Omit<Recording, 'onEnriched'>,
): Promise<'failed' | 'postponed' | 'lost'> {
  const ending = { articleId, claimToken, attempts, ...failure };
  return transact(db, trx => endEnrichment(trx, ending, now));
}

async function recordPage(
  { id: articleId }: ArticleToEnrich,
  page: PageMetadata | null,
  { db, onEnriched, claimToken, now }: Recording,
): Promise<'done' | 'lost'> {
  return transact(db, async trx => {
    const article = await lockClaimedArticle(trx, { articleId, claimToken });
    if (article === null) return 'lost';
    const filled = page && fillGaps(article, page);
    await recordEnriched(trx, { articleId, claimToken, ...(filled ?? article) });
    // Before the wait ends: what is free may go out at once.
    if (filled) await onEnriched(trx, [articleId], now);
    await endEnrichmentWait(trx, articleId, now);
    return 'done';
  });
}
