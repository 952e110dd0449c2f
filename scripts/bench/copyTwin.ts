import type pg from 'pg';
import { type Database, query } from '../../src/database/Database.ts';
import { copyRows } from './copyRows.ts';

/** Where rows are copied from and to: one feed's articles after an id, made those of another feed. */
export type Twin = { feedId: number; afterArticleId: number; twinFeedId: number };

/** The rows of a read as text for COPY. */
export type TwinRows = { tables: readonly { statement: string; text: Buffer }[]; rows: number };

/**
 * Takes what a read has just stored, in all three tables, and makes of it the same rows of a feed that has none
 * of them. Their ids come from the same sequences, so that indexes grow at the same end for both.
 */
export async function readTwin(
  db: Database,
  { feedId, afterArticleId, twinFeedId }: Twin,
): Promise<TwinRows> {
  const stored = await query<{ id: number }>(db, selectStored, [feedId, afterArticleId]);
  const [first, last] = [stored[0]?.id, stored.at(-1)?.id];
  if (first === undefined || last === undefined) throw new Error('the read has stored nothing');
  const drawn = await query<{ id: number }>(db, drawIds, [last - first + 1]);
  const newId = `+ ${(drawn[0]?.id ?? 0) - first}`;
  const range = `between ${first} and ${last}`;
  const twin = { feed_id: `${twinFeedId}`, article_id: `article_id ${newId}` };
  const tables = [
    await readTable(db, 'articles', { ...twin, id: `id ${newId}` }, `id ${range} order by id`),
    await readTable(db, 'article_keys', twin, `article_id ${range} order by article_id`),
    await readTable(db, 'route_articles', { ...twin, id: null }, `article_id ${range} order by id`),
  ];
  return { tables, rows: tables.reduce((sum, { rows }) => sum + rows, 0) };
}

/** Copies them in one transaction, as a read writes them. */
export async function copyTwin(client: pg.Client, { tables }: TwinRows): Promise<void> {
  await client.query('begin');
  for (const { statement, text } of tables) await copyRows(client, statement, text);
  await client.query('commit');
}

/** `changed`: SQL expressions instead of columns; null leaves a column to its default. */
async function readTable(
  db: Database,
  table: string,
  changed: Readonly<Record<string, string | null>>,
  which: string,
): Promise<{ statement: string; text: Buffer; rows: number }> {
  const all = await query<{ name: string }>(db, selectColumns, [table]);
  const names = all.map(({ name }) => name).filter(name => changed[name] !== null);
  const fields = names.map(name => copyText(`(${changed[name] ?? name})::text`)).join(" || E'\\t' || ");
  // Neither named nor prepared: each is another one.
  const { rows } = await db.raw(`select ${fields} as line from ${table} where ${which}`);
  const lines: string[] = rows.map(({ line }: { line: string }) => `${line}\n`);
  const statement = `copy ${table} (${names.join()}) from stdin`;
  return { statement, text: Buffer.from(lines.join('')), rows: rows.length };
}

/** A value as COPY's text format has it. */
function copyText(text: string): string {
  const escaped = String.raw`replace(replace(replace(replace(${text}, E'\\', E'\\\\'), E'\t', E'\\t'), E'\n', E'\\n'), E'\r', E'\\r')`;
  return String.raw`coalesce(${escaped}, E'\\N')`;
}

const selectStored = {
  name: 'bench-stored-articles',
  text: 'select id from articles where feed_id = $1 and id > $2 order by id',
};

const drawIds = {
  name: 'bench-draw-article-ids',
  text: `select nextval(pg_get_serial_sequence('articles', 'id')) as id from generate_series(1, $1::int)`,
};

const selectColumns = {
  name: 'bench-columns',
  text: `
    select column_name as name from information_schema.columns
    where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER'
    order by ordinal_position`,
};
