import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { type ImportRecord, insertImportRows, type NewImportRow } from '../models/importRows.ts';
import { countImportRows, insertImport, type NewImport, sealImport } from '../models/imports.ts';
import { type GoodRow, type ReadingSummary, type ReadThrough, readThrough } from './readThrough.ts';
import { recordOfArticle } from './records.ts';
import type { Reading } from './SourceRow.ts';

export type Staged =
  | ({ kind: 'staged'; importId: number } & ReadingSummary)
  | Exclude<ReadThrough, { kind: 'read' }>;

export type StageOptions = {
  clock: Clock;
  signal: AbortSignal;
  /** Told now and then how many rows were read. */
  onProgress: (rows: number) => void;
};

const rowsAtOnce = 200;
const charactersAtOnce = 1_000_000;

/**
 * Reads a file into the database, where any process can go on with it: all of it or, where it cannot be read to
 * its end, or the process is stopped or dies, nothing. One transaction, open while the file is read; `prepare`
 * says in it what the rows belong to, and may make that.
 */
export async function stageImport(
  db: Database,
  reading: Reading,
  prepare: (trx: Database) => Promise<NewImport>,
  options: StageOptions,
): Promise<Staged> {
  const begun = await begin(reading);
  const trx = await db.transaction();
  try {
    const staged = await stage(trx, begun, await prepare(trx), options);
    await (staged.kind === 'staged' ? trx.commit() : trx.rollback());
    return staged;
  } catch (error) {
    // It fails only with its connection, and then the server has rolled back.
    await trx.rollback().catch(() => {});
    throw error;
  }
}

async function stage(
  trx: Database,
  reading: Reading,
  values: NewImport,
  { clock, signal, onProgress }: StageOptions,
): Promise<Staged> {
  const importId = await insertImport(trx, values, clock.now());
  let batch: NewImportRow[] = [];
  let characters = 0;
  const flush = async () => {
    await insertImportRows(trx, importId, batch);
    batch = [];
    characters = 0;
  };
  const onRow = async (row: GoodRow) => {
    const added = newRow(row);
    batch.push(added);
    characters += lengthOf(added.record);
    if (batch.length >= rowsAtOnce || characters >= charactersAtOnce) await flush();
  };
  const read = await readThrough(reading, { signal, onRow, onProgress });
  if (read.kind !== 'read') return read;
  await flush();
  await sealImport(trx, importId, read, clock.now());
  await countImportRows(trx);
  return { ...read, kind: 'staged', importId };
}

/** Waits for the first thing that a reader says: some go through the file once beforehand, without a word. */
async function begin(reading: Reading): Promise<Reading> {
  const iterator = reading[Symbol.asyncIterator]();
  const first = await iterator.next().then(
    result => ({ result }),
    (error: unknown) => ({ error }),
  );
  return (async function* () {
    if ('error' in first) throw first.error;
    if (first.result.done) return;
    yield first.result.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

function newRow(read: GoodRow): NewImportRow {
  if (read.kind === 'feed') return { row: read.row, sortAt: null, record: read.feed };
  return { row: read.row, sortAt: read.item.publishedAt, record: recordOfArticle(read.item) };
}

function lengthOf({ title, summary, content }: ImportRecord): number {
  return [title, summary, content].reduce<number>((sum, text) => sum + String(text ?? '').length, 0);
}
