import { type Database, execute } from '../database/Database.ts';
import type { RouteValues, WorkspaceValues } from './configurationValues.ts';
import { insertRow } from './insertRow.ts';

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

/** Adds a route between rows of the same workspace. */
export async function insertRoute(db: Database, values: RouteValues, now: Date): Promise<number> {
  return insertRow(db, insertRouteRow, [...listRouteValues(values), now]);
}

const insertRouteRow = {
  name: 'insert-route',
  text: `
    insert into routes (workspace_id, feed_id, channel_id, approval, priority, include, exclude, template, edits,
                        created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
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
        template = $8, edits = $9, archived_at = null
    where id = $10`,
};

function listRouteValues(values: RouteValues): unknown[] {
  const { workspaceId, feedId, channelId, approval, priority, include, exclude, template, edits } = values;
  return [workspaceId, feedId, channelId, approval, priority, include, exclude, template, edits];
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
