import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import type { DatabaseHealth } from '../database/DatabaseHealth.ts';
import { isDatabaseAway } from '../database/transact.ts';
import type { Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { claimRepeat, claimRouteArticle } from '../models/claims.ts';
import { findRouteArticle } from '../models/routeArticleList.ts';
import type { UnknownOutcome } from '../models/unknownOutcomes.ts';
import type { ArticlePublishingService } from './ArticlePublishingService.ts';
import type { ClaimsInHand } from './ClaimsInHand.ts';
import { ClaimLostError } from './endTry.ts';
import { goOn, stopping, type TryResult, takenOver } from './nextStep.ts';
import { Try } from './Try.ts';

export type PublishingTools = {
  db: Database;
  service: ArticlePublishingService;
  logger: Logger;
  newToken: () => string;
  claims: ClaimsInHand;
  limits: Limits;
  /** Told of a database that is away where a tick deals with that by itself. */
  health: DatabaseHealth;
};

/** The circumstances of one try. */
export type TryRequest = {
  workspaceId: number;
  routeArticleId: number;
  /** What is sent again; null: it is a candidate. */
  repeats: UnknownOutcome | null;
  tickIntervalMs: number;
  at: Date;
  /** Null: a person's publish-now. */
  slotAt: Date | null;
  /** The workspace's newest slot, as it was when the article was chosen. */
  lastSlotAt: Date | null;
  clock: Clock;
  /** Aborted when the process is to stop: what has not passed the gate is given back. */
  signal: AbortSignal;
  /** Aborted when even what has passed the gate can wait no longer: it becomes unknown. */
  cutOff: AbortSignal;
};

/**
 * The action: claim, check, gate, send, record. Everything before the gate can be given back; what
 * follows it is on the record before the first byte leaves.
 */
export async function publishRouteArticle(tools: PublishingTools, request: TryRequest): Promise<TryResult> {
  const { claims, newToken, logger } = tools;
  const { routeArticleId: id, workspaceId } = request;
  const claimToken = newToken();
  claims.take({ id, workspaceId, claimToken });
  let attempt: Try | null = null;
  try {
    const claimed = await claim(tools, request, claimToken);
    if (claimed) {
      claims.confirm(claimed);
      attempt = new Try(tools, request, claimed);
    }
    const result = attempt ? await attempt.run() : { tried: null, next: goOn };
    claims.drop(claimToken);
    return result;
  } catch (error) {
    // Whether the claim stands is not known: it stays in hand, for whoever has this workspace next.
    if (isDatabaseAway(error)) throw error;
    const isOurOwnDoing = error instanceof ClaimLostError && (await claims.wasGivenBack(claimToken));
    claims.drop(claimToken);
    if (!(error instanceof ClaimLostError)) throw error;
    if (isOurOwnDoing) return { tried: null, next: stopping };
    logger.warn({ routeArticleId: id }, 'claim lost');
    return { tried: null, next: (await wasSkipped(tools, id)) ? goOn : takenOver };
  }
}

async function wasSkipped({ db }: PublishingTools, id: number): Promise<boolean> {
  return (await findRouteArticle(db, id))?.skipReason === 'by_person';
}

function claim({ db }: PublishingTools, request: TryRequest, claimToken: string) {
  const { routeArticleId: id, repeats, slotAt, at, lastSlotAt, clock } = request;
  const now = clock.now();
  if (repeats) return claimRepeat(db, { id, claimToken, dueBy: at, lastSlotAt, now });
  return claimRouteArticle(db, { id, claimToken, dueBy: slotAt ? at : null, lastSlotAt, now });
}
