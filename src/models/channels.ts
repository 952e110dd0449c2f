import { type Database, execute, type Flight, query } from '../database/Database.ts';
import type { AccountStatus } from './accounts.ts';

/** A channel as its platform needs it: settings as stored, secrets still sealed. */
export type Destination = {
  id: number;
  name: string;
  platform: string;
  needsAccount: boolean;
  settings: Readonly<Record<string, unknown>>;
  secrets: Buffer | null;
  /** Null: none, or one that is archived. */
  accountId: number | null;
  accountName: string | null;
  accountStatus: AccountStatus | null;
};

/** A `Destination` as a statement with `destinationColumns` returns it, beside other fields. */
export type DestinationRow = Omit<Destination, 'id'> & { channelId: number };

/** Parts a destination from the other fields of a row. */
export function takeDestination<Row extends DestinationRow>(row: Row) {
  const { name, platform, needsAccount, settings, secrets, ...others } = row;
  const { accountId, accountName, accountStatus, ...rest } = others;
  const channel = { id: row.channelId, name, platform, needsAccount, settings, secrets };
  return {
    ...rest,
    destination: { ...channel, accountId, accountName, accountStatus } satisfies Destination,
  };
}

/** Row fields of a `Destination`, for a statement with `channels c` and its `accounts a`. */
export const destinationColumns = `
  c.id, c.name, c.platform, c.needs_account as "needsAccount", c.settings, c.secrets,
  a.id as "accountId", a.name as "accountName", a.status as "accountStatus"`;

/** Reads where a post is to go. Throws when there is no such channel: the schema makes that a fault of ours. */
export async function loadDestination(db: Database, channelId: number): Promise<Destination> {
  const [row] = await query<Destination>(db, selectDestination, [channelId]);
  if (!row) throw new Error(`channel ${channelId} does not exist`);
  return row;
}

const selectDestination = {
  name: 'load-destination',
  text: `
    select ${destinationColumns}
    from channels c
    left join accounts a on a.id = c.account_id and a.archived_at is null
    where c.id = $1`,
};

/**
 * Locks workspace, then channel, always in this order, and makes the commit that follows durable before
 * it is answered: what the gate reads cannot change under it.
 */
export async function lockForGate(db: Flight, workspaceId: number, channelId: number): Promise<void> {
  await query(db, lockBoth, [workspaceId, channelId]);
}

// "no key update": foreign-key checks of an ingestion need not wait for a gate. The channel is locked only
// once the materialised workspace is: its row goes into the condition.
const lockBoth = {
  name: 'lock-for-gate',
  text: `
    with workspace as materialized (
      select id, set_config('synchronous_commit', 'on', true) from workspaces where id = $1 for no key update)
    select 1 from channels
    where id = $2 and workspace_id = (select id from workspace) for no key update`,
};

export type HoldTarget = { table: 'channels' | 'accounts'; id: number };

export type NewHold = {
  reason: string;
  detail: string;
  /** Null: until a person or an event lifts it. */
  until: Date | null;
  /** Refusals in a row, this one included. */
  refusals: number;
  /** Whether the channel or account counts as down from now on: the first edge is one alert. */
  isDown: boolean;
  now: Date;
};

/** Refusals in a row so far: they choose how long the next hold lasts. */
export async function countRefusals(db: Database, { table, id }: HoldTarget): Promise<number> {
  const [row] = await query<{ refusals: number }>(db, selectRefusals[table], [id]);
  return row?.refusals ?? 0;
}

const selectRefusals = {
  channels: { name: 'count-channel-refusals', text: 'select refusals from channels where id = $1' },
  accounts: { name: 'count-account-refusals', text: 'select refusals from accounts where id = $1' },
};

/** Sets a hold. True when that turned a healthy channel or account down. */
export async function setHold(db: Database, { table, id }: HoldTarget, hold: NewHold): Promise<boolean> {
  const { reason, detail, until, refusals, isDown, now } = hold;
  const values = [id, reason, detail, until, refusals, isDown, now];
  const [row] = await query<{ wasUp: boolean }>(db, updateHold[table], values);
  return isDown && (row?.wasUp ?? false);
}

const holdStatement = (table: HoldTarget['table']) => `
  with before as (select id, down_since from ${table} where id = $1 for no key update)
  update ${table} held
  set hold_reason = $2, hold_detail = $3, held_until = $4, refusals = $5,
      down_since = case when $6 then coalesce(held.down_since, $7) else held.down_since end
  from before where held.id = before.id
  returning before.down_since is null as "wasUp"`;

const updateHold = {
  channels: { name: 'hold-channel', text: holdStatement('channels') },
  accounts: { name: 'hold-account', text: holdStatement('accounts') },
};

export type ChannelHealth = { failuresSince: Date | null; breakerTripped: boolean };

/** What the breaker knows of a channel. */
export async function loadChannelHealth(db: Database, channelId: number): Promise<ChannelHealth> {
  const [row] = await query<ChannelHealth>(db, selectHealth, [channelId]);
  return row ?? { failuresSince: null, breakerTripped: false };
}

const selectHealth = {
  name: 'load-channel-health',
  text: `
    select failures_since as "failuresSince", breaker_tripped as "breakerTripped"
    from channels where id = $1`,
};

/** Marks the breaker as tripped: until a success or a person, one failing probe holds the channel again. */
export async function tripBreaker(db: Database, channelId: number): Promise<void> {
  await execute(db, updateBreaker, [channelId]);
}

const updateBreaker = {
  name: 'trip-breaker',
  text: 'update channels set breaker_tripped = true where id = $1',
};

/** Marks a channel as down without a hold. True when it was healthy before. */
export async function markChannelDown(db: Database, channelId: number, now: Date): Promise<boolean> {
  return (await execute(db, updateDown, [channelId, now])) > 0;
}

const updateDown = {
  name: 'mark-channel-down',
  text: 'update channels set down_since = $2 where id = $1 and down_since is null',
};
