import { isDatabaseAway } from '../database/transact.ts';
import { workspacesInFlight } from '../models/claims.ts';
import type { UnitConsumer } from '../unitConsumer.ts';
import { recoverWorkspace } from './endLeftovers.ts';
import type { PublishingTools } from './publishRouteArticle.ts';
import { type LockUnit, publishingUnit } from './workspaceLock.ts';

/** The publishing queue's consumer, beside its ticks: units are workspaces, rows are route articles. */
export function publishingConsumer(tools: PublishingTools & { lock: LockUnit }): UnitConsumer {
  return {
    recover: context => recoverLeftovers(tools, context),
    giveBack: now => tools.claims.giveBack(tools.db, now),
  };
}

async function recoverLeftovers(
  { lock, ...tools }: PublishingTools & { lock: LockUnit },
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<number> {
  let recovered = 0;
  for (const workspaceId of await workspacesInFlight(tools.db)) {
    if (signal.aborted) break;
    const held = await lock(publishingUnit(workspaceId));
    if (!held) continue;
    try {
      recovered += await recoverWorkspace(tools, { workspaceId, at: now, now });
    } catch (error) {
      // One that cannot be recovered does not hold up the others; its ticks will say so again.
      if (isDatabaseAway(error)) throw error;
      tools.logger.error({ workspaceId, err: error }, 'workspace could not be recovered');
    } finally {
      await held.release();
    }
  }
  return recovered;
}
