import { expect, it } from 'vitest';
import { channelRegistry, findChannel } from '../../src/channels/registry.ts';
import { type ChannelHarness, describeChannel } from './describeChannel.ts';
import { filesHarness } from './harnesses/files.ts';
import { webhookHarness } from './harnesses/webhook.ts';

const harnesses: Readonly<Record<string, ChannelHarness>> = {
  files: filesHarness,
  webhook: webhookHarness,
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
