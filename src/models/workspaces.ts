import { type Database, execute, query } from '../database/Database.ts';

/** What decides when a workspace publishes. */
export type WorkspaceCalendar = {
  id: number;
  name: string;
  /** IANA name; its calendar decides the cap's day and the windows. */
  timezone: string;
  /** Publications per local day; null: no cap. */
  dailyCap: number | null;
  tickIntervalMs: number;
  /** Such as `mon-fri 08:00-22:00`; empty: always open. */
  windows: readonly string[];
  paused: boolean;
  /** The slot of the newest publication. */
  lastSlotAt: Date | null;
};

export type Workspace = WorkspaceCalendar & { lastTickAt: Date | null; createdAt: Date };

/** Row fields of a `WorkspaceCalendar`, for any statement that selects from `workspaces w`. */
export const calendarColumns = `
  w.id, w.name, w.timezone, w.daily_cap as "dailyCap", w.tick_interval_ms as "tickIntervalMs", w.windows,
  w.paused, w.last_slot_at as "lastSlotAt"`;

/** Row fields of a `Workspace`. */
export const workspaceColumns = `
  ${calendarColumns}, w.last_tick_at as "lastTickAt", w.created_at as "createdAt"`;

/** Every workspace that ticks, by id: what the schedulers of the queue are made to equal. */
export async function listWorkspaces(db: Database): Promise<Workspace[]> {
  return query<Workspace>(db, selectWorkspaces);
}

const selectWorkspaces = {
  name: 'list-workspaces',
  text: `select ${workspaceColumns} from workspaces w where w.archived_at is null order by w.id`,
};

/**
 * Notes when ticks ran, many workspaces in one statement. `isRehearsal` (a standing clock) leaves the
 * database open to further rehearsals; a real tick closes it.
 */
export async function recordTicks(
  db: Database,
  ticks: readonly { workspaceId: number; at: Date }[],
  { isRehearsal }: { isRehearsal: boolean },
): Promise<void> {
  if (ticks.length === 0) return;
  const ids = ticks.map(tick => tick.workspaceId);
  const instants = ticks.map(tick => tick.at);
  await execute(db, updateLastTicks, [ids, instants, isRehearsal]);
}

const updateLastTicks = {
  name: 'record-ticks',
  text: `
    update workspaces w
    set last_tick_at = ticked.at,
        live_since = case when $3 then w.live_since else coalesce(w.live_since, ticked.at) end
    from unnest($1::bigint[], $2::timestamptz[]) as ticked (workspace_id, at)
    where w.id = ticked.workspace_id`,
};

/** Whether a tick ever ran by the system's clock: rehearsals on such a database need `--force`. */
export async function isLive(db: Database): Promise<boolean> {
  const [row] = await query<{ live: boolean }>(db, selectLive);
  return row?.live ?? false;
}

const selectLive = {
  name: 'select-live',
  text: 'select exists (select 1 from workspaces where live_since is not null) as live',
};
