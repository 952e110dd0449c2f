import fs from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import type { Logger } from '../logger.ts';
import { type Database, withoutLimit } from './Database.ts';

// The same depth from src/ and from dist/.
const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
const oldestServer = 150_000;
const lockName = 'headway migrations';
const lockRetryMs = 200;

/** The database has migrations that this program does not know. */
export class DatabaseNewerError extends Error {
  override name = 'DatabaseNewerError';
}

/**
 * Brings the schema up to date, each file of `migrations/` in a transaction of its own. Of several processes
 * one migrates and the others wait for it: the wait has no limit, since a long migration must not fail the
 * others, but it ends with the migrating process. Needs two connections of the pool. Throws
 * `DatabaseNewerError`, and an `Error` for a server older than PostgreSQL 15 or a migration that failed.
 */
export async function migrate(db: Database, logger: Logger): Promise<{ applied: string[] }> {
  await refuseOldServer(db);
  return withMigrationLock(db, logger, async () => {
    const pending = await pendingMigrations(db);
    for (const name of pending) {
      await db.migrate.up({ ...migratorConfig, name });
      logger.info({ migration: name }, 'migration applied');
    }
    return { applied: pending };
  });
}

/**
 * The names that `migrate` would apply, oldest first; changes nothing. Throws `DatabaseNewerError`.
 */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const known = await knownMigrations();
  const applied = await appliedMigrations(db);
  const unknown = applied.filter(name => !known.includes(name));
  if (unknown.length > 0) throw newer(unknown);
  return known.filter(name => !applied.includes(name));
}

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: knownMigrations,
  getMigrationName: name => name,
  async getMigration(name) {
    const sql = await fs.readFile(`${folder}/${name}`, 'utf8');
    return { up: trx => runFile(trx, sql), down: async () => refuseDown(name) };
  },
};

const migratorConfig: Knex.MigratorConfig = {
  migrationSource,
  tableName: 'migrations',
  // Done by pendingMigrations, in words for the operator.
  disableMigrationsListValidation: true,
};

async function knownMigrations(): Promise<string[]> {
  const files = await fs.readdir(folder);
  return files.filter(file => file.endsWith('.sql')).sort();
}

async function runFile(trx: Knex, sql: string): Promise<void> {
  await trx.raw('set local statement_timeout = 0');
  // Knex takes a question mark for a placeholder, even in a comment.
  await trx.raw(sql.replaceAll('?', '\\?')).options(withoutLimit);
}

function refuseDown(name: string): never {
  throw new Error(`migration ${name} cannot be undone: restore a backup`);
}

async function appliedMigrations(db: Database): Promise<string[]> {
  if (!(await db.schema.hasTable('migrations'))) return [];
  return db('migrations').orderBy('id').pluck('name');
}

async function refuseOldServer(db: Database): Promise<void> {
  const { rows } = await db.raw("select current_setting('server_version_num')::int as number, version()");
  if (rows[0].number >= oldestServer) return;
  throw new Error(`Headway needs PostgreSQL 15 or newer, but the server is ${rows[0].version}: upgrade it`);
}

/**
 * Knex's own lock is a row that a kill can leave behind; a session's lock goes with its connection. Asked for
 * again and again instead of waited for, since a statement that waits runs into the statement timeout.
 */
async function withMigrationLock<Result>(
  db: Database,
  logger: Logger,
  run: () => Promise<Result>,
): Promise<Result> {
  const connection = await db.client.acquireConnection();
  const ask = async (call: string): Promise<boolean> => {
    const { rows } = await db
      .raw(`select ${call}(hashtextextended(:lockName, 0)) as done`, { lockName })
      .connection(connection);
    return rows[0].done;
  };
  try {
    for (let tries = 0; !(await ask('pg_try_advisory_lock')); tries += 1) {
      if (tries === 1) logger.info('another process is migrating the database: waited for');
      await sleep(lockRetryMs);
    }
    try {
      return await run();
    } finally {
      // It fails only with the connection, and the lock is gone with it.
      await ask('pg_advisory_unlock').catch(() => false);
    }
  } finally {
    await db.client.releaseConnection(connection);
  }
}

function newer(unknown: readonly string[]): Error {
  return new DatabaseNewerError(
    `the database was migrated by a newer Headway (unknown here: ${unknown.join(', ')}): ` +
      'run that version or a later one, or restore the backup taken before it',
  );
}
