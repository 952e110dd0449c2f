import type { Path, Problem } from './Problem.ts';
import type { AccountSetup, ChannelSetup } from './Setup.ts';

/** Finds channels that cannot be told apart and those whose account is of another platform. */
export function checkChannels(
  channels: readonly { channel: ChannelSetup; path: Path }[],
  accounts: readonly AccountSetup[],
): Problem[] {
  return [...findSameDestinations(channels), ...findForeignAccounts(channels, accounts)];
}

// One channel per destination: "never twice" is kept per channel.
function findSameDestinations(channels: readonly { channel: ChannelSetup; path: Path }[]): Problem[] {
  const problems: Problem[] = [];
  const first = new Map<string, string>();
  for (const { channel, path } of channels) {
    const key = destinationKey(channel);
    const other = first.get(key);
    if (other === undefined) first.set(key, channel.name);
    else if (other !== channel.name) {
      const message = `the channels ${other} and ${channel.name} have the same destination: keep one of them`;
      problems.push({ path, message });
    }
  }
  return problems;
}

/** What makes a channel itself: the same key in one workspace is the same channel, whatever its name. */
export function destinationKey({ workspace, platform, instance, target }: ChannelSetup): string {
  return JSON.stringify([workspace, platform, instance, target]);
}

function findForeignAccounts(
  channels: readonly { channel: ChannelSetup; path: Path }[],
  accounts: readonly AccountSetup[],
): Problem[] {
  return channels.flatMap(({ channel, path }) => {
    const account = accounts.find(one => one.workspace === channel.workspace && one.name === channel.account);
    if (!account || account.platform === channel.platform) return [];
    const message = `account ${account.name} is one of ${account.platform}, allowed one of ${channel.platform}`;
    return [{ path: [...path, 'account'], message }];
  });
}
