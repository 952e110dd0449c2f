import { describe, expect, it } from 'vitest';
import { standingClock } from '../../src/clock.ts';
import type { Database } from '../../src/database/Database.ts';
import { transact } from '../../src/database/transact.ts';
import { makeFeed } from '../../src/imports/makeFeed.ts';
import type { Reading, SourceRow } from '../../src/imports/SourceRow.ts';
import { stageImport } from '../../src/imports/stageImport.ts';
import { lockConfiguration } from '../../src/models/configuration.ts';
import { holdsFeedClaim, lockInterruptedFeed } from '../../src/models/feedClaims.ts';
import { lockFeedOfImport } from '../../src/models/importFeeds.ts';
import { useDatabase } from '../support/database.ts';
import { createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { articleOf } from './scene.ts';

const database = useDatabase();
const claimToken = '00000000-0000-4000-8000-000000000001';
const clock = standingClock(new Date('2026-09-07T12:00:00Z'));

function article(row: number, publishedAt: string | null = null): SourceRow {
  const date = publishedAt === null ? null : new Date(publishedAt);
  return { kind: 'article', row, item: articleOf({ title: `Title ${row}`, publishedAt: date }) };
}

async function* saying(...rows: readonly SourceRow[]): Reading {
  yield* rows;
}

async function stage(reading: Reading, { signal = new AbortController().signal } = {}) {
  const workspaceId = await createWorkspace(database.db);
  const feedId = await createFeed(database.db, workspaceId);
  const values = { workspaceId, kind: 'csv', feedId, source: 'a.csv', options: { mode: 'route' } } as const;
  return stageImport(database.db, reading, async () => values, { clock, signal, onProgress: () => {} });
}

const imports = () => database.db('imports');
const rows = () => database.db('import_rows').orderBy(['sort_at', 'row_number']);

describe('stageImport', () => {
  it('tells the planner how many rows there are', async () => {
    await stage(saying(...Array.from({ length: 700 }, (_, place) => article(place + 2))));

    const [known] = await database.db('pg_class').where({ relname: 'import_rows' }).select('reltuples');
    expect(Number(known?.reltuples)).toBe(700);
  });

  it('keeps what was read for whoever goes on with it, oldest first, and undated ones last', async () => {
    const staged = await stage(
      saying(article(2, '2026-09-02T00:00:00Z'), article(3), article(4, '2026-09-01T00:00:00Z'), {
        kind: 'bad',
        row: 5,
        reason: 'no URL',
      }),
    );

    expect(staged).toMatchObject({ kind: 'staged', total: 4, bad: 1 });
    expect((await rows()).map(row => row.row_number)).toEqual([4, 2, 3]);
    expect(await imports()).toMatchObject([
      {
        status: 'pending',
        rows_total: 4,
        rows_done: 1,
        rows_bad: 1,
        problems: [{ row: 5, reason: 'no URL' }],
        finished_at: null,
      },
    ]);
  });

  it('is done at once where nothing is left to put in', async () => {
    const staged = await stage(saying({ kind: 'bad', row: 2, reason: 'no URL' }));

    expect(staged.kind).toBe('staged');
    expect(await imports()).toMatchObject([
      { status: 'done', rows_total: 1, rows_bad: 1, finished_at: clock.now() },
    ]);
  });

  it('keeps a reason that quotes what no database takes', async () => {
    const staged = await stage(saying(article(1), { kind: 'bad', row: 2, reason: 'a\0.md: cut in \ud83d' }));

    expect(staged.kind).toBe('staged');
    expect(await imports()).toMatchObject([{ problems: [{ row: 2, reason: 'a.md: cut in \ufffd' }] }]);
  });

  it('keeps nothing of a file that cannot be read to its end', async () => {
    const many = Array.from({ length: 500 }, (_, row) => article(row));

    const staged = await stage(saying(...many, { kind: 'unreadable', reason: 'it was cut off' }));

    expect(staged).toEqual({ kind: 'unreadable', reason: 'it was cut off' });
    expect([await imports(), await rows()]).toEqual([[], []]);
  });

  it('keeps nothing when it is told to stop, though the reader says that it is through', async () => {
    const stop = new AbortController();
    const reading = (async function* (): Reading {
      for (let row = 0; row < 500; row += 1) yield article(row);
      stop.abort();
    })();

    const staged = await stage(reading, { signal: stop.signal });

    expect(staged).toEqual({ kind: 'stopped' });
    expect([await imports(), await rows()]).toEqual([[], []]);
  });

  it('keeps nothing where the reader throws', async () => {
    const reading = (async function* (): Reading {
      for (let row = 0; row < 500; row += 1) yield article(row);
      throw new Error('no memory');
    })();

    await expect(stage(reading)).rejects.toThrow('no memory');
    expect([await imports(), await rows()]).toEqual([[], []]);
  });

  it('shows nobody an import of which the file is still being read', async () => {
    let seen: unknown[] = ['not looked at'];
    const reading = (async function* (): Reading {
      for (let row = 0; row < 500; row += 1) yield article(row);
      seen = [...(await imports()), ...(await rows())];
    })();

    await stage(reading);

    expect(seen).toEqual([]);
    expect(await rows()).toHaveLength(500);
  });

  it('lets its feed be read and the configuration be applied while the file is read', async () => {
    const { db } = database;
    const workspaceId = await createWorkspace(db);
    const channel = { id: await createChannel(db, workspaceId), name: 'news' };
    const feedId = await createFeed(db, workspaceId, {
      ingest_status: 'fetching',
      claim_token: claimToken,
      claimed_at: clock.now(),
    });
    const inTime = <Result>(work: (trx: Database) => Promise<Result>) =>
      transact(db, async trx => {
        await trx.raw("set local lock_timeout = '1s'");
        return work(trx);
      });
    const held: unknown[] = [];
    const reading = (async function* (): Reading {
      for (let row = 0; row < 500; row += 1) yield article(row);
      held.push(await inTime(trx => holdsFeedClaim(trx, { feedId, claimToken })));
      held.push((await inTime(trx => lockInterruptedFeed(trx, feedId)))?.id);
      held.push((await inTime(trx => lockFeedOfImport(trx, feedId)))?.id);
      await inTime(trx => lockConfiguration(trx, []));
    })();
    const values = { workspaceId, kind: 'csv', feedId, source: 'a.csv', options: { mode: 'route' } } as const;
    const prepare = async (trx: Database) => {
      const made = { workspaceId, name: 'made', channels: [channel] };
      await makeFeed(trx, made, { actor: 'test', now: clock.now() });
      return values;
    };

    const { signal } = new AbortController();
    const staged = await stageImport(db, reading, prepare, { clock, signal, onProgress: () => {} });

    expect(staged.kind).toBe('staged');
    expect(held).toEqual([true, feedId, feedId]);
  });
});
