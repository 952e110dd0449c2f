import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { isBrokenOff, isDatabaseAway, transact } from '../database/transact.ts';
import { holdsImportClaim, type Import, recordRowsPutIn } from '../models/importClaims.ts';
import {
  deleteImportRows,
  type ImportRow,
  type ReadImportRows,
  type RowPlace,
} from '../models/importRows.ts';
import { type Added, addFeeds } from './addFeeds.ts';
import { storeArticles } from './storeArticles.ts';

export type PutInRun = {
  db: Database;
  readRows: ReadImportRows;
  found: Import;
  claimToken: string;
  newId: () => string;
  clock: Clock;
  signal: AbortSignal;
};

export type PutIn =
  | { kind: 'done' }
  | { kind: 'stopped' }
  | { kind: 'lost' }
  | { kind: 'refused'; detail: string };
type Context = { now: Date; newId: () => string };

/**
 * Puts in what is left of a claimed import, one batch after the other, each in a transaction of its own with
 * the rows' own removal and the count: a row is left over or in, never both and never neither.
 */
export async function putRowsIn(run: PutInRun): Promise<PutIn> {
  const { db, readRows, found, signal, clock, newId } = run;
  let after: RowPlace | null = null;
  for (;;) {
    const rows = await readRows(db, found.id, after);
    // What was cut off may report anything, such as no rows at all, which would look like the end.
    if (signal.aborted) return { kind: 'stopped' };
    const last = rows.at(-1);
    if (last === undefined)
      throw new Error(`import ${found.id} ran out of rows before the last of them was done`);
    const batch = await putBatchIn(run, rows, { now: clock.now(), newId });
    if (batch.kind !== 'goes_on') return batch;
    after = last;
  }
}

type Batch = PutIn | { kind: 'goes_on' };

function putBatchIn(run: PutInRun, rows: readonly ImportRow[], context: Context): Promise<Batch> {
  const { db, found, claimToken } = run;
  const claim = { importId: found.id, claimToken };
  return transact<Batch>(db, async trx => {
    if (!(await holdsImportClaim(trx, claim))) return { kind: 'lost' };
    const added = await addOrTryEach(trx, found, rows, context);
    if ('refused' in added) return { kind: 'refused', detail: added.refused };
    const taken = await deleteImportRows(trx, found.id, rows);
    if (taken !== rows.length)
      throw new Error(`import ${found.id}: ${rows.length} rows read, ${taken} there`);
    const recorded = await recordRowsPutIn(trx, claim, { done: rows.length, ...added }, context.now);
    if (recorded === null) return { kind: 'lost' };
    return { kind: recorded.isDone ? 'done' : 'goes_on' };
  });
}

/** A row that the database refuses must not keep the others out: then each is tried by itself. */
async function addOrTryEach(
  trx: Database,
  found: Import,
  rows: readonly ImportRow[],
  context: Context,
): Promise<Added | { refused: string }> {
  try {
    return await trx.transaction(savepoint => add(savepoint, found, rows, context));
  } catch (error) {
    if (isNotOfRows(error)) throw error;
  }
  let sum: Added = { added: 0, bad: 0, queued: 0, tooOld: 0, problems: [] };
  for (const row of rows) {
    const one = await addAlone(trx, found, row, context);
    if ('refused' in one) return one;
    sum = plus(sum, one);
  }
  return sum;
}

async function addAlone(
  trx: Database,
  found: Import,
  row: ImportRow,
  context: Context,
): Promise<Added | { refused: string }> {
  try {
    return await trx.transaction(savepoint => add(savepoint, found, [row], context));
  } catch (error) {
    if (isNotOfRows(error)) throw error;
    const reason = `could not be stored: ${error instanceof Error ? error.message : String(error)}`;
    return { added: 0, bad: 1, queued: 0, tooOld: 0, problems: [{ row: row.row, reason }] };
  }
}

function isNotOfRows(error: unknown): boolean {
  return isDatabaseAway(error) || isBrokenOff(error);
}

function add(
  trx: Database,
  found: Import,
  rows: readonly ImportRow[],
  context: Context,
): Promise<Added | { refused: string }> {
  const { options } = found;
  return options.mode === 'feeds'
    ? addFeeds(trx, { ...found, options }, rows, context)
    : storeArticles(trx, { ...found, options }, rows, context);
}

function plus(a: Added, b: Added): Added {
  return {
    added: a.added + b.added,
    bad: a.bad + b.bad,
    queued: a.queued + b.queued,
    tooOld: a.tooOld + b.tooOld,
    problems: [...a.problems, ...b.problems],
  };
}
