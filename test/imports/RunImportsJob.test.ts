import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportClaimsInHand } from '../../src/imports/importClaimsInHand.ts';
import { importsConsumer } from '../../src/imports/importsConsumer.ts';
import { RunImportsJob, type RunImportsOptions } from '../../src/imports/RunImportsJob.ts';
import type { FeedItem } from '../../src/ingestion/FeedItem.ts';
import { IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { nextImportRows, type ReadImportRows } from '../../src/models/importRows.ts';
import { fakeFetch, fakeLocks, rssOf } from '../ingestion/fakeFeeds.ts';
import { createRoute, queued, titlesQueued } from '../ingestion/scene.ts';
import { useDatabase } from '../support/database.ts';
import { alertKinds, createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { recordingLogger } from '../support/recordingLogger.ts';
import { createImport } from './scene.ts';

const database = useDatabase();
const clock = new FakeClock('2026-09-07T12:00:00Z');
const never = new AbortController().signal;

let workspaceId = 0;
let channelId = 0;
let feedId = 0;

beforeEach(async () => {
  workspaceId = await createWorkspace(database.db);
  channelId = await createChannel(database.db, workspaceId);
  feedId = await createFeed(database.db, workspaceId);
  await createRoute(database.db, { workspaceId, feedId, channelId }, { approval: 'manual' });
});

function openJob(options: Partial<RunImportsOptions> = {}) {
  const { logger, lines } = recordingLogger();
  const locks = fakeLocks();
  const job = new RunImportsJob({ db: database.db, lock: locks.lock, logger, ...options });
  const run = async (signal = never) => (await job.handle({}, { clock, signal })).imports;
  return { run, locks, lines };
}

const add = (articles: readonly Partial<FeedItem>[], columns = {}) =>
  createImport(database.db, { workspaceId, feedId, articles }, columns);

const many = (count: number, from = 0): Partial<FeedItem>[] =>
  Array.from({ length: count }, (_, n) => ({
    title: `Title ${from + n}`,
    url: `https://a.test/${from + n}`,
  }));

const importOf = (id: number) => database.db('imports').where({ id }).first();
const articles = () => database.db('articles').orderBy('id');

describe('RunImportsJob', () => {
  it('puts articles in as those of their feed, and routes them as its routes say', async () => {
    const id = await add([
      { title: 'One', url: 'https://a.test/1' },
      { title: 'Two', guid: '2' },
    ]);

    const runs = await openJob().run();

    expect(runs).toEqual([{ workspaceId, importId: id, outcome: 'done', detail: null }]);
    expect(await articles()).toMatchObject([
      { title: 'One', feed_id: feedId, url: 'https://a.test/1' },
      { title: 'Two', feed_id: feedId, url: null },
    ]);
    expect(await queued(database.db)).toMatchObject([
      { title: 'One', channel_id: channelId, approval_status: 'pending' },
      { title: 'Two', channel_id: channelId, approval_status: 'pending' },
    ]);
    expect(await importOf(id)).toMatchObject({
      status: 'done',
      rows_done: 2,
      rows_added: 2,
      queued: 2,
      finished_at: clock.now(),
    });
    expect(await database.db('import_rows')).toEqual([]);
  });

  it('queues by date over the whole of a file, whatever its order, and undated ones in its order', async () => {
    const dated = many(700).map((article, n) => ({
      ...article,
      publishedAt: new Date(Date.UTC(2026, 0, 1, 0, 700 - n)),
    }));
    await add([...dated, { title: 'Undated A' }, { title: 'Undated B' }]);

    await openJob().run();

    const order = await titlesQueued(database.db);
    expect(order.slice(0, 2)).toEqual(['Title 699', 'Title 698']);
    expect(order.slice(-3)).toEqual(['Title 0', 'Undated A', 'Undated B']);
    expect(order).toHaveLength(702);
  });

  it('adds nothing of what was imported before, or comes twice', async () => {
    const { run } = openJob();
    const rows = [
      ...many(3),
      { title: 'Again', url: 'https://A.test/1/?utm_source=x' },
      { title: 'Only a title' },
    ];
    await add(rows);
    const again = await add(rows);

    await run();

    expect(await articles()).toHaveLength(4);
    expect(await queued(database.db)).toHaveLength(4);
    expect(await importOf(again)).toMatchObject({ status: 'done', rows_done: 5, rows_added: 0, queued: 0 });
  });

  it('knows what its feed has brought, and lets the feed know what it brings', async () => {
    const url = 'https://blog.test/feed.xml';
    await database.db('feeds').where({ id: feedId }).update({ url, first_import: '{"mode":"all"}' });
    const items = [
      { title: 'One', link: 'https://a.test/1', guid: '1' },
      { title: 'Three', link: 'https://a.test/3', guid: '3' },
    ];
    const world = fakeFetch(new Map([[url, { body: rssOf(items) }]]));
    const { logger } = recordingLogger();
    const ingest = new IngestFeedsJob({
      db: database.db,
      lock: fakeLocks().lock,
      fetch: world.fetch,
      logger,
    });
    await add([
      { title: 'One', url: 'https://a.test/1' },
      { title: 'Two', guid: '2' },
    ]);

    await openJob().run();
    await ingest.handle({}, { clock, signal: never });
    const id = await add([{ title: 'Three', url: 'https://a.test/3?utm_source=mail' }]);
    await openJob().run();

    expect((await articles()).map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
    expect(await importOf(id)).toMatchObject({ rows_added: 0 });
  });

  it('changes with a baseline nothing of what is known and queued', async () => {
    await add([{ title: 'One', url: 'https://a.test/1' }]);
    await openJob().run();
    await database.db('route_articles').update({ approval_status: 'approved' });
    const before = [...(await queued(database.db)), ...(await articles())];
    const old = [{ title: 'One, as it once was', url: 'https://a.test/1' }];
    const id = await add(old, { options: JSON.stringify({ mode: 'baseline' }) });

    await openJob().run();

    expect(await importOf(id)).toMatchObject({ status: 'done', rows_added: 0 });
    expect([...(await queued(database.db)), ...(await articles())]).toEqual(before);
  });

  it('lets a baseline only be known', async () => {
    await add(many(2), { options: JSON.stringify({ mode: 'baseline' }) });
    await add(many(3));

    await openJob().run();

    expect(await articles()).toHaveLength(3);
    expect(await titlesQueued(database.db)).toEqual(['Title 2']);
  });

  it('shows what is older than the feed allows, and never sends it', async () => {
    await database.db('feeds').where({ id: feedId }).update({ max_age_ms: 86_400_000 });
    const id = await add([{ title: 'Old', publishedAt: new Date('2020-01-01T00:00:00Z') }, { title: 'New' }]);

    await openJob().run();

    expect(await importOf(id)).toMatchObject({ queued: 1, too_old: 1 });
    expect(await queued(database.db)).toMatchObject([
      { title: 'Old', skip_reason: 'too_old' },
      { title: 'New' },
    ]);
  });

  it('reports a row that the database refuses, and puts the others in', async () => {
    const id = await add(many(3));
    // As a stand-in for whatever nobody foresaw.
    await database.db.raw(
      'alter table articles add constraint no_one check (title <> ?)'.replace('?', "'Title 1'"),
    );

    await openJob()
      .run()
      .finally(() => database.db.raw('alter table articles drop constraint no_one'));

    expect((await articles()).map(({ title }) => title)).toEqual(['Title 0', 'Title 2']);
    expect(await importOf(id)).toMatchObject({
      status: 'done',
      rows_done: 3,
      rows_added: 2,
      rows_bad: 1,
      problems: [{ row: 3, reason: expect.stringMatching(/^could not be stored: .*no_one/s) }],
    });
  });

  it('tries again what the database broke off in favour of another transaction', async () => {
    const { db } = database;
    const id = await add(many(2));
    await db.raw('create sequence broken_off');
    await db.raw(`create function break_off() returns trigger language plpgsql as $$ begin
      if nextval('broken_off') <= 2 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
      return new; end $$`);
    await db.raw(
      'create trigger break_off before insert on articles for each row execute function break_off()',
    );

    await openJob()
      .run()
      .finally(() => db.raw('drop function break_off cascade; drop sequence broken_off'));

    expect(await importOf(id)).toMatchObject({ status: 'done', rows_added: 2, rows_bad: 0 });
  });

  it('goes on with what is left, wherever it was broken off', async () => {
    const id = await add(many(1_200));
    let batches = 0;
    const broken: ReadImportRows = async (db, importId, after) => {
      batches += 1;
      if (batches === 2) throw new Error('broken');
      return nextImportRows(db, importId, after);
    };
    const { run } = openJob({ readRows: broken });

    const first = await run();
    const between = await importOf(id);
    const second = await run();

    expect([first[0]?.outcome, second[0]?.outcome]).toEqual(['postponed', 'done']);
    expect(between).toMatchObject({
      status: 'pending',
      rows_done: 500,
      interruptions: 1,
      last_error: 'internal error: broken',
    });
    expect(await articles()).toHaveLength(1_200);
    expect(await importOf(id)).toMatchObject({
      rows_done: 1_200,
      rows_added: 1_200,
      interruptions: 0,
      last_error: null,
    });
  });

  it('gives up after the third interruption in a row, tells once, and keeps the rest for a retry', async () => {
    const id = await add(many(2));
    const { run, lines } = openJob({
      readRows: async () => {
        throw new Error('broken');
      },
    });

    const outcomes = [];
    for (let time = 0; time < 4; time += 1) outcomes.push((await run()).map(({ outcome }) => outcome));

    expect(outcomes).toEqual([['postponed'], ['postponed'], ['failed'], []]);
    expect(await importOf(id)).toMatchObject({
      status: 'failed',
      interruptions: 3,
      finished_at: clock.now(),
    });
    expect(await alertKinds(database.db)).toEqual(['import_failed']);
    expect(await database.db('import_rows')).toHaveLength(2);
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(3);
  });

  it('counts no interruptions that had progress between them', async () => {
    const id = await add(many(2_100));
    const claims: ImportClaimsInHand = new Set();
    const dying = async () => {
      const { logger } = recordingLogger();
      let batches = 0;
      const readRows: ReadImportRows = async (db, importId, after) => {
        batches += 1;
        // As when the database is away: the claim stands, and who comes next finds it orphaned.
        if (batches === 2) throw new Error('Connection terminated unexpectedly');
        return nextImportRows(db, importId, after);
      };
      const job = new RunImportsJob({ db: database.db, lock: fakeLocks().lock, logger, readRows, claims });
      await job.handle({}, { clock, signal: never }).catch(() => null);
    };

    for (let time = 0; time < 5; time += 1) await dying();
    await openJob().run();

    expect(await importOf(id)).toMatchObject({ status: 'done', rows_done: 2_100, rows_added: 2_100 });
    expect(await alertKinds(database.db)).toEqual([]);
  });

  it('stops between two batches, keeps what is in, and gives the rest back', async () => {
    const id = await add(many(1_200));
    const stop = new AbortController();
    const readRows: ReadImportRows = async (db, importId, after) => {
      if (after !== null) stop.abort();
      return nextImportRows(db, importId, after);
    };

    const runs = await openJob({ readRows }).run(stop.signal);

    expect(runs).toMatchObject([{ outcome: 'stopped' }]);
    expect(await importOf(id)).toMatchObject({
      status: 'pending',
      rows_done: 500,
      interruptions: 0,
      last_error: null,
    });
    expect(await articles()).toHaveLength(500);
  });

  it('fails at once, with everything kept, where its feed is no longer in use', async () => {
    const id = await add(many(2));
    await database.db('feeds').where({ id: feedId }).update({ archived_at: clock.now() });

    const runs = await openJob().run();

    expect(runs).toMatchObject([{ outcome: 'failed', detail: 'its feed is no longer in use' }]);
    expect(await importOf(id)).toMatchObject({ status: 'failed', rows_done: 0 });
    expect(await database.db('import_rows')).toHaveLength(2);
    expect(await alertKinds(database.db)).toEqual(['import_failed']);
  });

  it('runs the imports of a workspace one after the other, those of several side by side', async () => {
    const other = await createWorkspace(database.db);
    const otherFeed = await createFeed(database.db, other);
    const [first, second] = [await add(many(1)), await add(many(1, 1))];
    const third = await createImport(database.db, {
      workspaceId: other,
      feedId: otherFeed,
      articles: many(1),
    });
    const events: string[] = [];
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    const readRows: ReadImportRows = async (db, importId, after) => {
      events.push(`begins ${importId}`);
      if (importId === third) release();
      if (importId === first) await held;
      return nextImportRows(db, importId, after);
    };

    await openJob({ readRows }).run();

    expect(events.filter(event => event !== `begins ${third}`)).toEqual([
      `begins ${first}`,
      `begins ${second}`,
    ]);
    expect(events.indexOf(`begins ${third}`)).toBeLessThan(2);
  });

  it('leaves a workspace to whoever has it', async () => {
    const id = await add(many(1));
    const { run, locks } = openJob();
    const lock = await locks.lock(`imports:${workspaceId}`);

    const runs = await run();
    await lock?.release();

    expect(runs).toEqual([{ workspaceId, importId: null, outcome: 'busy', detail: null }]);
    expect(await importOf(id)).toMatchObject({ status: 'pending' });
  });

  it('tells once of a database that is away, and counts it against no import', async () => {
    const id = await add(many(1));
    const readRows: ReadImportRows = async () => {
      throw new Error('Connection terminated unexpectedly');
    };
    const claims: ImportClaimsInHand = new Set();
    const { logger } = recordingLogger();
    const job = new RunImportsJob({ db: database.db, lock: fakeLocks().lock, logger, claims, readRows });
    const consumer = importsConsumer({ db: database.db, lock: fakeLocks().lock, logger, claims });

    await expect(job.handle({}, { clock, signal: never })).rejects.toThrow('Connection terminated');
    const givenBack = await consumer.giveBack(clock.now());

    expect(givenBack).toBe(1);
    expect(await importOf(id)).toMatchObject({ status: 'pending', interruptions: 0, last_error: null });
  });
});
