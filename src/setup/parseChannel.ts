import type { AccountPlace, Channel } from '../channels/Channel.ts';
import { didYouMean } from '../didYouMean.ts';
import { channelSchema } from './configSchema.ts';
import { showValue } from './describeIssues.ts';
import { type Entry, keysOf, parseEntry, pickKeys, textIn } from './Entry.ts';
import type { Problem } from './Problem.ts';
import type { ChannelSetup } from './Setup.ts';
import { takeSecrets } from './takeSecrets.ts';

export type Channels = ReadonlyMap<string, Channel>;

export type ChannelContext = {
  workspace: string;
  channels: Channels;
  accountNamed: (name: string) => AccountPlace | null;
};

/**
 * Parses an entry of `channels`: the keys that all have, then those of its platform. `accountNamed` finds the
 * account that it names among those that could be parsed.
 */
export function parseChannel(
  entry: Entry,
  { workspace, channels, accountNamed }: ChannelContext,
  problems: Problem[],
): ChannelSetup | null {
  const commonKeys = Object.keys(channelSchema.shape);
  const common = parseEntry(
    channelSchema,
    pickKeys(entry, commonKeys, true),
    { knownKeys: commonKeys },
    problems,
  );
  const platform = checkPlatform(entry, channels, problems);
  if (!platform) return null;

  const own = pickKeys(entry, commonKeys, false);
  const knownKeys = [...commonKeys, ...keysOf(platform.settings)];
  const keys = { knownKeys, secretKeys: platform.secretKeys };
  const parsed = parseEntry(
    platform.settings.transform(settings => ({ settings })),
    own,
    keys,
    problems,
  );
  const taken = parsed && takeSecrets(own, platform.secretKeys, problems);
  if (!common || !parsed || !taken) return null;

  return {
    workspace,
    name: common.name,
    platform: platform.platform,
    ...platform.destination(parsed.settings, common.account ? accountNamed(common.account) : null),
    account: common.account ?? null,
    needsAccount: platform.needsAccount || common.account !== undefined,
    intervalMs: common.interval,
    dailyCap: common.dailyCap,
    paused: common.paused ?? null,
    settings: plainSettings(parsed.settings, platform.secretKeys),
    secrets: taken.secrets,
  };
}

// As the platform has read them (a folder made absolute, say), so that they mean the same everywhere.
function plainSettings(settings: unknown, secretKeys: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(Object(settings));
  return Object.fromEntries(
    entries.filter(([key, value]) => value !== undefined && !secretKeys.includes(key)),
  );
}

/** The platform that an entry names. Null, and the problem, where there is no such platform. */
export function checkPlatform(entry: Entry, channels: Channels, problems: Problem[]): Channel | null {
  const name = textIn(entry, 'platform');
  const platform = channels.get(name ?? '') ?? null;
  if (platform || !name) return platform;
  const known = [...channels.keys()].sort();
  const message = `is no platform, got ${showValue(name)}, allowed ${known.join(', ')}${didYouMean(name, known)}`;
  problems.push({ path: [...entry.path, 'platform'], message });
  return null;
}
