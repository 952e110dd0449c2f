import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { isDatabaseAway } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { type ArticleToEnrich, claimArticle, giveBackArticles } from '../models/enrichmentClaims.ts';
import type { ArticleClaimsInHand } from './articleClaimsInHand.ts';
import { askPage, type PageTools } from './askPage.ts';
import type { EnrichmentRun } from './EnrichmentRun.ts';
import { type OnEnriched, recordAnswer, recordFailure } from './recordAnswer.ts';

export type EnrichmentTools = PageTools & {
  db: Database;
  logger: Logger;
  newId: () => string;
  claims: ArticleClaimsInHand;
  onEnriched: OnEnriched;
};

/** What one article came to, and when its host may be asked for the next. */
export type Turn = {
  run: EnrichmentRun;
  /** 0: it was not asked; null: nothing more of it in this run. */
  pauseMs: number | null;
  /** Until when the host wants no more requests; null: it said nothing of it. */
  notBefore: Date | null;
};

type Circumstances = { host: string; clock: Clock; signal: AbortSignal };
type Attempt = EnrichmentTools & Circumstances & { claimToken: string };

const leastPauseMs = 1_000;

/** Claims the oldest article of a host that is due, and reads its page; null: none is. Under the host's lock. */
export async function enrichNext(tools: EnrichmentTools & Circumstances): Promise<Turn | null> {
  const { claims, newId, host, logger } = tools;
  const claimToken = newId();
  claims.add(claimToken);
  try {
    const turn = await enrichClaimed({ ...tools, claimToken });
    // What this process gave back itself while it ran is no news: that is how it stops.
    const isGivenBack = turn?.run.outcome === 'lost' && !claims.has(claimToken);
    claims.delete(claimToken);
    if (turn && isGivenBack) return { ...turn, run: { ...turn.run, outcome: 'stopped', detail: null } };
    if (turn?.run.outcome === 'lost') logger.warn({ host, articleId: turn.run.articleId }, 'claim lost');
    return turn;
  } catch (error) {
    // Without an answer the claim may stand: it stays in hand, to be given back, or recovered by the next run.
    if (!isDatabaseAway(error)) claims.delete(claimToken);
    throw error;
  }
}

async function enrichClaimed(attempt: Attempt): Promise<Turn | null> {
  const { db, host, claimToken, clock, signal } = attempt;
  const found = await claimArticle(db, { host, claimToken, now: clock.now() });
  if (found === null) return null;
  try {
    const answer = await askPage(found.url, attempt, { clock, signal });
    if (answer.kind === 'cut_off') return await giveBack(attempt, found);
    const outcome = await recordAnswer(found, answer, { ...attempt, now: clock.now() });
    const run = ended(attempt, found, outcome, 'detail' in answer ? answer.detail : null);
    if (answer.kind === 'failed') return { run, pauseMs: null, notBefore: answer.notBefore };
    const pauseMs = 'crawlDelayMs' in answer ? Math.max(leastPauseMs, answer.crawlDelayMs) : 0;
    return { run, pauseMs: outcome === 'lost' ? null : pauseMs, notBefore: null };
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    if (signal.aborted) return giveBack(attempt, found);
    return { run: await recordFault(attempt, found, error), pauseMs: leastPauseMs, notBefore: null };
  }
}

async function recordFault(attempt: Attempt, found: ArticleToEnrich, error: unknown): Promise<EnrichmentRun> {
  const { host, clock, logger } = attempt;
  const detail = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  const failure = { error: detail, mayPass: true };
  const outcome = await recordFailure(found, failure, { ...attempt, now: clock.now() });
  if (outcome !== 'lost')
    logger.error({ host, articleId: found.id, err: error }, 'article could not be enriched');
  return ended(attempt, found, outcome, detail);
}

async function giveBack(attempt: Attempt, found: ArticleToEnrich): Promise<Turn> {
  const isGivenBack = (await giveBackArticles(attempt.db, [attempt.claimToken])) > 0;
  const run = ended(attempt, found, isGivenBack ? 'stopped' : 'lost', null);
  return { run, pauseMs: null, notBefore: null };
}

function ended(
  { host }: Circumstances,
  { id: articleId }: ArticleToEnrich,
  outcome: EnrichmentRun['outcome'],
  detail: string | null,
): EnrichmentRun {
  const isLost = outcome === 'lost';
  return {
    host,
    articleId,
    outcome,
    detail: isLost ? 'claim lost: another process took the article over' : detail,
  };
}
