import { type Database, query } from '../database/Database.ts';

const reading = {
  name: 'read-setting',
  text: 'select value from settings where key = $1',
};

const writingOnce = {
  name: 'write-setting-once',
  text: `insert into settings (key, value, updated_at) values ($1, $2::jsonb, $3)
         on conflict (key) do nothing
         returning key`,
};

/** What the installation keeps under `key`, for the caller to parse; null: nothing. */
export async function readSetting(db: Database, key: string): Promise<unknown> {
  const [row] = await query<{ value: unknown }>(db, reading, [key]);
  return row?.value ?? null;
}

/** Keeps `value` under `key` unless something is kept there: whether it was. Of two at once, one wins. */
export async function writeSettingOnce(
  db: Database,
  key: string,
  value: unknown,
  now: Date,
): Promise<boolean> {
  const rows = await query<{ key: string }>(db, writingOnce, [key, JSON.stringify(value), now]);
  return rows.length === 1;
}
