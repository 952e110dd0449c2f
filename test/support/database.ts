import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { type Database, openDatabase } from '../../src/database/Database.ts';
import { withAdmin } from './admin.ts';
import './provided.ts';
import { until } from './until.ts';

/** A test file's own database; ask for `db` and `url` inside hooks and tests only. */
export type TestDatabase = { readonly db: Database; readonly url: string };

/**
 * Gives the test file a clone of the migrated template, emptied before each test, and drops it at the end.
 * A connection that is still open then fails the file: what a test starts, it stops.
 */
export function useDatabase(): TestDatabase {
  const adminUrl = inject('databaseAdminUrl');
  const name = `headway_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  let db: Database | null = null;

  beforeAll(async () => {
    const template = inject('databaseTemplate');
    await withAdmin(adminUrl, admin => admin.query(`create database ${name} template ${template}`));
    db = openDatabase(url.href);
  });

  beforeEach(async () => {
    if (db !== null) await truncateAll(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await withAdmin(adminUrl, async admin => {
      const leftover = async () => {
        const { rows } = await admin.query(
          'select application_name, state, query from pg_stat_activity where datname = $1',
          [name],
        );
        return rows.map(row => `${row.application_name} (${row.state}: ${row.query})`);
      };
      // The server takes a moment to notice that a connection was closed.
      const isDeserted = until(async () => (await leftover()).length === 0, { timeoutMs: 3_000 });
      const connections = await isDeserted.then(() => [], leftover);
      await admin.query(`drop database if exists ${name} with (force)`);
      if (connections.length > 0) {
        throw new Error(`the tests of this file left connections open: ${connections.join('; ')}`);
      }
    });
  });

  return {
    get db() {
      if (db === null) throw new Error('the database of this test file exists only inside hooks and tests');
      return db;
    },
    get url() {
      return url.href;
    },
  };
}

/** Empties every table of the schema but the list of migrations. Ids go on counting: rows of two tests never share one. */
export async function truncateAll(db: Database): Promise<void> {
  const { rows } = await db.raw(
    `select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables
     from pg_tables where schemaname = 'public' and tablename not like 'migrations%'`,
  );
  await db.raw(`truncate ${rows[0].tables} cascade`);
}
