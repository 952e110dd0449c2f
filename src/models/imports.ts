import { type Database, execute, query } from '../database/Database.ts';
import type { FirstImport } from './feeds.ts';
import { insertRow } from './insertRow.ts';

export type ImportKind = 'opml' | 'csv' | 'wordpress' | 'markdown';
export type ImportStatus = 'pending' | 'running' | 'done' | 'failed';

/** A row that did not get in. `row` is its number in the source, as a person would count there. */
export type ImportProblem = { row: number; reason: string };

/** What is done with the rows: articles are stored as seen and never sent (`baseline`), or feeds are added. */
export type ImportOptions =
  | { mode: 'route' }
  | { mode: 'baseline' }
  | { mode: 'feeds'; everyMs: number; firstImport: FirstImport };

export type NewImport = {
  workspaceId: number;
  kind: ImportKind;
  /** Null for feeds. */
  feedId: number | null;
  source: string;
  options: ImportOptions;
};

/** Adds an import without rows; in the transaction that then adds them, so that it is seen whole or not at all. */
export async function insertImport(db: Database, values: NewImport, now: Date): Promise<number> {
  const { workspaceId, kind, feedId, source, options } = values;
  return insertRow(db, insertImportRow, [workspaceId, kind, feedId, source, JSON.stringify(options), now]);
}

const insertImportRow = {
  name: 'insert-import',
  text: `
    insert into imports (workspace_id, kind, feed_id, source, options, rows_total, created_at)
    values ($1, $2, $3, $4, $5, 0, $6) returning id`,
};

export type ReadRowsCount = { total: number; bad: number; problems: readonly ImportProblem[] };

/** Says how many rows an import has, once all are read; one of which nothing is left to put in is done. */
export async function sealImport(
  db: Database,
  id: number,
  { total, bad, problems }: ReadRowsCount,
  now: Date,
): Promise<void> {
  await execute(db, updateSealed, [id, total, bad, JSON.stringify(problems), now]);
}

/**
 * Tells the planner how many rows there are. Autovacuum would, some time later: until then it takes thousands for
 * one, and looks through all of them to take some out.
 */
export async function countImportRows(db: Database): Promise<void> {
  await execute(db, analyzeRows);
}

const analyzeRows = { name: 'count-import-rows', text: 'analyze import_rows' };

const updateSealed = {
  name: 'seal-import',
  text: `
    update imports
    set rows_total = $2::int, rows_done = $3::int, rows_bad = $3::int, problems = $4,
        status = case when $2::int = $3::int then 'done' else 'pending' end, finished_at = case when $2::int = $3::int then $5::timestamptz end
    where id = $1`,
};

/** An import as people see it. */
export type ListedImport = {
  id: number;
  workspaceId: number;
  kind: ImportKind;
  /** Null: it brings feeds. */
  feed: string | null;
  source: string;
  status: ImportStatus;
  rowsTotal: number;
  /** What became of any of them, bad ones included. */
  rowsDone: number;
  rowsAdded: number;
  rowsBad: number;
  /** Route articles. */
  queued: number;
  tooOld: number;
  problems: readonly ImportProblem[];
  lastError: string | null;
  createdAt: Date;
  finishedAt: Date | null;
};

const listedColumns = `
  i.id, i.workspace_id as "workspaceId", i.kind, f.name as feed, i.source, i.status, i.rows_total as "rowsTotal",
  i.rows_done as "rowsDone", i.rows_added as "rowsAdded", i.rows_bad as "rowsBad", i.queued,
  i.too_old as "tooOld", i.problems, i.last_error as "lastError", i.created_at as "createdAt",
  i.finished_at as "finishedAt"`;

/** One import; null: there is none of that number. */
export async function findImport(db: Database, id: number): Promise<ListedImport | null> {
  const [row] = await query<ListedImport>(db, selectImport, [id]);
  return row ?? null;
}

const selectImport = {
  name: 'find-import',
  text: `select ${listedColumns} from imports i left join feeds f on f.id = i.feed_id where i.id = $1`,
};

/** The newest imports of a workspace, newest first. */
export async function newestImports(
  db: Database,
  workspaceId: number,
  limit: number,
): Promise<ListedImport[]> {
  return query<ListedImport>(db, selectNewest, [workspaceId, limit]);
}

const selectNewest = {
  name: 'newest-imports',
  text: `
    select ${listedColumns} from imports i left join feeds f on f.id = i.feed_id
    where i.workspace_id = $1 order by i.id desc limit $2`,
};

/** The imports of a workspace that are not done, oldest first: those that go on, and those that failed. */
export async function openImports(db: Database, workspaceId: number): Promise<ListedImport[]> {
  return query<ListedImport>(db, selectOpen, [workspaceId]);
}

const selectOpen = {
  name: 'open-imports',
  text: `
    select ${listedColumns} from imports i left join feeds f on f.id = i.feed_id
    where i.workspace_id = $1 and i.status <> 'done' order by i.id`,
};

/** Lets a failed import go on, by a person's word. False: it is none that failed. */
export async function retryImport(db: Database, id: number): Promise<boolean> {
  return (await execute(db, updateRetried, [id])) > 0;
}

const updateRetried = {
  name: 'retry-import',
  text: `
    update imports set status = 'pending', interruptions = 0, last_error = null, finished_at = null
    where id = $1 and status = 'failed'`,
};
