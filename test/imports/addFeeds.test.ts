import { beforeEach, describe, expect, it } from 'vitest';
import { RunImportsJob } from '../../src/imports/RunImportsJob.ts';
import { uniqueName } from '../../src/imports/uniqueName.ts';
import { insertImportRows } from '../../src/models/importRows.ts';
import { insertImport, sealImport } from '../../src/models/imports.ts';
import { fakeLocks } from '../ingestion/fakeFeeds.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed, createWorkspace } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { recordingLogger } from '../support/recordingLogger.ts';

const database = useDatabase();
const clock = new FakeClock('2026-09-07T12:00:00Z');

let workspaceId = 0;

beforeEach(async () => {
  workspaceId = await createWorkspace(database.db);
});

/** Imports feeds as an OPML file lists them, and answers with the import. */
async function importFeeds(feeds: readonly { name: string; url: string }[]) {
  const { db } = database;
  const options = { mode: 'feeds', everyMs: 3_600_000, firstImport: { mode: 'last', count: 3 } } as const;
  const values = { workspaceId, kind: 'opml', feedId: null, source: 'feeds.opml', options } as const;
  const id = await insertImport(db, values, clock.now());
  const rows = feeds.map((record, place) => ({ row: place + 1, sortAt: null, record }));
  await insertImportRows(db, id, rows);
  await sealImport(db, id, { total: rows.length, bad: 0, problems: [] }, clock.now());
  const job = new RunImportsJob({ db, lock: fakeLocks().lock, logger: recordingLogger().logger });
  await job.handle({}, { clock, signal: new AbortController().signal });
  return db('imports').where({ id }).first();
}

const feeds = () => database.db('feeds').where({ workspace_id: workspaceId }).orderBy('id');

describe('an import of feeds', () => {
  it('adds each as the import says, due at once, in the order of the file', async () => {
    const ended = await importFeeds([
      { name: 'Two', url: 'https://b.test/feed' },
      { name: 'One', url: 'https://a.test/feed' },
    ]);

    expect(ended).toMatchObject({ status: 'done', rows_done: 2, rows_added: 2, rows_bad: 0 });
    expect(await feeds()).toMatchObject(
      ['Two', 'One'].map(name => ({
        name,
        every_ms: 3_600_000,
        first_import: { mode: 'last', count: 3 },
        paused: false,
        next_fetch_at: clock.now(),
        first_imported_at: null,
      })),
    );
    expect(await database.db('audit_log')).toMatchObject([
      { actor: 'import', action: 'create', subject_type: 'feed' },
      { actor: 'import', action: 'create', subject_type: 'feed' },
    ]);
  });

  it('touches no feed that is there, whatever its name and however its URL is written', async () => {
    await createFeed(database.db, workspaceId, { name: 'Mine', url: 'https://a.test/feed', paused: true });
    const before = await feeds();

    const ended = await importFeeds([
      { name: 'Theirs', url: 'https://A.test:443/feed/?utm_source=opml' },
      { name: 'Twice', url: 'https://b.test/feed' },
      { name: 'Twice', url: 'https://b.test/feed/' },
    ]);
    const again = await importFeeds([{ name: 'Twice', url: 'https://b.test/feed' }]);

    const after = await feeds();
    expect(after[0]).toEqual(before[0]);
    expect(after.map(({ name }) => name)).toEqual(['Mine', 'Twice']);
    expect([ended.rows_added, again.rows_added]).toEqual([1, 0]);
  });

  it('gives each a name of its own', async () => {
    await createFeed(database.db, workspaceId, { name: 'News' });

    await importFeeds(['a', 'b', 'c'].map(host => ({ name: 'News', url: `https://${host}.test/` })));

    expect((await feeds()).map(({ name }) => name)).toEqual(['News', 'News 2', 'News 3', 'News 4']);
  });

  it('says of an archived one how it comes back, and leaves it archived', async () => {
    await createFeed(database.db, workspaceId, {
      name: 'Old',
      url: 'https://a.test/',
      archived_at: clock.now(),
    });

    const ended = await importFeeds([
      { name: 'Old', url: 'https://a.test/' },
      { name: 'Old', url: 'https://b.test/' },
    ]);

    expect(ended).toMatchObject({ rows_added: 1, rows_bad: 1 });
    expect(ended.problems).toEqual([
      { row: 1, reason: 'the feed "Old" with this URL is archived: name it in config.yaml to bring it back' },
    ]);
    expect((await feeds()).map(({ name }) => name)).toEqual(['Old', 'Old 2']);
  });
});

describe('uniqueName', () => {
  it('keeps within the length that names have', () => {
    const long = 'x'.repeat(300);
    const first = uniqueName(long, new Set());
    const second = uniqueName(long, new Set([first]));

    expect([first.length, second.length]).toEqual([200, 200]);
    expect(second).toMatch(/x 2$/);
  });
});
