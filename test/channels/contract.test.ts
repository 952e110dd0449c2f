import { expect, it } from 'vitest';
import { channelRegistry, findChannel } from '../../src/channels/registry.ts';
import { type ChannelHarness, describeChannel } from './describeChannel.ts';
import { blueskyHarness } from './harnesses/bluesky.ts';
import { discordHarness } from './harnesses/discord.ts';
import { filesHarness } from './harnesses/files.ts';
import { ghostHarness } from './harnesses/ghost.ts';
import { lemmyHarness } from './harnesses/lemmy.ts';
import { mastodonHarness } from './harnesses/mastodon.ts';
import { nostrHarness } from './harnesses/nostr.ts';
import { slackHarness } from './harnesses/slack.ts';
import { telegramHarness } from './harnesses/telegram.ts';
import { webhookHarness } from './harnesses/webhook.ts';
import { wordpressHarness } from './harnesses/wordpress.ts';

const harnesses: Readonly<Record<string, ChannelHarness>> = {
  bluesky: blueskyHarness,
  discord: discordHarness,
  files: filesHarness,
  ghost: ghostHarness,
  lemmy: lemmyHarness,
  mastodon: mastodonHarness,
  nostr: nostrHarness,
  slack: slackHarness,
  telegram: telegramHarness,
  webhook: webhookHarness,
  wordpress: wordpressHarness,
};

for (const [platform, harness] of Object.entries(harnesses)) describeChannel(platform, harness);

it('covers every registered channel, each under its own name', () => {
  const covered = new Map(Object.entries(harnesses).map(([platform, { channel }]) => [platform, channel]));

  expect(covered).toEqual(channelRegistry);
});

it('finds a channel by its platform, and null for one that does not exist', () => {
  expect(findChannel('webhook')).toBe(webhookHarness.channel);
  expect(findChannel('webhooks')).toBeNull();
});
