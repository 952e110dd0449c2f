import { z } from 'zod';
import type { Channel } from '../../src/channels/Channel.ts';
import { files } from '../../src/channels/files.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { webhook } from '../../src/channels/webhook.ts';
import { checkTemplate } from '../../src/routing/checkTemplate.ts';
import { parseConfig } from '../../src/setup/readConfigFile.ts';
import type { Setup } from '../../src/setup/Setup.ts';
import { plainPlatform } from '../support/outlet.ts';

/** The README's example. */
export const exampleConfig = `
workspaces:
  - { name: default, timezone: Europe/Berlin, dailyCap: 10, tickEvery: 5m, windows: ["mon-fri 08:00-22:00"] }
accounts:
  - { name: bot, platform: lemmy, instance: "https://lemmy.example", username: bot, password: "\${LEMMY_PASSWORD}" }
channels:
  - { name: tech, platform: lemmy, account: bot, target: technology@lemmy.example, interval: 60m, dailyCap: 5 }
  - { name: hook, platform: webhook, url: "https://hooks.example/in", secret: "\${HOOK_SECRET}" }
  - { name: outbox, platform: files, folder: /srv/outbox }
feeds:
  - { name: blog, url: "https://blog.example/feed.xml", every: 15m, firstImport: baseline, maxAge: 7d }
routes:
  - { feed: blog, channel: tech, approval: manual, priority: 0, include: ["release"], template: "{{ title }}" }
`.trimStart();

export const exampleEnv = { LEMMY_PASSWORD: 'hunter2-lemmy', HOOK_SECRET: 'hunter2-hook' };

const neverSent = async (): Promise<PublishOutcome> => ({
  kind: 'not_sent',
  code: 'aborted',
  detail: 'no test sends this',
});

/** Stands for a platform that needs accounts, without what the real one logs in with. */
const lemmy: Channel<{ target: string; nsfw?: boolean | undefined }> = {
  ...plainPlatform,
  platform: 'lemmy',
  needsAccount: true,
  reconciliation: () => ({ kind: 'blind' }),
  settings: z.strictObject({ target: z.string(), nsfw: z.boolean().optional() }),
  destination: ({ target }) => ({ instance: target.split('@')[1] ?? '', target }),
  publish: neverSent,
};

/** Words its findings carelessly: what it puts into them must be hidden by whoever prints them. */
const careless: Channel<{ room: string; token: string }> = {
  ...plainPlatform,
  platform: 'careless',
  reconciliation: () => ({ kind: 'blind' }),
  settings: z.strictObject({
    room: z.string(),
    token: z
      .string()
      .refine(token => token.startsWith('ok-'), { error: ({ input }) => `Bad token ${input}` }),
  }),
  secretKeys: ['token'],
  destination: ({ room }) => ({ instance: '', target: room }),
  publish: neverSent,
};

export const exampleChannels: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  ['files', files],
  ['webhook', webhook],
  ['lemmy', lemmy],
  ['careless', careless],
]);

/** Parses a `config.yaml` with the example's environment and platforms. */
export function readText(text: string, env: Readonly<Record<string, string>> = exampleEnv): Setup {
  return parseConfig(text, 'config.yaml', { env, channels: exampleChannels, checkTemplate });
}
