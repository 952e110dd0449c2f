import type { UnitConsumer } from '../unitConsumer.ts';
import { type FeedClaimsInHand, giveBackClaimsInHand } from './feedClaimsInHand.ts';
import { type RecoverTools, recoverFeeds } from './recoverFeeds.ts';

/** What the consumer of feeds does beside its work; `claims` are those of the job that does it. */
export function ingestionConsumer(tools: RecoverTools & { claims: FeedClaimsInHand }): UnitConsumer {
  return {
    recover: context => recoverFeeds(tools, context),
    giveBack: () => giveBackClaimsInHand(tools.db, tools.claims),
  };
}
