import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../src/secrets.ts';
import { applyPlan } from '../../src/setup/applyPlan.ts';
import { exportConfig } from '../../src/setup/exportConfig.ts';
import { useDatabase } from '../support/database.ts';
import { exampleConfig, exampleEnv, readText } from './exampleConfig.ts';

const box = createSecretBox(randomBytes(32));
const now = new Date('2026-11-30T12:00:00Z');
const test = useDatabase();

async function apply(text: string, env: Readonly<Record<string, string>> = exampleEnv) {
  const plan = await applyPlan(test.db, readText(text, env), { box, now, actor: 'cli' });
  return plan.filter(({ action }) => action !== 'unchanged');
}

async function empty() {
  await test.db.raw('truncate workspaces cascade');
}

const everything = `
workspaces:
  - { name: news, timezone: America/St_Johns, dailyCap: none, tickEvery: 90s, paused: true }
  - { name: "two words", dailyCap: 0, windows: ["sat,sun 10:00-18:00", "22:00-02:00"] }
accounts:
  - { name: bot, platform: lemmy, token: plain-hunter2, active: false }
  - { name: bot, workspace: two words, platform: lemmy, appPassword: other-hunter2 }
channels:
  - { name: "été", platform: webhook, url: "https://h.example/$\${x}", secret: ["\${NEW}", plain-hunter2], paused: true }
  - { name: tech, workspace: two words, platform: lemmy, account: bot, target: t@l.example, nsfw: true }
  - { name: "123", platform: files, folder: "yes # no", interval: 36h, dailyCap: 2 }
feeds:
  - { name: "- a: b", url: "https://f.example/?a=1&b=2", firstImport: { since: 2026-09-01 }, enrich: true, paused: true }
  - { name: f, workspace: two words, url: "https://f.example", firstImport: { last: 3 }, every: 500s, enrich: 90s }
routes:
  - { feed: "- a: b", channel: "123", approval: auto, priority: -5, exclude: [" ad ", "true"], edits: follow, template: "{{ title }}\\n#news $\${x}" }
`;

describe('exportConfig', () => {
  it('writes what the example says, under the names that its secrets came from', async () => {
    await apply(exampleConfig);

    expect(await exportConfig(test.db, { box })).toMatchInlineSnapshot(`
      "# Exported by headway export.
      # Secrets are not in it. Set these in the environment before applying it:
      #   LEMMY_PASSWORD (account bot, password)
      #   HOOK_SECRET (channel hook, secret)

      workspaces:
        - name: default
          timezone: Europe/Berlin
          dailyCap: 10
          tickEvery: 5m
          windows:
            - mon-fri 08:00-22:00

      accounts:
        - name: bot
          platform: lemmy
          instance: https://lemmy.example
          username: bot
          password: \${LEMMY_PASSWORD}

      channels:
        - name: tech
          platform: lemmy
          account: bot
          target: technology@lemmy.example
          interval: 1h
          dailyCap: 5
        - name: hook
          platform: webhook
          url: https://hooks.example/in
          interval: 0s
          dailyCap: none
          secret: \${HOOK_SECRET}
        - name: outbox
          platform: files
          folder: /srv/outbox
          interval: 0s
          dailyCap: none

      feeds:
        - name: blog
          url: https://blog.example/feed.xml
          every: 15m
          firstImport: baseline
          maxAge: 7d

      routes:
        - feed: blog
          channel: tech
          approval: manual
          priority: 0
          include:
            - release
          template: "{{ title }}"
      "
    `);
  });

  it('writes a file that changes nothing', async () => {
    await apply(everything, { NEW: 'new-hunter2' });

    const text = await exportConfig(test.db, { box });

    const env = {
      HEADWAY_ACCOUNT_BOT_TOKEN: 'plain-hunter2',
      HEADWAY_ACCOUNT_BOT_APP_PASSWORD: 'other-hunter2',
      HEADWAY_CHANNEL_ETE_SECRET: 'new-hunter2',
      HEADWAY_CHANNEL_ETE_SECRET_2: 'plain-hunter2',
    };
    expect(await apply(text, env)).toEqual([]);
  });

  it('writes a file that makes the same state in an empty database', async () => {
    await apply(everything, { NEW: 'new-hunter2' });
    const text = await exportConfig(test.db, { box });
    const names = [...text.matchAll(/^# {3}(\w+)/gm)].map(([, name = '']) => name);
    await empty();

    await apply(text, Object.fromEntries(names.map(name => [name, `value of ${name}`])));

    expect(await exportConfig(test.db, { box })).toBe(text);
  });

  it('never holds a secret', async () => {
    await apply(everything, { NEW: 'new-hunter2' });

    expect(await exportConfig(test.db, { box })).not.toContain('hunter2');
  });

  it('gives two secrets from one variable two names once they differ', async () => {
    const hook = (name: string) =>
      `{ name: ${name}, platform: webhook, url: "https://${name}.example", secret: "\${S}" }`;
    await apply(`workspaces: [{ name: a }]\nchannels: [${hook('one')}]`, { S: 'first' });
    await apply(`workspaces: [{ name: b }]\nchannels: [${hook('two')}]`, { S: 'second' });

    const text = await exportConfig(test.db, { box });

    expect(text).toContain(
      '#   S (channel one, secret)\n#   HEADWAY_CHANNEL_TWO_SECRET (channel two, secret)\n',
    );
    expect(await apply(text, { S: 'first', HEADWAY_CHANNEL_TWO_SECRET: 'second' })).toEqual([]);
  });

  it('leaves out what is archived', async () => {
    await apply(exampleConfig);
    await apply(exampleConfig.replace(/ {2}- \{ name: outbox.*\n/, ''));

    expect(await exportConfig(test.db, { box })).not.toContain('outbox');
  });

  it('writes one workspace alone', async () => {
    await apply(everything, { NEW: 'new-hunter2' });

    const text = await exportConfig(test.db, { box, workspace: 'two words' });

    expect(readText(text, { HEADWAY_ACCOUNT_BOT_APP_PASSWORD: 'x' })).toMatchObject({
      workspaces: [{ name: 'two words' }],
      channels: [{ name: 'tech', workspace: 'two words' }],
    });
    await expect(exportConfig(test.db, { box, workspace: 'three' })).rejects.toThrow(
      'there is no workspace three',
    );
  });

  it('refuses to export what it cannot open', async () => {
    await apply(exampleConfig);

    const attempt = exportConfig(test.db, { box: createSecretBox(randomBytes(32)) });

    await expect(attempt).rejects.toThrow('cannot be opened with this HEADWAY_SECRET_KEY');
  });
});
