import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '../../src/database/Database.ts';
import { startEmbeddedPostgres } from '../../src/database/embeddedPostgres.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/logger.ts';

export type BenchServer = {
  /** A migrated database of its own. The name is a suffix; `maxConnections` is its pool's. */
  createDatabase(name: string, options?: { maxConnections?: number }): Promise<{ db: Database; url: string }>;
  /** Drops the databases, stops the server that was started, removes its folder. */
  stop(): Promise<void>;
};

const logger = createLogger('error');
const mib = 1024 * 1024;
const mostSharedBuffersMib = 4_096;

/**
 * Starts a PostgreSQL in a scratch folder with the settings that the product runs with, fsync included;
 * only memory and the room for WAL are raised, so that loading millions of rows leaves no checkpoint to be
 * measured with. `BENCH_DATABASE_URL` names another server instead, by a superuser's URL.
 */
export async function startBenchServer(): Promise<BenchServer> {
  const cleanUps: (() => unknown)[] = [];
  let stopping: Promise<void> | null = null;
  // Called by a signal and, as what it ends fails, by the main flow too: both wait for the one clean-up.
  const stop = () => {
    stopping ??= runAll(cleanUps);
    return stopping;
  };
  stopOnSignals(stop);
  try {
    const serverUrl = process.env.BENCH_DATABASE_URL || (await startScratchServer(cleanUps));
    const admin = openDatabase(serverUrl, { maxConnections: 1 });
    cleanUps.push(() => admin.destroy());
    return {
      async createDatabase(name, pool = {}) {
        const database = `headway_bench_${process.pid}_${name}`;
        await admin.raw(`create database ${database}`);
        const url = urlOf(serverUrl, database);
        const db = openDatabase(url, pool);
        cleanUps.push(() => db.destroy());
        // Before its pool is closed, which waits for whatever statement runs.
        cleanUps.push(() => admin.raw(`drop database if exists ${database} with (force)`));
        await migrateDatabase(url);
        return { db, url };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startScratchServer(cleanUps: (() => unknown)[]): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-bench-'));
  cleanUps.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  fs.chmodSync(folder, 0o755);
  const sharedBuffersMib = Math.min(mostSharedBuffersMib, Math.floor(os.totalmem() / mib / 4));
  const serverSettings = {
    shared_buffers: `${sharedBuffersMib}MB`,
    max_wal_size: '16GB',
    checkpoint_timeout: '1h',
  };
  const starting = startEmbeddedPostgres({ dataDir: folder, database: 'bench', logger, serverSettings });
  // A signal may come while it starts: what is not there yet cannot be stopped, and would write on.
  cleanUps.push(() =>
    starting.then(
      server => server.stop(),
      () => undefined,
    ),
  );
  return (await starting).url;
}

/** The last one first. */
async function runAll(cleanUps: readonly (() => unknown)[]): Promise<void> {
  for (const cleanUp of [...cleanUps].reverse()) await cleanUp();
}

// Migrating takes two connections, which the pool that is measured may not have.
async function migrateDatabase(url: string): Promise<void> {
  const db = openDatabase(url);
  try {
    await migrate(db, logger);
  } finally {
    await db.destroy();
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

function stopOnSignals(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      const exit = () => process.exit(1);
      stop().then(exit, exit);
    });
  }
}
