import { type Database, execute, query, type Statement } from '../database/Database.ts';
import type { AccountRow, ChannelRow, FeedRow, RouteRow, WorkspaceRow } from './configuration.ts';

// The writes of an apply. An update states the whole row, so it also takes one out of the archive; a null
// `paused` leaves that as it is: it is also set by hand.

export type WorkspaceValues = Written<WorkspaceRow>;
export type AccountValues = Written<AccountRow> & { workspaceId: number };
export type ChannelValues = Written<ChannelRow> & { workspaceId: number; accountId: number | null };
export type FeedValues = Written<FeedRow> & { workspaceId: number };
export type RouteValues = Written<RouteRow> & { workspaceId: number };

type Given = 'id' | 'workspace' | 'isArchived' | 'account' | 'feed' | 'channel' | 'paused';
type Written<Row> = Omit<Row, Given> &
  (Row extends { paused: boolean } ? { paused: boolean | null } : unknown);

/** Adds a workspace and returns its id, as the other inserts do. */
export async function insertWorkspace(db: Database, values: WorkspaceValues, now: Date): Promise<number> {
  return insertRow(db, insertWorkspaceRow, [...listWorkspaceValues(values), now]);
}

const insertWorkspaceRow = {
  name: 'insert-workspace',
  text: `
    insert into workspaces (name, timezone, daily_cap, tick_interval_ms, windows, paused, created_at)
    values ($1, $2, $3, $4, $5, coalesce($6, false), $7) returning id`,
};

/** States a workspace anew; its slots and ticks stay. */
export async function updateWorkspace(db: Database, id: number, values: WorkspaceValues): Promise<void> {
  await execute(db, updateWorkspaceRow, [...listWorkspaceValues(values), id]);
}

const updateWorkspaceRow = {
  name: 'update-workspace',
  text: `
    update workspaces
    set name = $1, timezone = $2, daily_cap = $3, tick_interval_ms = $4, windows = $5,
        paused = coalesce($6, paused), archived_at = null
    where id = $7`,
};

function listWorkspaceValues(values: WorkspaceValues): unknown[] {
  const { name, timezone, dailyCap, tickIntervalMs, windows, paused } = values;
  return [name, timezone, dailyCap, tickIntervalMs, windows, paused];
}

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

/** Adds a channel, its secrets sealed already. */
export async function insertChannel(db: Database, values: ChannelValues, now: Date): Promise<number> {
  return insertRow(db, insertChannelRow, [...listChannelValues(values), now]);
}

const insertChannelRow = {
  name: 'insert-channel',
  text: `
    insert into channels (workspace_id, name, platform, instance, target, account_id, needs_account,
                          publish_interval_ms, daily_cap, paused, settings, secrets, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, false), $11, $12, $13) returning id`,
};

/** Its holds and its breaker stay, unless it now is another place: what the old one answered says nothing of it. */
export async function updateChannel(db: Database, id: number, values: ChannelValues): Promise<void> {
  await execute(db, updateChannelRow, [...listChannelValues(values), id]);
}

const updateChannelRow = {
  name: 'update-channel',
  text: `
    with moved as (
      select id, (platform, instance, target) is distinct from ($3, $4, $5) as "isMoved" from channels where id = $13
    )
    update channels c
    set workspace_id = $1, name = $2, platform = $3, instance = $4, target = $5, account_id = $6,
        needs_account = $7, publish_interval_ms = $8, daily_cap = $9, paused = coalesce($10, paused),
        settings = $11, secrets = $12, archived_at = null,
        hold_reason = case when "isMoved" then null else hold_reason end,
        hold_detail = case when "isMoved" then null else hold_detail end,
        held_until = case when "isMoved" then null else held_until end,
        refusals = case when "isMoved" then 0 else refusals end,
        failures_since = case when "isMoved" then null else failures_since end,
        breaker_tripped = breaker_tripped and not "isMoved"
    from moved where c.id = moved.id`,
};

function listChannelValues(values: ChannelValues): unknown[] {
  const { workspaceId, name, platform, instance, target, accountId, needsAccount } = values;
  const { intervalMs, dailyCap, paused, settings, secrets } = values;
  const place = [workspaceId, name, platform, instance, target, accountId, needsAccount];
  return [...place, intervalMs, dailyCap, paused, JSON.stringify(settings), secrets];
}

/** Takes channels' names away until each gets its new one: two may swap theirs. */
export async function clearChannelNames(db: Database, ids: readonly number[]): Promise<void> {
  await execute(db, clearNames, [ids]);
}

// A control character: no name from a file holds one.
const clearNames = {
  name: 'clear-channel-names',
  text: 'update channels set name = chr(1) || id where id = any($1)',
};

/** Gives a channel that the file leaves out a name that is in nobody's way. */
export async function renameChannel(db: Database, id: number, name: string): Promise<void> {
  await execute(db, updateChannelName, [id, name]);
}

const updateChannelName = { name: 'rename-channel', text: 'update channels set name = $2 where id = $1' };

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

/** Adds a feed that is due at once. */
export async function insertFeed(db: Database, values: FeedValues, now: Date): Promise<number> {
  return insertRow(db, insertFeedRow, [...listFeedValues(values), now]);
}

const insertFeedRow = {
  name: 'insert-feed',
  text: `
    insert into feeds (workspace_id, name, url, every_ms, first_import, max_age_ms, paused, next_fetch_at, created_at)
    values ($1, $2, $3, $4, $5, $6, coalesce($7, false), $8, $8) returning id`,
};

/**
 * A new URL is read at once and whole (what was seen stays seen); a read of the old one that is still running
 * loses its claim. A feed out of the archive is read at once too, one with a new interval no later than that.
 */
export async function updateFeed(db: Database, id: number, values: FeedValues, now: Date): Promise<void> {
  const soonAt = new Date(now.getTime() + values.everyMs);
  await execute(db, updateFeedRow, [...listFeedValues(values), now, soonAt, id]);
}

const updateFeedRow = {
  name: 'update-feed',
  text: `
    with fresh as (
      select id, url <> $3 as "isMoved", url <> $3 or archived_at is not null as "isFresh" from feeds where id = $10
    )
    update feeds f
    set workspace_id = $1, name = $2, url = $3, every_ms = $4, first_import = $5, max_age_ms = $6,
        paused = coalesce($7, paused), archived_at = null,
        next_fetch_at = case when "isFresh" then $8
                             when every_ms <> $4 then least(next_fetch_at, $9) else next_fetch_at end,
        status = case when "isFresh" then 'active' else status end,
        failures = case when "isFresh" then 0 else failures end,
        last_error = case when "isFresh" then null else last_error end,
        etag = case when "isMoved" then null else etag end,
        last_modified = case when "isMoved" then null else last_modified end,
        moved_to = case when "isMoved" then null else moved_to end,
        moved_hits = case when "isMoved" then 0 else moved_hits end,
        ingest_status = case when "isMoved" then 'idle' else ingest_status end,
        claim_token = case when "isMoved" then null else claim_token end,
        claimed_at = case when "isMoved" then null else claimed_at end
    from fresh where f.id = fresh.id`,
};

function listFeedValues(values: FeedValues): unknown[] {
  const { workspaceId, name, url, everyMs, firstImport, maxAgeMs, paused } = values;
  return [workspaceId, name, url, everyMs, JSON.stringify(firstImport), maxAgeMs, paused];
}

/** Adds a route between rows of the same workspace. */
export async function insertRoute(db: Database, values: RouteValues, now: Date): Promise<number> {
  return insertRow(db, insertRouteRow, [...listRouteValues(values), now]);
}

const insertRouteRow = {
  name: 'insert-route',
  text: `
    insert into routes (workspace_id, feed_id, channel_id, approval, priority, include, exclude, template, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
};

/** Rules for articles to come: what is already routed keeps its text, approval and priority. */
export async function updateRoute(db: Database, id: number, values: RouteValues): Promise<void> {
  await execute(db, updateRouteRow, [...listRouteValues(values), id]);
}

const updateRouteRow = {
  name: 'update-route',
  text: `
    update routes
    set workspace_id = $1, feed_id = $2, channel_id = $3, approval = $4, priority = $5, include = $6, exclude = $7,
        template = $8, archived_at = null
    where id = $9`,
};

function listRouteValues(values: RouteValues): unknown[] {
  const { workspaceId, feedId, channelId, approval, priority, include, exclude, template } = values;
  return [workspaceId, feedId, channelId, approval, priority, include, exclude, template];
}

export type ArchivableTable = 'accounts' | 'channels' | 'feeds' | 'routes';

/** Takes a row out of use; its history stays. */
export async function archiveRow(db: Database, table: ArchivableTable, id: number, now: Date): Promise<void> {
  await execute(db, archive[table], [id, now]);
}

const archiveStatement = (table: ArchivableTable) => ({
  name: `archive-${table}`,
  text: `update ${table} set archived_at = $2 where id = $1 and archived_at is null`,
});

const archive = {
  accounts: archiveStatement('accounts'),
  channels: archiveStatement('channels'),
  feeds: archiveStatement('feeds'),
  routes: archiveStatement('routes'),
};

async function insertRow(db: Database, statement: Statement, values: readonly unknown[]): Promise<number> {
  const [row] = await query<{ id: number }>(db, statement, values);
  if (!row) throw new Error(`${statement.name} returned no id`);
  return row.id;
}
