import { type Database, execute, query } from '../database/Database.ts';
import type { ImportKind, ImportOptions, ImportProblem } from './imports.ts';

// The claim of an import, from its taking to its end: every write is matched by its token.

export type ImportClaim = { importId: number; claimToken: string };

export type Import = {
  id: number;
  workspaceId: number;
  kind: ImportKind;
  feedId: number | null;
  source: string;
  options: ImportOptions;
  /** In a row, with nothing put in between them. */
  interruptions: number;
  rowsTotal: number;
  rowsDone: number;
};

const importColumns = `
  i.id, i.workspace_id as "workspaceId", i.kind, i.feed_id as "feedId", i.source, i.options, i.interruptions,
  i.rows_total as "rowsTotal", i.rows_done as "rowsDone"`;

const noClaim = 'claim_token = null, claimed_at = null';

/** The workspaces in which an import waits or was left over, by id. */
export async function workspacesWithImports(db: Database): Promise<number[]> {
  return (await query<{ workspaceId: number }>(db, selectWorkspaces)).map(row => row.workspaceId);
}

// Archived workspaces too: what was begun there is ended there.
const selectWorkspaces = {
  name: 'workspaces-with-imports',
  text: `
    select workspace_id as "workspaceId" from imports where status = 'pending'
    union select workspace_id from imports where status = 'running' order by 1`,
};

/** Claims the oldest import of a workspace that waits, under the workspace's lock. Null: none does. */
export async function claimImport(
  db: Database,
  { workspaceId, claimToken, now }: { workspaceId: number; claimToken: string; now: Date },
): Promise<Import | null> {
  const [claimed] = await query<Import>(db, updateClaim, [workspaceId, claimToken, now]);
  return claimed ?? null;
}

const updateClaim = {
  name: 'claim-import',
  text: `
    with next as materialized (
      select id from imports where workspace_id = $1 and status = 'pending' order by id limit 1 for update
    )
    update imports i set status = 'running', claim_token = $2, claimed_at = $3
    from next where i.id = next.id returning ${importColumns}`,
};

/** Locks the row for the rest of the transaction. False: the claim is someone else's now. */
export async function holdsImportClaim(
  db: Database,
  { importId, claimToken }: ImportClaim,
): Promise<boolean> {
  return (await query(db, selectClaim, [importId, claimToken])).length > 0;
}

const selectClaim = {
  name: 'lock-claimed-import',
  text: 'select id from imports where id = $1 and claim_token = $2 for update',
};

/**
 * Puts claims back in one statement, as if the imports had not been taken up; the rows that are in stay in.
 * What is no longer as it was claimed is left alone. Returns how many it put back.
 */
export async function giveBackImports(db: Database, claimTokens: readonly string[]): Promise<number> {
  return execute(db, updateGivenBack, [claimTokens]);
}

// By token alone: one whose claim was never answered does not know its import.
const updateGivenBack = {
  name: 'give-back-imports',
  text: `
    update imports i set status = 'pending', ${noClaim}
    from unnest($1::uuid[]) as claimed (claim_token)
    where i.claim_token = claimed.claim_token and i.status = 'running'`,
};

export type InterruptedImport = Import & { claimToken: string };

/** A workspace's claimed import, locked for the transaction; null: none is. Whoever holds its lock knows: orphaned. */
export async function lockInterruptedImport(
  db: Database,
  workspaceId: number,
): Promise<InterruptedImport | null> {
  const [found] = await query<InterruptedImport>(db, selectInterrupted, [workspaceId]);
  return found ?? null;
}

const selectInterrupted = {
  name: 'lock-interrupted-import',
  text: `
    select ${importColumns}, i.claim_token as "claimToken" from imports i
    where i.workspace_id = $1 and i.status = 'running' for update`,
};

/** Every workspace in which an import is claimed, whether its process lives or not. */
export async function workspacesWithClaimedImports(db: Database): Promise<number[]> {
  return (await query<{ workspaceId: number }>(db, selectClaimed)).map(row => row.workspaceId);
}

const selectClaimed = {
  name: 'workspaces-with-claimed-imports',
  text: `select workspace_id as "workspaceId" from imports where status = 'running' order by 1`,
};

export type RowsPutIn = {
  done: number;
  added: number;
  bad: number;
  queued: number;
  tooOld: number;
  /** In full: what is kept of all of them. */
  problems: readonly ImportProblem[];
};

/** Counts rows that were put in; the last of them end the import. Null: the claim was lost. */
export async function recordRowsPutIn(
  db: Database,
  { importId, claimToken }: ImportClaim,
  { done, added, bad, queued, tooOld, problems }: RowsPutIn,
  now: Date,
): Promise<{ isDone: boolean; rowsDone: number } | null> {
  const values = [importId, claimToken, done, added, bad, queued, tooOld, JSON.stringify(problems), now];
  const [row] = await query<{ isDone: boolean; rowsDone: number }>(db, updatePutIn, values);
  return row ?? null;
}

const keptProblems = 200;

const updatePutIn = {
  name: 'record-import-rows',
  text: `
    update imports
    set rows_done = rows_done + $3, rows_added = rows_added + $4, rows_bad = rows_bad + $5, queued = queued + $6,
        too_old = too_old + $7, interruptions = 0, last_error = null,
        problems = case when jsonb_array_length(problems) < ${keptProblems} then problems || $8::jsonb else problems end,
        status = case when rows_done + $3 >= rows_total then 'done' else status end,
        finished_at = case when rows_done + $3 >= rows_total then $9::timestamptz end,
        claim_token = case when rows_done + $3 >= rows_total then null else claim_token end,
        claimed_at = case when rows_done + $3 >= rows_total then null else claimed_at end
    where id = $1 and claim_token = $2
    returning status = 'done' as "isDone", rows_done as "rowsDone"`,
};

export type ImportEnd = ImportClaim & {
  /** Failed for good, or to be taken up again. */
  status: 'failed' | 'pending';
  interruptions: number;
  error: string;
  now: Date;
};

/** Ends a claim with a failure or an interruption. False: the claim was lost. */
export async function recordImportEnd(db: Database, end: ImportEnd): Promise<boolean> {
  const { importId, claimToken, status, interruptions, error, now } = end;
  return (await execute(db, updateEnded, [importId, claimToken, status, interruptions, error, now])) > 0;
}

const updateEnded = {
  name: 'end-import',
  text: `
    update imports
    set status = $3, interruptions = $4, last_error = $5,
        finished_at = case when $3 = 'failed' then $6::timestamptz end, ${noClaim}
    where id = $1 and claim_token = $2`,
};
