import type { Database } from '../database/Database.ts';
import { createDatabaseHealth, type DatabaseHealth } from '../database/DatabaseHealth.ts';
import type { Logger } from '../logger.ts';
import { recordTicks } from '../models/workspaces.ts';

const flushEveryMs = 1_000;

/**
 * Writes down when each workspace last ticked, for readiness and `no_worker`: all ticks of a second in one
 * statement, so that an idle tick itself writes nothing.
 */
export class TickJournal {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #health: DatabaseHealth;
  #ticks = new Map<number, Date>();
  #timer: NodeJS.Timeout | null = null;

  constructor(db: Database, logger: Logger, health = createDatabaseHealth(logger)) {
    this.#db = db;
    this.#logger = logger;
    this.#health = health;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#flush(), flushEveryMs).unref();
  }

  note(workspaceId: number, at: Date): void {
    this.#ticks.set(workspaceId, at);
  }

  /** Stops, and writes what is left. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const ticks = [...this.#ticks].map(([workspaceId, at]) => ({ workspaceId, at }));
    if (ticks.length === 0) return;
    this.#ticks = new Map();
    try {
      await recordTicks(this.#db, ticks, { isRehearsal: false });
      // Of all that happens where nothing is published only this tells that the database can be written to.
      this.#health.answered({ wrote: true });
    } catch (error) {
      // The next ticks say it again.
      if (!this.#health.failed(error)) this.#logger.debug({ err: error }, 'ticks were not written down');
    }
  }
}
