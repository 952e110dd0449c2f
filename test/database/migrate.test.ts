import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/Database.ts';
import { DatabaseNewerError, migrate, pendingMigrations } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/logger.ts';
import { withAdmin } from '../support/admin.ts';
import {
  createArticle,
  createChannel,
  createFeed,
  createRouteArticle,
  createWorkspace,
} from '../support/factories.ts';
import '../support/provided.ts';
import { until } from '../support/until.ts';

const logger = createLogger('silent');
const files = readdirSync('migrations').sort();

let name: string;
let url: URL;
let db: Database;

beforeEach(async () => {
  name = `headway_migrate_${randomBytes(6).toString('hex')}`;
  url = new URL(inject('databaseAdminUrl'));
  await withAdmin(url.href, admin => admin.query(`create database ${name}`));
  url.pathname = `/${name}`;
  db = openDatabase(url.href);
});

afterEach(async () => {
  await db.destroy();
  await withAdmin(inject('databaseAdminUrl'), admin => admin.query(`drop database ${name} with (force)`));
});

describe('migrate', () => {
  it('applies every file once, in the order of names', async () => {
    const first = await migrate(db, logger);
    const second = await migrate(db, logger);

    expect(first.applied).toEqual(files);
    expect(second.applied).toEqual([]);
    expect(await db('workspaces').select()).toEqual([]);
  });

  it('lets one of two processes migrate and the other one find it done', async () => {
    const other = openDatabase(url.href);

    const results = await Promise.all([migrate(db, logger), migrate(other, logger)]);
    await other.destroy();

    expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, files.length]);
  });

  it('goes on after a process that was killed while it migrated', async () => {
    await migrate(db, logger);
    const undone = '016_describe_images.sql';
    await db('migrations').where({ name: undone }).del();
    await db.schema.alterTable('articles', table => table.dropColumn('image_alt'));
    const blocker = await db.transaction();
    await blocker.raw('lock table migrations in access exclusive mode');
    const doomed = openDatabase(url.href);
    const killed = migrate(doomed, logger);
    const outcome = killed.then(
      () => 'done',
      () => 'failed',
    );
    await terminateWaiting(name);
    await blocker.rollback();

    const again = await migrate(db, logger);

    expect(await outcome).toBe('failed');
    expect(again.applied).toEqual([undone]);
    await doomed.destroy();
  });

  it('takes over what an older program queued, and who wrote the texts of it', async () => {
    await migrateTo('016_describe_images.sql');
    const workspaceId = await createWorkspace(db);
    const channelId = await createChannel(db, workspaceId);
    const row = () => createRouteArticle(db, { workspaceId, channelId });
    const [written, other] = [await row(), await row()];
    const subject = { subject_type: 'route_article', subject_id: written, acted_at: new Date() };
    await db('audit_log').insert({ ...subject, workspace_id: workspaceId, actor: 'cli', action: 'edit' });
    await db('audit_log').insert({ ...subject, subject_id: other, actor: 'cli', action: 'approve' });
    await createArticle(db, workspaceId, { enrichment_status: 'done' });
    const feed = { status: 'failing', etag: '"a"', last_complete_at: new Date() };
    await createFeed(db, workspaceId, feed);

    await migrate(db, logger);

    expect(await db('route_articles').orderBy('id').select('id', 'is_edited', 'approval_reason')).toEqual([
      { id: written, is_edited: true, approval_reason: null },
      { id: other, is_edited: false, approval_reason: null },
    ]);
    expect(await db('feeds')).toMatchObject([{ ...feed, ttl_ms: 0, enrich_within_ms: null }]);
  });

  it('refuses a database that a newer program migrated, naming what it does not know', async () => {
    await migrate(db, logger);
    await db('migrations').insert({ name: '999_from_the_future.sql', batch: 99 });

    const refused = migrate(db, logger);

    await expect(refused).rejects.toThrow(DatabaseNewerError);
    await expect(refused).rejects.toThrow(
      /newer Headway \(unknown here: 999_from_the_future.sql\): run that version/,
    );
  });
});

describe('pendingMigrations', () => {
  it('lists everything for an empty database, and changes nothing', async () => {
    const pending = await pendingMigrations(db);

    expect(pending).toEqual(files);
    expect(await db.schema.hasTable('migrations')).toBe(false);
  });

  it('lists what is missing', async () => {
    await migrate(db, logger);
    await db('migrations')
      .where({ name: files.at(-1) })
      .del();

    const pending = await pendingMigrations(db);

    expect(pending).toEqual([files.at(-1)]);
  });
});

/** Leaves the database as a program knew it of which this file was the last. */
async function migrateTo(last: string): Promise<void> {
  const known = files.slice(0, files.indexOf(last) + 1);
  await db.schema.createTable('migrations', table => {
    table.increments();
    table.string('name');
    table.integer('batch');
    table.timestamp('migration_time');
  });
  for (const name of known) {
    await db.raw(readFileSync(`migrations/${name}`, 'utf8').replaceAll('?', '\\?'));
    await db('migrations').insert({ name, batch: 1, migration_time: new Date() });
  }
}

async function terminateWaiting(database: string): Promise<void> {
  await withAdmin(inject('databaseAdminUrl'), admin =>
    until(async () => {
      const { rows } = await admin.query(
        `select pg_terminate_backend(pid) as done from pg_stat_activity
         where datname = $1 and wait_event_type = 'Lock'`,
        [database],
      );
      return rows.length > 0;
    }),
  );
}
