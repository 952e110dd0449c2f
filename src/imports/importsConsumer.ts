import type { UnitConsumer } from '../unitConsumer.ts';
import { giveBackImportsInHand, type ImportClaimsInHand } from './importClaimsInHand.ts';
import { type RecoverTools, recoverImports } from './recoverImports.ts';

/** What the consumer of imports does beside its work; `claims` are those of the job that does it. */
export function importsConsumer(tools: RecoverTools & { claims: ImportClaimsInHand }): UnitConsumer {
  return {
    recover: context => recoverImports(tools, context),
    giveBack: () => giveBackImportsInHand(tools.db, tools.claims),
  };
}
