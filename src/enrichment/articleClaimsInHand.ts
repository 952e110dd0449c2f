import type { Database } from '../database/Database.ts';
import { giveBackArticles } from '../models/enrichmentClaims.ts';

/**
 * The tokens of this process's claims that have not ended. One stands here before its statement runs, so that
 * a claim whose commit was never answered is given back too.
 */
export type ArticleClaimsInHand = Set<string>;

/**
 * Gives back, in one statement, whatever is in hand; an article that another process took over is left alone.
 * Returns how many it gave back. Throws the database's error, and keeps the claims in hand then.
 */
export async function giveBackArticlesInHand(db: Database, claims: ArticleClaimsInHand): Promise<number> {
  const inHand = [...claims];
  if (inHand.length === 0) return 0;
  // Before the statement: a run that meets it in the database must already see whose it was.
  claims.clear();
  try {
    return await giveBackArticles(db, inHand);
  } catch (error) {
    for (const claimToken of inHand) claims.add(claimToken);
    throw error;
  }
}
