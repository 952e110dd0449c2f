import { type Database, query, type Statement } from '../database/Database.ts';

/** Inserts one row and returns its id. Throws where the statement returns none: it has to. */
export async function insertRow(
  db: Database,
  statement: Statement,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await query<{ id: number }>(db, statement, values);
  if (!row) throw new Error(`${statement.name} returned no id`);
  return row.id;
}
