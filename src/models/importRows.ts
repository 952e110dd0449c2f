import { type Database, execute, query } from '../database/Database.ts';

/** What was read from one row of a source: JSON, whose form depends on the import's kind. */
export type ImportRecord = Readonly<Record<string, unknown>>;
export type NewImportRow = { row: number; sortAt: Date | null; record: ImportRecord };

/** Adds rows to an import that is being read. */
export async function insertImportRows(
  db: Database,
  importId: number,
  rows: readonly NewImportRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const records = rows.map(({ record }) => JSON.stringify(record));
  await execute(db, insertRows, [
    importId,
    rows.map(({ sortAt }) => sortAt ?? 'infinity'),
    rows.map(({ row }) => row),
    records,
    records.map(record => Buffer.byteLength(record)),
  ]);
}

const insertRows = {
  name: 'insert-import-rows',
  text: `
    insert into import_rows (import_id, sort_at, row_number, record, bytes)
    select $1, n.sort_at, n.row_number, n.record::json, n.bytes
    from unnest($2::timestamptz[], $3::int[], $4::text[], $5::int[]) as n (sort_at, row_number, record, bytes)`,
};

/** The place of a row among those of its import; as text, since a place may lie at infinity. */
export type RowPlace = { sortAt: string; row: number };
export type ImportRow = RowPlace & { record: ImportRecord };

/** How an import's rows are read, some at a time: tests put something else in its place. */
export type ReadImportRows = typeof nextImportRows;

const mostRows = 500;
const mostBytes = 4_000_000;

/**
 * The next rows that are still to be put in, oldest first, those without a date last: so many at most that
 * one transaction puts them in soon, and in little memory. `after` null: from the first on. The rows in front
 * of a place are gone, but the index still holds them for a while: with a place they are not walked.
 */
export async function nextImportRows(
  db: Database,
  importId: number,
  after: RowPlace | null,
): Promise<ImportRow[]> {
  return query<ImportRow>(db, selectNext, [importId, after?.sortAt ?? '-infinity', after?.row ?? 0]);
}

const selectNext = {
  name: 'next-import-rows',
  text: `
    with next as materialized (
      select sort_at, row_number, record, bytes from import_rows
      where import_id = $1 and (sort_at, row_number) > ($2::timestamptz, $3::int)
      order by sort_at, row_number limit ${mostRows}
    )
    select sort_at::text as "sortAt", row_number as row, record
    from (select *, sum(bytes) over (order by sort_at, row_number) - bytes as before from next) sized
    where before < ${mostBytes} order by sort_at, row_number`,
};

/** Takes rows out, in the transaction that puts them in. Returns how many there were. */
export async function deleteImportRows(
  db: Database,
  importId: number,
  places: readonly RowPlace[],
): Promise<number> {
  const values = [importId, places.map(({ sortAt }) => sortAt), places.map(({ row }) => row)];
  return execute(db, deleteRows, values);
}

const deleteRows = {
  name: 'delete-import-rows',
  text: `
    delete from import_rows r using unnest($2::timestamptz[], $3::int[]) as done (sort_at, row_number)
    where r.import_id = $1 and r.sort_at = done.sort_at and r.row_number = done.row_number`,
};
