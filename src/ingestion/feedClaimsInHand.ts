import type { Database } from '../database/Database.ts';
import { type FeedClaim, giveBackFeeds } from '../models/feedClaims.ts';

/**
 * The claims of this process that have not ended, the token of each by feed. A claim stands here before its
 * statement runs, so that one whose commit was never answered is given back too.
 */
export type FeedClaimsInHand = Map<number, string>;

/** Whether this claim is still in hand: one that is not was given back, and by this very process. */
export function isInHand(claims: FeedClaimsInHand, { feedId, claimToken }: FeedClaim): boolean {
  return claims.get(feedId) === claimToken;
}

/** Takes a claim out of hand: it ended. */
export function letGo(claims: FeedClaimsInHand, claim: FeedClaim): void {
  if (isInHand(claims, claim)) claims.delete(claim.feedId);
}

/**
 * Gives back, in one statement, whatever is in hand; a feed that another process took over is left alone.
 * Returns how many it gave back. Throws the database's error, and keeps the claims in hand then.
 */
export async function giveBackClaimsInHand(db: Database, claims: FeedClaimsInHand): Promise<number> {
  const inHand = [...claims].map(([feedId, claimToken]) => ({ feedId, claimToken }));
  if (inHand.length === 0) return 0;
  // Before the statement: a run that meets it in the database must already see whose it was.
  claims.clear();
  try {
    return await giveBackFeeds(db, inHand);
  } catch (error) {
    for (const { feedId, claimToken } of inHand) if (!claims.has(feedId)) claims.set(feedId, claimToken);
    throw error;
  }
}
