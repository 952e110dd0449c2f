import type { Database } from '../../src/database/Database.ts';

export type LoadedRows = {
  workspaceId: number;
  /** The rows are dealt out to them in turn. */
  channelIds: readonly number[];
  /** The first and the last article's id, or SQL expressions for them; a higher one is a later article. */
  from: number | string;
  to: number | string;
  /** SQL expressions over `n`, the article's id. Default: a ready row. */
  columns?: Readonly<Record<string, string>>;
};

const since = "timestamptz '2026-01-01 00:00Z' + n * interval '1 second'";

/**
 * Inserts route articles without articles behind them: the candidate query reads nothing else, and the
 * foreign keys would take longer than everything that is measured. Every check and every index is kept.
 */
export async function loadRows(db: Database, rows: LoadedRows): Promise<void> {
  await bulk(db, insertRows(rows));
}

/** The statement of `loadRows`, for a loop on the server. */
export function insertRows({ workspaceId, channelIds, from, to, columns = {} }: LoadedRows): string {
  const values: Record<string, string> = {
    workspace_id: `${workspaceId}`,
    channel_id: `(array[${channelIds.join()}])[1 + n % ${channelIds.length}]`,
    article_id: 'n',
    title: "'Article ' || n",
    text: "'Article ' || n",
    text_hash: 'md5(n::text)::uuid',
    approval_status: "'approved'",
    url_key: 'md5(n::text)::uuid',
    post_key: 'md5(n::text)::uuid',
    post_created_at: since,
    created_at: since,
    updated_at: since,
    ...columns,
  };
  return `
    insert into route_articles (${Object.keys(values).join()})
    select ${Object.values(values).join()} from generate_series(${from}, ${to}) n`;
}

/** The statement that publishes one half of some rows and skips the other. */
export function endRows(which: string): string {
  return `
    update route_articles
    set publish_status = case when id % 2 = 0 then 'published' else 'skipped' end,
        skip_reason = case when id % 2 = 0 then null else 'by_person' end,
        publish_attempts = case when id % 2 = 0 then 1 else 4 end
    where ${which}`;
}

/** Runs statements as a loader may: no foreign keys, no time limit, no waiting for the disk at a commit. */
export async function bulk(db: Database, sql: string): Promise<void> {
  await db.transaction(async trx => {
    for (const setting of loaderSettings) await trx.raw(`set local ${setting}`);
    await trx.raw(sql);
  });
}

/**
 * Runs one statement outside a transaction and without a time limit (VACUUM of ten million rows). The pool
 * must be of one connection.
 */
export async function maintain(db: Database, sql: string): Promise<void> {
  await db.raw('set statement_timeout = 0');
  await db.raw(sql);
}

/** For `set local`, at the head of a loading transaction. */
export const loaderSettings = [
  'session_replication_role = replica',
  'synchronous_commit = off',
  'statement_timeout = 0',
];
