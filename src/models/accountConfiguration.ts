import { type Database, execute, query } from '../database/Database.ts';
import type { AccountValues } from './configurationValues.ts';
import { insertRow } from './insertRow.ts';

/** Adds an account, its secrets sealed already. */
export async function insertAccount(db: Database, values: AccountValues, now: Date): Promise<number> {
  return insertRow(db, insertAccountRow, [...listAccountValues(values), now]);
}

const insertAccountRow = {
  name: 'insert-account',
  text: `
    insert into accounts (workspace_id, name, platform, instance, username, secrets, status, created_at)
    values ($1, $2, $3, $4, $5, $6, case when $7 then 'disabled' else 'active' end, $8) returning id`,
};

/**
 * `hasNewCredentials`: who changed them has given what a refused account asked for, so it is active
 * again, its own hold ends, and what the old ones have opened is forgotten. Otherwise an account that needs attention goes on needing it.
 */
export async function updateAccount(
  db: Database,
  id: number,
  values: AccountValues & { hasNewCredentials: boolean },
): Promise<void> {
  await execute(db, updateAccountRow, [...listAccountValues(values), values.hasNewCredentials, id]);
}

const updateAccountRow = {
  name: 'update-account',
  text: `
    update accounts
    set workspace_id = $1, name = $2, platform = $3, instance = $4, username = $5, secrets = $6,
        status = case when $7 then 'disabled' when status = 'needs_attention' and not $8 then status else 'active' end,
        hold_reason = case when $8 then null else hold_reason end,
        hold_detail = case when $8 then null else hold_detail end,
        held_until = case when $8 then null else held_until end,
        refusals = case when $8 then 0 else refusals end,
        session = case when $8 then null else session end,
        session_expires_at = case when $8 then null else session_expires_at end,
        session_revision = session_revision + $8::int,
        archived_at = null
    where id = $9`,
};

function listAccountValues(values: AccountValues): unknown[] {
  const { workspaceId, name, platform, instance, username, secrets, isDisabled } = values;
  return [workspaceId, name, platform, instance, username, secrets, isDisabled];
}

/**
 * Ends the `no_account` holds of channels that now have an active account or need none. Returns whose.
 * Asked of the state, not of the change: a hold that a tick set while the file was applied ends next time.
 */
export async function liftAccountHolds(db: Database, workspaceIds: readonly number[]) {
  return query<{ id: number; workspaceId: number }>(db, liftHolds, [workspaceIds]);
}

const liftHolds = {
  name: 'lift-account-holds',
  text: `
    update channels c
    set hold_reason = null, hold_detail = null, held_until = null
    where c.workspace_id = any($1) and c.hold_reason = 'no_account' and c.archived_at is null
      and (not c.needs_account or exists (
        select 1 from accounts a where a.id = c.account_id and a.status = 'active' and a.archived_at is null))
    returning c.id, c.workspace_id as "workspaceId"`,
};
