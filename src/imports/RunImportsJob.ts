import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { isDatabaseAway } from '../database/transact.ts';
import type { Logger } from '../logger.ts';
import { workspacesWithImports } from '../models/importClaims.ts';
import { nextImportRows, type ReadImportRows } from '../models/importRows.ts';
import type { ImportRun } from './ImportRun.ts';
import type { ImportClaimsInHand } from './importClaimsInHand.ts';
import type { LockImports } from './importsLock.ts';
import { runImports } from './runImports.ts';

export type RunImportsOptions = {
  db: Database;
  lock: LockImports;
  logger: Logger;
  /** Makes claim tokens and post keys. Default: random uuids. */
  newId?: () => string;
  /** Where the job notes the claims that it has in hand, for those who give them back. Default: its own. */
  claims?: ImportClaimsInHand;
  /** Default: from the table. */
  readRows?: ReadImportRows;
};

const workspacesAtOnce = 4;

/**
 * Puts in what was read of imported files, workspace by workspace, several side by side; within one the oldest
 * import first, batch by batch. Whatever happens to one workspace's, the others go on.
 */
export class RunImportsJob {
  readonly #options: Required<RunImportsOptions>;

  constructor(options: RunImportsOptions) {
    this.#options = { newId: randomUUID, claims: new Set(), readRows: nextImportRows, ...options };
  }

  /** `workspaceId`: only this one's. Throws when the database is away: that is no import's fault. */
  async handle(
    { workspaceId }: { workspaceId?: number },
    { clock, signal }: { clock: Clock; signal: AbortSignal },
  ): Promise<{ imports: ImportRun[] }> {
    const waiting = workspaceId === undefined ? await workspacesWithImports(this.#options.db) : [workspaceId];
    const away = new AbortController();
    const imports: ImportRun[] = [];
    const takeTurns = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (signal.aborted || away.signal.aborted) return;
        imports.push(...(await this.#run(next, { clock, signal }, error => away.abort(error))));
      }
    };
    await Promise.all(Array.from({ length: workspacesAtOnce }, takeTurns));
    away.signal.throwIfAborted();
    return { imports };
  }

  async #run(
    workspaceId: number,
    context: { clock: Clock; signal: AbortSignal },
    isAway: (error: unknown) => void,
  ): Promise<ImportRun[]> {
    const { logger } = this.#options;
    try {
      const runs = await runImports(workspaceId, { ...this.#options, ...context });
      for (const run of runs) if (run.outcome !== 'busy') logger.info({ ...run }, 'import run');
      return runs;
    } catch (error) {
      if (isDatabaseAway(error)) isAway(error);
      else logger.error({ workspaceId, err: error }, 'imports could not be run');
      const detail = error instanceof Error ? error.message : String(error);
      return [{ workspaceId, importId: null, outcome: 'postponed', detail }];
    }
  }
}
