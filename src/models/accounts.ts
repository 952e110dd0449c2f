import { type Database, query } from '../database/Database.ts';

export type AccountStatus = 'active' | 'needs_attention' | 'disabled';

/** An account as its platform needs it: what it logs in with, and what that has opened, both still sealed. */
export type StoredAccount = {
  id: number;
  name: string;
  instance: string;
  username: string | null;
  secrets: Buffer | null;
  /** Null: none is open. */
  session: Buffer | null;
  /** Null: it lasts until it is refused. */
  sessionExpiresAt: Date | null;
  /** Another number, another session. */
  sessionRevision: number;
};

/** Reads an account; null: there is none, or it is archived. */
export async function loadAccount(db: Database, id: number): Promise<StoredAccount | null> {
  const [row] = await query<StoredAccount>(db, selectAccount, [id]);
  return row ?? null;
}

const selectAccount = {
  name: 'load-account',
  text: `
    select id, name, instance, username, secrets, session, session_expires_at as "sessionExpiresAt",
           session_revision as "sessionRevision"
    from accounts where id = $1 and archived_at is null`,
};

export type NewSession = {
  id: number;
  /** Of the session that it replaces. */
  revision: number;
  session: Buffer;
  expiresAt: Date | null;
};

/**
 * Stores a session over the one that was read. Returns its revision. Null: the credentials, or the session,
 * have changed since, and nothing was written.
 */
export async function storeSession(db: Database, stored: NewSession): Promise<number | null> {
  const { id, revision, session, expiresAt } = stored;
  const [row] = await query<{ revision: number }>(db, updateSession, [id, revision, session, expiresAt]);
  return row?.revision ?? null;
}

const updateSession = {
  name: 'store-session',
  text: `
    update accounts set session = $3, session_expires_at = $4, session_revision = session_revision + 1
    where id = $1 and session_revision = $2
    returning session_revision as revision`,
};

/** An account as people see it. */
export type ListedAccount = {
  id: number;
  name: string;
  platform: string;
  instance: string;
  username: string | null;
  status: AccountStatus;
  holdReason: string | null;
  holdDetail: string | null;
  /** Null with a reason: until it is reconnected. */
  heldUntil: Date | null;
  hasSession: boolean;
  sessionExpiresAt: Date | null;
  /** Names, in order. */
  channels: readonly string[];
};

/** The accounts of a workspace by name, with the channels that use each. */
export async function listAccounts(db: Database, workspaceId: number): Promise<ListedAccount[]> {
  return query<ListedAccount>(db, selectAccounts, [workspaceId]);
}

const selectAccounts = {
  name: 'list-accounts',
  text: `
    select a.id, a.name, a.platform, a.instance, a.username, a.status, a.hold_reason as "holdReason",
           a.hold_detail as "holdDetail", a.held_until as "heldUntil", a.session is not null as "hasSession",
           a.session_expires_at as "sessionExpiresAt",
           array(select c.name from channels c
                 where c.account_id = a.id and c.archived_at is null order by c.name) as channels
    from accounts a where a.workspace_id = $1 and a.archived_at is null order by a.name`,
};

/**
 * Marks an account whose credentials are refused: its channels wait until it is reconnected. True when it was
 * active before, whether or not it was held: from now on it needs a person, which is one alert. What it needs
 * attention for stays what was said first.
 */
export async function markNeedsAttention(
  db: Database,
  { id, reason, detail, now }: { id: number; reason: string; detail: string; now: Date },
): Promise<boolean> {
  const [row] = await query<{ wasActive: boolean }>(db, updateNeedsAttention, [id, reason, detail, now]);
  return row?.wasActive ?? false;
}

const updateNeedsAttention = {
  name: 'mark-needs-attention',
  text: `
    with before as (
      select id, status, status = 'needs_attention' and hold_reason is not null as "isSaid"
      from accounts where id = $1 for no key update)
    update accounts a
    set status = case when a.status = 'active' then 'needs_attention' else a.status end,
        hold_reason = case when "isSaid" then a.hold_reason else $2 end,
        hold_detail = case when "isSaid" then a.hold_detail else $3 end,
        held_until = null, down_since = coalesce(a.down_since, $4)
    from before where a.id = before.id
    returning before.status = 'active' as "wasActive"`,
};

/**
 * Makes an account that needed attention active again, its hold lifted. Null: there was nothing to lift.
 * `wasDown`: people were told of it.
 */
export async function reactivateAccount(db: Database, id: number): Promise<{ wasDown: boolean } | null> {
  const [row] = await query<{ wasDown: boolean }>(db, updateReactivated, [id]);
  return row ?? null;
}

const updateReactivated = {
  name: 'reactivate-account',
  text: `
    with before as (
      select id, down_since from accounts
      where id = $1 and status <> 'disabled'
        and (status <> 'active' or hold_reason is not null or down_since is not null)
      for no key update)
    update accounts a
    set status = 'active', hold_reason = null, hold_detail = null, held_until = null, refusals = 0,
        down_since = null
    from before where a.id = before.id
    returning before.down_since is not null as "wasDown"`,
};
