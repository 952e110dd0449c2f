import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { type Database, openDatabase } from './Database.ts';
import { startEmbeddedPostgres } from './embeddedPostgres.ts';
import { reachDatabase } from './reachDatabase.ts';

export type ConnectOptions = {
  /** Null: the embedded PostgreSQL, with its data in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  logger: Logger;
  signal: AbortSignal;
  /** How long an unreachable server is tried. Null: until `signal` is aborted, as servers do. */
  giveUpAfterMs: number | null;
  /** Share the embedded PostgreSQL of a live Headway on the same folder instead of refusing: one-shot commands. */
  attach: boolean;
  limits?: Pick<Limits, 'databaseConnectMs' | 'databaseAnswerMs'>;
  /** Called with each reason why the server was not reached, as it changes. */
  onRefusal?: (reason: string) => void;
};

/** `close` is bounded; it also stops the embedded PostgreSQL that this process started. */
export type ConnectedDatabase = { db: Database; url: string; close(): Promise<void> };

const embeddedName = 'headway';
const closeLimitMs = 1_000;

/**
 * Opens the database, once it can be reached. Throws `DatabaseUnreachableError` after `giveUpAfterMs`, the
 * signal's reason when that is aborted, and what `startEmbeddedPostgres` throws.
 */
export async function connectDatabase(options: ConnectOptions): Promise<ConnectedDatabase> {
  const { databaseUrl, dataDir, logger, attach, limits } = options;
  options.signal.throwIfAborted();
  if (databaseUrl !== null) {
    await reachDatabase({ ...options, url: databaseUrl });
    return opened(databaseUrl, limits, async () => undefined);
  }
  const embedded = await startEmbeddedPostgres({ dataDir, database: embeddedName, logger, attach }).catch(
    cause => {
      throw inFolder(dataDir, cause);
    },
  );
  if (options.signal.aborted) await embedded.stop();
  options.signal.throwIfAborted();
  return opened(embedded.url, limits, embedded.stop);
}

// What the file system refuses says neither which setting chose the place nor what to do.
function inFolder(dataDir: string, cause: unknown): unknown {
  const isFromFileSystem = cause instanceof Error && 'syscall' in cause && 'path' in cause;
  if (!isFromFileSystem) return cause;
  const advice = 'make it whole and writable, or set HEADWAY_DATA_DIR or DATABASE_URL';
  return new Error(`the embedded database in ${dataDir} cannot be used (${cause.message}): ${advice}`, {
    cause,
  });
}

function opened(url: string, limits: ConnectOptions['limits'], stop: () => Promise<void>): ConnectedDatabase {
  const db = openDatabase(url, limits === undefined ? {} : { limits });
  return {
    db,
    url,
    async close() {
      // A pool waits for its connections to come back, and one that hangs never does.
      await Promise.race([db.destroy(), sleep(closeLimitMs, undefined, { ref: false })]);
      await stop();
    },
  };
}
