import type { Database } from '../database/Database.ts';
import { isDatabaseAway, transact } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { hostsWithClaimedArticles, lockInterruptedArticle } from '../models/enrichmentClaims.ts';
import { endEnrichment } from './endEnrichment.ts';
import { enrichmentUnit, type LockHost } from './enrichmentLock.ts';

const interrupted = 'interrupted (consumer restarted)';

export type RecoverTools = { db: Database; lock: LockHost; logger: Logger };

/**
 * Recovers the articles whose readers died, that of each host under its lock; one that is being read is left to
 * its reader. Returns how many it recovered. Throws when the database is away; what fails otherwise is one
 * host's own, and ended when it is asked the next time.
 */
export async function recoverArticles(
  tools: RecoverTools,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<number> {
  let recovered = 0;
  for (const host of await hostsWithClaimedArticles(tools.db)) {
    if (signal.aborted) break;
    if (await recoverIfFree(tools, host, now)) recovered += 1;
  }
  return recovered;
}

/**
 * Ends what is in flight of a host, in one transaction; false: nothing is. Only for the holder of its lock: to
 * whoever holds that, a claim is orphaned, its own leftover included. The attempt counts: a page that kills
 * its reader cannot do so for ever.
 */
export async function recoverArticle(
  { db, logger }: Pick<RecoverTools, 'db' | 'logger'>,
  host: string,
  now: Date,
): Promise<boolean> {
  const recovered = await transact(db, async trx => {
    const found = await lockInterruptedArticle(trx, host);
    if (found === null) return null;
    const ending = { ...found, error: interrupted, mayPass: true };
    return { articleId: found.articleId, outcome: await endEnrichment(trx, ending, now) };
  });
  if (recovered) logger.warn({ host, ...recovered }, 'enrichment recovered');
  return recovered !== null;
}

async function recoverIfFree(tools: RecoverTools, host: string, now: Date): Promise<boolean> {
  const unit = await tools.lock(enrichmentUnit(host));
  if (unit === null) return false;
  try {
    return await recoverArticle(tools, host, now);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    tools.logger.error({ host, err: error }, 'enrichment could not be recovered');
    return false;
  } finally {
    await unit.release();
  }
}
