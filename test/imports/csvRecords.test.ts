import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRecords } from '../../src/imports/csvRecords.ts';

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

async function rowsOf(text: string, { delimiter = ',', length = 65_536 } = {}) {
  const rows: unknown[] = [];
  for await (const row of csvRecords(inPieces(text, length), { delimiter, firstRow: 1 })) {
    rows.push(row.kind === 'cells' ? [row.row, ...row.cells] : row);
  }
  return rows;
}

const unclosed = 'a quote is opened and not closed';

describe('csvRecords', () => {
  it.each<[string, string, unknown[]]>([
    ['nothing', '', []],
    ['one cell', 'a', [[1, 'a']]],
    [
      'any end of line',
      'a,b\r\nc,d\re,f\ng',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
        [3, 'e', 'f'],
        [4, 'g'],
      ],
    ],
    ['empty cells', ',a,\n', [[1, '', 'a', '']]],
    [
      'empty rows, counted',
      'a\n\n,,\nb',
      [
        [1, 'a'],
        [4, 'b'],
      ],
    ],
    [
      'delimiters and ends of line in quotes',
      '"a,b","c\r\nd"\ne',
      [
        [1, 'a,b', 'c\r\nd'],
        [2, 'e'],
      ],
    ],
    ['doubled quotes', '"a ""b"" c",""', [[1, 'a "b" c', '']]],
    ['blanks around quotes', 'a, "b" ,c', [[1, 'a', 'b', 'c']]],
    ['quotes within a cell without any', 'the 5" disc,b', [[1, 'the 5" disc', 'b']]],
    ['quotes that should be doubled', '"he said "hi" to me",b', [[1, 'he said "hi" to me', 'b']]],
    [
      'no end of line at the end',
      'a\nb',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
  ])('reads %s', async (_, text, rows) => {
    expect(await rowsOf(text)).toEqual(rows);
  });

  it('loses only the row in which a quote is not closed', async () => {
    const text = 'a,b\n"open,1\nc,"quoted, well"\nd,"2"\n"open to the end,3\ne,4';

    expect(await rowsOf(text)).toEqual([
      [1, 'a', 'b'],
      { kind: 'bad', row: 2, reason: unclosed },
      [3, 'c', 'quoted, well'],
      [4, 'd', '2'],
      { kind: 'bad', row: 5, reason: unclosed },
      [6, 'e', '4'],
    ]);
  });

  it('loses only the row that is too long, wherever its pieces end', async () => {
    const text = `a\n${'x'.repeat(1_200_000)}\nb\n`;

    for (const length of [1_200_002, 1_200_003, 65_536]) {
      expect(await rowsOf(text, { length })).toEqual([
        [1, 'a'],
        { kind: 'bad', row: 2, reason: 'it is longer than 1,000,000 characters' },
        [3, 'b'],
      ]);
    }
  });

  it('gives up a file of quotes that are not closed, soon', async () => {
    const text = '""""x\n'.repeat(200_000);
    const begun = performance.now();

    const rows = await rowsOf(text);

    expect(rows.at(-1)).toEqual({
      kind: 'unreadable',
      reason: 'quotes are not closed in so many rows that it cannot be read as a table',
    });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('reads back what was written, however it is cut to pieces', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', '\r', ' ', '😀'),
      maxLength: 8,
    });
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, length) => {
        const quoted = rows.map(cells => cells.map(each => `"${each.replaceAll('"', '""')}"`).join(';'));
        const filled = rows.flatMap((cells, place) =>
          cells.some(each => each.trim() !== '') ? [[place + 1, ...cells]] : [],
        );

        expect(await rowsOf(quoted.join('\r\n'), { delimiter: ';', length })).toEqual(filled);
      }),
    );
  });
});
