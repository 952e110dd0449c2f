import type { UnitConsumer } from '../unitConsumer.ts';
import { type ArticleClaimsInHand, giveBackArticlesInHand } from './articleClaimsInHand.ts';
import { type RecoverTools, recoverArticles } from './recoverArticles.ts';

/** What the consumer of enrichment does beside its work; `claims` are those of the job that does it. */
export function enrichmentConsumer(tools: RecoverTools & { claims: ArticleClaimsInHand }): UnitConsumer {
  return {
    recover: context => recoverArticles(tools, context),
    giveBack: () => giveBackArticlesInHand(tools.db, tools.claims),
  };
}
