import { describe, expect, it } from 'vitest';
import { readThrough } from '../../src/imports/readThrough.ts';
import type { Reading, SourceRow } from '../../src/imports/SourceRow.ts';
import { articleOf } from './scene.ts';

const article = (row: number): SourceRow => ({
  kind: 'article',
  row,
  item: articleOf({ title: `Title ${row}` }),
});

async function* saying(...rows: readonly SourceRow[]): Reading {
  yield* rows;
}

async function read(reading: Reading, signal = new AbortController().signal) {
  const rows: number[] = [];
  const result = await readThrough(reading, { signal, onRow: ({ row }) => void rows.push(row) });
  return { result, rows };
}

/** Says one article, is then told to stop, and ends in its own way. */
async function cutOff(end: () => SourceRow | null) {
  const stop = new AbortController();
  const reading = (async function* (): Reading {
    yield article(1);
    stop.abort();
    const last = end();
    if (last !== null) yield last;
  })();
  return (await read(reading, stop.signal)).result;
}

describe('readThrough', () => {
  it('counts what a reader says, and hands on the good rows', async () => {
    const { result, rows } = await read(
      saying(
        article(2),
        { kind: 'bad', row: 3, reason: 'no URL' },
        { kind: 'left_out', what: 'drafts' },
        { kind: 'left_out', what: 'drafts' },
        { kind: 'note', text: 'dates read in UTC' },
        article(4),
      ),
    );

    expect(rows).toEqual([2, 4]);
    expect(result).toEqual({
      kind: 'read',
      total: 3,
      bad: 1,
      problems: [{ row: 3, reason: 'no URL' }],
      leftOut: { drafts: 2 },
      notes: ['dates read in UTC'],
    });
  });

  it('keeps the first of many problems, and counts all', async () => {
    const bad = Array.from({ length: 500 }, (_, row): SourceRow => ({ kind: 'bad', row, reason: 'no' }));

    const { result } = await read(saying(...bad));

    expect(result).toMatchObject({ total: 500, bad: 500 });
    expect(result.kind === 'read' && result.problems.length).toBe(200);
  });

  it('counts under few names, however many there are', async () => {
    const many = Array.from({ length: 100 }, (_, n): SourceRow => ({ kind: 'left_out', what: `type ${n}` }));

    const { result } = await read(saying(...many));

    expect(result.kind === 'read' && Object.keys(result.leftOut)).toHaveLength(21);
    expect(result).toMatchObject({ leftOut: { others: 80 } });
  });

  it('believes that a file cannot be read', async () => {
    const { result } = await read(saying(article(1), { kind: 'unreadable', reason: 'it was cut off' }));

    expect(result).toEqual({ kind: 'unreadable', reason: 'it was cut off' });
  });

  it.each<[string, () => SourceRow | null]>([
    ['the end of the file', () => null],
    ['that the file is damaged', () => ({ kind: 'unreadable', reason: 'it was cut off' })],
    ['a row that is bad', () => ({ kind: 'bad', row: 2, reason: 'half of it is missing' })],
    ['half of an article', () => article(2)],
    [
      'an exception',
      () => {
        throw new Error('aborted');
      },
    ],
  ])('believes nothing of a reader that was cut off: %s', async (_, end) => {
    expect(await cutOff(end)).toEqual({ kind: 'stopped' });
  });

  it('throws what is not the fault of the file', async () => {
    const reading = (async function* (): Reading {
      yield article(1);
      throw new Error('no memory');
    })();

    await expect(read(reading)).rejects.toThrow('no memory');
  });
});
