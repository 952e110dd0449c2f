import type { Database } from '../database/Database.ts';
import { isDatabaseAway, transact } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { lockInterruptedImport, workspacesWithClaimedImports } from '../models/importClaims.ts';
import { endImport } from './endImport.ts';
import { importsUnit, type LockImports } from './importsLock.ts';

const interrupted = 'interrupted (consumer restarted)';

export type RecoverTools = { db: Database; lock: LockImports; logger: Logger };

/**
 * Recovers the imports whose readers died, those of each workspace under its lock; one that is being read is
 * left to its reader. Returns how many it recovered. Throws when the database is away; what fails otherwise is
 * one workspace's own, and ended when its imports are taken up the next time.
 */
export async function recoverImports(
  tools: RecoverTools,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<number> {
  let recovered = 0;
  for (const workspaceId of await workspacesWithClaimedImports(tools.db)) {
    if (signal.aborted) break;
    if (await recoverIfFree(tools, workspaceId, now)) recovered += 1;
  }
  return recovered;
}

/**
 * Ends what is in flight in a workspace, in one transaction; false: nothing is. Only for the holder of its
 * lock: to whoever holds that, a claim is orphaned, its own leftover included. The rows that are in stay in,
 * and the import is taken up again from there.
 */
export async function recoverImport(
  { db, logger }: Pick<RecoverTools, 'db' | 'logger'>,
  workspaceId: number,
  now: Date,
): Promise<boolean> {
  const recovered = await transact(db, async trx => {
    const found = await lockInterruptedImport(trx, workspaceId);
    if (found === null) return null;
    const ending = { claimToken: found.claimToken, error: interrupted, mayPass: true };
    return { importId: found.id, outcome: await endImport(trx, found, ending, now) };
  });
  if (recovered) logger.warn({ workspaceId, ...recovered }, 'import recovered');
  return recovered !== null;
}

async function recoverIfFree(tools: RecoverTools, workspaceId: number, now: Date): Promise<boolean> {
  const unit = await tools.lock(importsUnit(workspaceId));
  if (unit === null) return false;
  try {
    return await recoverImport(tools, workspaceId, now);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    tools.logger.error({ workspaceId, err: error }, 'import could not be recovered');
    return false;
  } finally {
    await unit.release();
  }
}
