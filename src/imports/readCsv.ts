import { csvArticle } from './csvArticle.ts';
import { type CsvColumns, type CsvField, mapColumns } from './csvColumns.ts';
import { findDelimiter } from './csvDelimiter.ts';
import { csvRecords } from './csvRecords.ts';
import { detectEncoding } from './detectEncoding.ts';
import { findFileProblem } from './openFile.ts';
import { readText } from './readText.ts';
import type { Reading } from './SourceRow.ts';
import { tallyDates } from './tallyDates.ts';

export type CsvOptions = {
  /** Dates without an offset are read in it. */
  zone: string;
  /** Headers by what their columns hold; the others are recognised. */
  map: ReadonlyMap<CsvField, string>;
  /** A WHATWG name; null: found out. */
  encoding: string | null;
  signal: AbortSignal;
};

const mostHeaderCharacters = 65_536;
const mostColumns = 1_000;

/** Reads a table with one article a row, under a line of headers: commas, semicolons, tabs or bars. */
export async function* readCsv(path: string, { zone, map, encoding, signal }: CsvOptions): Reading {
  const problem = await findFileProblem(path);
  if (problem !== null) return yield { kind: 'unreadable', reason: problem };
  const chunks = readText(path, encoding ?? (await detectEncoding(path, signal)), signal);
  const head = await readHead(chunks);
  if ('reason' in head) return yield { kind: 'unreadable', reason: head.reason };

  let columns: CsvColumns | null = null;
  let width = 0;
  const dates = tallyDates(zone);
  for await (const read of csvRecords(withHead(head.text, chunks), head)) {
    if (read.kind !== 'cells') yield read;
    else if (columns === null) {
      const mapped = mapColumns(read.cells, map);
      if (mapped.kind === 'unmapped') return yield { kind: 'unreadable', reason: mapped.reason };
      if (read.cells.length > mostColumns)
        return yield { kind: 'unreadable', reason: `it has ${read.cells.length} columns` };
      ({ columns } = mapped);
      width = read.cells.length;
      yield { kind: 'note', text: describeColumns(columns, read.cells) };
      if (mapped.unused.length > 0)
        yield { kind: 'note', text: `columns that are not used: ${mapped.unused.join(', ')}` };
    } else yield { row: read.row, ...csvArticle(read.cells, { columns, width, zone, dates }) };
  }
  if (columns === null)
    return yield { kind: 'unreadable', reason: 'it is empty: its first line has to name the columns' };
  for (const text of dates.notes()) yield { kind: 'note', text };
}

type Head = { text: string; delimiter: string; firstRow: number };

/** What comes up to the end of the first line, at least; a line `sep=;` in front of it is Excel's. */
async function readHead(chunks: AsyncIterator<string>): Promise<Head | { reason: string }> {
  let text = '';
  for (;;) {
    const next = await chunks.next();
    if (next.done) break;
    text += next.value;
    if (text.length > mostHeaderCharacters || /[\r\n]./s.test(text.replace(/^sep=.\r?\n?/i, ''))) break;
  }
  if (text.includes('\0')) return { reason: 'it is no text' };
  const [mark = '', given] = /^sep=(.)(?:\r\n|\r|\n)/i.exec(text) ?? [];
  const rest = text.slice(mark.length);
  const [line = ''] = /^[^\r\n]*/.exec(rest) ?? [];
  if (line.length > mostHeaderCharacters) return { reason: 'its first line is too long to name columns' };
  const isMarked = given !== undefined;
  return { text: rest, delimiter: isMarked ? given : findDelimiter(line), firstRow: isMarked ? 2 : 1 };
}

async function* withHead(head: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* chunks;
}

function describeColumns(columns: CsvColumns, header: readonly string[]): string {
  const pairs = [...columns].map(
    ([field, place]) => `${field} from ${JSON.stringify(header[place]?.trim())}`,
  );
  return `columns read: ${pairs.join(', ')}`;
}
