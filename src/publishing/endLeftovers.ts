import type { Clock } from '../clock.ts';
import type { UnknownOutcome } from '../models/unknownOutcomes.ts';
import { lookUpUnknowns } from './lookUpUnknowns.ts';
import type { PublishingTools } from './publishRouteArticle.ts';
import { recoverInFlight } from './recoverInFlight.ts';

export type LeftoversRequest = { workspaceId: number; at: Date; clock: Clock; signal: AbortSignal };

/**
 * Ends what earlier ticks have left in a workspace, for the holder of its lock: what is in flight is
 * orphaned, and what is unknown is found out about. Returns those that can only be sent again.
 */
export async function endLeftovers(
  tools: PublishingTools,
  { workspaceId, at, clock, signal }: LeftoversRequest,
): Promise<UnknownOutcome[]> {
  await recoverWorkspace(tools, { workspaceId, at, now: clock.now() });
  return lookUpUnknowns(tools, { workspaceId, at, clock, signal });
}

/**
 * Recovers what a workspace has in flight, and says so; returns how many rows it ended. What this very process
 * has claimed, and lost the database over, nobody died of: that is given back, no attempt counted.
 */
export async function recoverWorkspace(
  tools: PublishingTools,
  { workspaceId, at, now }: { workspaceId: number; at: Date; now: Date },
): Promise<number> {
  const { db, claims, logger } = tools;
  const givenBack = await claims.giveBack(db, now, workspaceId);
  const recovered = await recoverInFlight(tools, { workspaceId, at, now });
  claims.forget(workspaceId);
  if (givenBack > 0) logger.warn({ workspaceId, givenBack }, 'claims given back');
  for (const { routeArticleId, outcome } of recovered) {
    logger.warn({ workspaceId, routeArticleId, outcome }, 'article recovered');
  }
  return givenBack + recovered.length;
}
