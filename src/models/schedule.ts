import { type Database, type Flight, query } from '../database/Database.ts';
import { openUnknownAt } from './unknownOutcomes.ts';
import { type Workspace, workspaceColumns } from './workspaces.ts';

/** A hold: not to be tried before `until`; null `until`: until a person or an event lifts it. */
export type Hold = { reason: string; detail: string | null; until: Date | null };

export type AccountState = {
  id: number;
  status: 'active' | 'needs_attention' | 'disabled';
  hold: Hold | null;
};

/** A channel as the tick weighs it. */
export type ChannelState = {
  id: number;
  name: string;
  platform: string;
  paused: boolean;
  intervalMs: number;
  dailyCap: number | null;
  /** When its cap-th newest publication counted; null: fewer than the cap, or no cap. */
  capthCountedAt: Date | null;
  /** When its newest publication counted, whatever its state; null: none yet. */
  lastCountedAt: Date | null;
  needsAccount: boolean;
  account: AccountState | null;
  hold: Hold | null;
  /** When its first open unknown outcome can be found out about; null: it has none, or they are left to a person. */
  lookUpAt: Date | null;
};

/** Everything but the articles that decides whether something may go out at an instant. */
export type Schedule = {
  workspace: Workspace;
  /** When the workspace's cap-th newest publication counted; null: fewer than the cap, or no cap. */
  capthCountedAt: Date | null;
  channels: readonly ChannelState[];
};

/**
 * Reads a workspace's schedule in one round trip, with all its channels or only one of them; null when
 * there is no such workspace. It holds facts only: what they mean at an instant is decided by
 * `openChannels` and `workspaceStops`.
 */
export async function loadSchedule(
  db: Database | Flight,
  workspaceId: number,
  channelId: number | null = null,
): Promise<Schedule | null> {
  return toSchedule(await query<ScheduleRow>(db, selectSchedule, [workspaceId, channelId]));
}

/** As `loadSchedule` for one channel, without one publication: a repeat is not stopped by what it repeats. */
export async function loadScheduleWithout(
  db: Database | Flight,
  {
    workspaceId,
    channelId,
    publicationId,
  }: { workspaceId: number; channelId: number; publicationId: number },
): Promise<Schedule | null> {
  const values = [workspaceId, channelId, publicationId];
  return toSchedule(await query<ScheduleRow>(db, selectScheduleWithout, values));
}

function toSchedule(rows: readonly ScheduleRow[]): Schedule | null {
  const [first] = rows;
  if (!first) return null;
  const { capthCountedAt } = first;
  return { workspace: toWorkspace(first), capthCountedAt, channels: rows.flatMap(toChannel) };
}

type ScheduleRow = Workspace & {
  capthCountedAt: Date | null;
  channelId: number | null;
  channelName: string;
  platform: string;
  channelPaused: boolean;
  intervalMs: number;
  channelCap: number | null;
  channelCapthCountedAt: Date | null;
  lastCountedAt: Date | null;
  needsAccount: boolean;
  holdReason: string | null;
  holdDetail: string | null;
  heldUntil: Date | null;
  accountId: number | null;
  accountStatus: AccountState['status'];
  accountHoldReason: string | null;
  accountHoldDetail: string | null;
  accountHeldUntil: Date | null;
  lookUpAt: Date | null;
};

// A cap without a counter, which cannot drift: it is reached exactly when the cap-th newest is dated today.
const capthCountedAt = (cap: string, scope: string) => `
  case when ${cap} > 0 then (
    select p.counted_at from publications p where ${scope}
    order by p.counted_at desc offset ${cap} - 1 limit 1) end`;

const scheduleText = (isCounted: string) => `
    select ${workspaceColumns},
      cap."capthCountedAt",
      c.id as "channelId", c.name as "channelName", c.platform, c.paused as "channelPaused",
      c.publish_interval_ms as "intervalMs", c.daily_cap as "channelCap",
      ${capthCountedAt('c.daily_cap', `p.channel_id = c.id${isCounted}`)} as "channelCapthCountedAt",
      (select p.counted_at from publications p where p.channel_id = c.id${isCounted}
       order by p.counted_at desc limit 1) as "lastCountedAt",
      c.needs_account as "needsAccount",
      c.hold_reason as "holdReason", c.hold_detail as "holdDetail", c.held_until as "heldUntil",
      a.id as "accountId", a.status as "accountStatus", a.hold_reason as "accountHoldReason",
      a.hold_detail as "accountHoldDetail", a.held_until as "accountHeldUntil",
      ${openUnknownAt} as "lookUpAt"
    from workspaces w
    cross join lateral (
      select ${capthCountedAt('w.daily_cap', `p.workspace_id = w.id${isCounted}`)} as "capthCountedAt" offset 0) cap
    left join channels c on c.workspace_id = w.id and c.archived_at is null and c.id = coalesce($2, c.id)
    left join accounts a on a.id = c.account_id and a.archived_at is null
    where w.id = $1 and w.archived_at is null
    order by c.id`;

const selectSchedule = { name: 'load-schedule', text: scheduleText('') };
const selectScheduleWithout = { name: 'load-schedule-without', text: scheduleText(' and p.id <> $3') };

function toWorkspace(row: ScheduleRow): Workspace {
  const { id, name, timezone, dailyCap, tickIntervalMs, windows, paused } = row;
  const { lastSlotAt, lastTickAt, createdAt } = row;
  return {
    id,
    name,
    timezone,
    dailyCap,
    tickIntervalMs,
    windows,
    paused,
    lastSlotAt,
    lastTickAt,
    createdAt,
  };
}

function toChannel(row: ScheduleRow): ChannelState[] {
  if (row.channelId === null) return [];
  return [
    {
      id: row.channelId,
      name: row.channelName,
      platform: row.platform,
      paused: row.channelPaused,
      intervalMs: row.intervalMs,
      dailyCap: row.channelCap,
      capthCountedAt: row.channelCapthCountedAt,
      lastCountedAt: row.lastCountedAt,
      needsAccount: row.needsAccount,
      account: toAccount(row),
      hold: toHold(row.holdReason, row.holdDetail, row.heldUntil),
      lookUpAt: row.lookUpAt,
    },
  ];
}

function toAccount(row: ScheduleRow): AccountState | null {
  if (row.accountId === null) return null;
  const hold = toHold(row.accountHoldReason, row.accountHoldDetail, row.accountHeldUntil);
  return { id: row.accountId, status: row.accountStatus, hold };
}

function toHold(reason: string | null, detail: string | null, until: Date | null): Hold | null {
  return reason === null ? null : { reason, detail, until };
}
