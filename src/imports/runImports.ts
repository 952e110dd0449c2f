import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { isDatabaseAway, transact } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { claimImport, giveBackImports, type Import, lockInterruptedImport } from '../models/importClaims.ts';
import type { ReadImportRows } from '../models/importRows.ts';
import { endImport } from './endImport.ts';
import type { ImportRun } from './ImportRun.ts';
import type { ImportClaimsInHand } from './importClaimsInHand.ts';
import { importsUnit, type LockImports } from './importsLock.ts';
import { putRowsIn } from './putRowsIn.ts';
import { recoverImport } from './recoverImports.ts';

export type ImportTools = {
  db: Database;
  lock: LockImports;
  logger: Logger;
  newId: () => string;
  claims: ImportClaimsInHand;
  readRows: ReadImportRows;
};

type Circumstances = { workspaceId: number; clock: Clock; signal: AbortSignal };
type Run = ImportTools & Circumstances & { claimToken: string };

/**
 * Runs the imports of a workspace that wait, oldest first, under the workspace's lock. The rows of each are
 * taken out of their table in the very transactions that put them in: killed at any point, what is left there
 * is what is left to do.
 */
export async function runImports(
  workspaceId: number,
  options: ImportTools & Omit<Circumstances, 'workspaceId'>,
): Promise<ImportRun[]> {
  const { lock, clock, newId } = options;
  const unit = await lock(importsUnit(workspaceId));
  if (unit === null) return [{ workspaceId, importId: null, outcome: 'busy', detail: null }];
  try {
    const signal = AbortSignal.any([options.signal, unit.signal]);
    const runs: ImportRun[] = [];
    if (!signal.aborted) await recoverImport(options, workspaceId, clock.now());
    while (!signal.aborted) {
      const run = await claimAndRun({ ...options, workspaceId, signal, claimToken: newId() });
      if (run === null) break;
      runs.push(run);
      // One that is to be taken up again waits for the next tick.
      if (run.outcome !== 'done' && run.outcome !== 'failed') break;
    }
    return runs;
  } finally {
    await unit.release();
  }
}

async function claimAndRun(run: Run): Promise<ImportRun | null> {
  const { claims, claimToken, workspaceId, logger } = run;
  claims.add(claimToken);
  try {
    const ended = await runClaimed(run);
    // What this process gave back itself while it ran is no news: that is how it stops.
    const isGivenBack = ended?.outcome === 'lost' && !claims.has(claimToken);
    claims.delete(claimToken);
    if (ended && isGivenBack) return { ...ended, outcome: 'stopped', detail: null };
    if (ended?.outcome === 'lost') logger.warn({ workspaceId, importId: ended.importId }, 'claim lost');
    return ended;
  } catch (error) {
    // Without an answer the claim may stand: it stays in hand, to be given back, or recovered by the next run.
    if (!isDatabaseAway(error)) claims.delete(claimToken);
    throw error;
  }
}

async function runClaimed(run: Run): Promise<ImportRun | null> {
  const { db, workspaceId, claimToken, clock, signal, logger } = run;
  const found = await claimImport(db, { workspaceId, claimToken, now: clock.now() });
  if (found === null) return null;
  const ended = (outcome: ImportRun['outcome'], detail: string | null): ImportRun => ({
    workspaceId,
    importId: found.id,
    outcome,
    detail,
  });
  try {
    const put = await putRowsIn({ ...run, found });
    if (put.kind === 'done') return ended('done', null);
    if (put.kind === 'lost') return lost(found);
    if (put.kind === 'stopped') return await giveBack(run, found);
    return ended(await end(run, { error: put.detail, mayPass: false }), put.detail);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    if (signal.aborted) return giveBack(run, found);
    const detail = error instanceof Error ? error.message : String(error);
    const outcome = await end(run, { error: `internal error: ${detail}`, mayPass: true });
    if (outcome !== 'lost')
      logger.error({ workspaceId, importId: found.id, err: error }, 'import interrupted');
    return ended(outcome, detail);
  }
}

async function end(
  { db, workspaceId, claimToken, clock }: Run,
  ending: { error: string; mayPass: boolean },
): Promise<'failed' | 'postponed' | 'lost'> {
  const ended = await transact(db, async trx => {
    // As it stands now: rows that were put in since the claim end a row of interruptions.
    const found = await lockInterruptedImport(trx, workspaceId);
    if (found?.claimToken !== claimToken) return null;
    return endImport(trx, found, { claimToken, ...ending }, clock.now());
  });
  return ended ?? 'lost';
}

async function giveBack({ db, claimToken, workspaceId }: Run, found: Import): Promise<ImportRun> {
  const isGivenBack = (await giveBackImports(db, [claimToken])) > 0;
  return isGivenBack ? { workspaceId, importId: found.id, outcome: 'stopped', detail: null } : lost(found);
}

function lost({ id, workspaceId }: Import): ImportRun {
  return {
    workspaceId,
    importId: id,
    outcome: 'lost',
    detail: 'claim lost: another process took the import over',
  };
}
