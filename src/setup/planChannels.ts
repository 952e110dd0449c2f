import { channelFields, type Fields } from './configFields.ts';
import { diffFields, diffSecrets } from './diffFields.ts';
import { type PlannedChange, planArchive, planEntry } from './PlannedChange.ts';
import type { ChannelSetup, Stored } from './Setup.ts';

/** The change of one channel. A new destination under the old name is an update: the history stays with it. */
export function planChannel(desired: ChannelSetup, stored: Stored<ChannelSetup> | null): PlannedChange {
  const changes = stored
    ? diffFields(comparedFields(stored), comparedFields(desired))
    : diffFields(null, channelFields(desired));
  const secretChanges = diffSecrets(stored?.secrets ?? {}, desired.secrets);
  return planEntry('channel', desired, stored, [...changes, ...secretChanges]);
}

/**
 * Archives what the file leaves out. Where another channel takes such a row's name, the row gets one out of its
 * way, archived already or not.
 */
export function planLeftoverChannels(
  leftover: readonly Stored<ChannelSetup>[],
  channels: readonly ChannelSetup[],
): PlannedChange[] {
  const taken = new Map<string, number>();
  for (const { workspace, name } of channels) {
    const key = JSON.stringify([workspace, name]);
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return leftover.flatMap(row => {
    const isContested = (taken.get(JSON.stringify([row.workspace, row.name])) ?? 0) > 1;
    if (!isContested) return planArchive('channel', row);
    const name = freeName(row, taken);
    taken.set(JSON.stringify([row.workspace, name]), 1);
    const changes = [{ field: 'name', from: row.name, to: name }];
    const action = row.isArchived ? 'update' : 'archive';
    return [{ action, kind: 'channel', workspace: row.workspace, name, id: row.id, changes }];
  });
}

// Where it posts and whether it needs an account follow from the keys, by rules that a release may change.
function comparedFields(channel: ChannelSetup): Fields {
  const { instance, target, needsAccount } = channel;
  return {
    ...channelFields(channel),
    destination: [instance, target].filter(Boolean).join(' '),
    needsAccount,
  };
}

function freeName({ workspace, name }: ChannelSetup, taken: ReadonlyMap<string, number>): string {
  for (let number = 1; ; number += 1) {
    const candidate = `${name} (archived${number === 1 ? '' : ` ${number}`})`;
    if (!taken.has(JSON.stringify([workspace, candidate]))) return candidate;
  }
}
