import { describe, expect, it } from 'vitest';
import { standingClock } from '../../src/clock.ts';
import type { Reading, SourceRow } from '../../src/imports/SourceRow.ts';
import { stageImport } from '../../src/imports/stageImport.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed, createWorkspace } from '../support/factories.ts';
import { articleOf } from './scene.ts';

const database = useDatabase();
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
});
