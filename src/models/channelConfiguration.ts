import { type Database, execute } from '../database/Database.ts';
import type { ChannelValues } from './configurationValues.ts';
import { insertRow } from './insertRow.ts';

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

/**
 * Its holds and its breaker stay, unless it now is another place, or `isMended`: its settings, secrets or account
 * are others. What the old ones were answered says nothing of these.
 */
export async function updateChannel(
  db: Database,
  id: number,
  values: ChannelValues & { isMended: boolean },
): Promise<void> {
  await execute(db, updateChannelRow, [...listChannelValues(values), id, values.isMended]);
}

const updateChannelRow = {
  name: 'update-channel',
  text: `
    with moved as (
      select id, (platform, instance, target) is distinct from ($3, $4, $5) or $14 as "isNew" from channels where id = $13
    )
    update channels c
    set workspace_id = $1, name = $2, platform = $3, instance = $4, target = $5, account_id = $6,
        needs_account = $7, publish_interval_ms = $8, daily_cap = $9, paused = coalesce($10, paused),
        settings = $11, secrets = $12, archived_at = null,
        hold_reason = case when "isNew" then null else hold_reason end,
        hold_detail = case when "isNew" then null else hold_detail end,
        held_until = case when "isNew" then null else held_until end,
        refusals = case when "isNew" then 0 else refusals end,
        failures_since = case when "isNew" then null else failures_since end,
        breaker_tripped = breaker_tripped and not "isNew"
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
