import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useHeadway } from '../support/headway.ts';

const database = useDatabase();
const { headway, write } = useHeadway({ databaseUrl: () => database.url });
const env = { HOOK_SECRET: 'hunter2-hook' };

const config = `
workspaces:
  - { name: default, timezone: Europe/Berlin, dailyCap: 10, tickEvery: 5m, windows: ["mon-fri 08:00-22:00"] }
  - { name: second, tickEvery: 1h }
accounts:
  - { name: bot, platform: webhook, secret: "\${HOOK_SECRET}" }
channels:
  - { name: hook, platform: webhook, url: "https://hooks.example/in", secret: "\${HOOK_SECRET}", interval: 60m }
  - { name: outbox, platform: files, folder: ./outbox, dailyCap: 5 }
  - { name: outbox, workspace: second, platform: files, folder: ./outbox-2 }
feeds:
  - { name: blog, url: "https://blog.example/feed.xml", every: 15m, firstImport: { last: 3 }, maxAge: 7d }
routes:
  - { feed: blog, channel: hook, approval: auto, priority: 2, include: ["release"], template: "New: {{ title }}" }
  - { feed: blog, channel: outbox }
`;

type Change = { action: string; kind: string; name: string };

async function countAll(): Promise<number> {
  const tables = ['workspaces', 'accounts', 'channels', 'feeds', 'routes', 'audit_log'];
  const counts = await Promise.all(tables.map(table => database.db(table).count('* as count').first()));
  return counts.reduce((sum, row) => sum + Number(row?.count), 0);
}

describe('headway apply', () => {
  it('shows a plan, carries it out, and then finds nothing to do', async () => {
    const file = await write('config.yaml', config);

    const planned = await headway(['apply', file, '--dry-run', '--json'], { env });
    expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await countAll()).toBe(0);
    const applied = await headway(['apply', file, '--json'], { env });
    expect(applied).toMatchObject({ exitCode: 0, stderr: '' });
    const again = await headway(['apply', file], { env });

    const plan = planned.json();
    expect(Object.keys(plan)).toEqual(['applied', 'changes', 'warnings']);
    expect(plan.applied).toBe(false);
    expect(plan.changes.map(({ action, kind, name }: Change) => `${action} ${kind} ${name}`)).toEqual([
      'create workspace default',
      'create workspace second',
      'create account bot',
      'create channel hook',
      'create channel outbox',
      'create channel outbox',
      'create feed blog',
      'create route blog → hook',
      'create route blog → outbox',
    ]);
    expect(plan.changes[3]).toEqual({
      action: 'create',
      kind: 'channel',
      workspace: 'default',
      name: 'hook',
      id: null,
      changes: expect.arrayContaining([{ field: 'interval', from: null, to: '1h' }]),
    });
    expect(applied.json()).toMatchObject({ applied: true, changes: plan.changes.map(() => ({})) });
    expect(again).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('9 up to date') });
    expect(planned.stdout + applied.stdout + again.stdout).not.toContain('hunter2');
  });

  it('refuses a wrong file as a whole: place, value got and what is allowed, for each fault', async () => {
    const file = await write(
      'wrong.yaml',
      `workspaces:
  - { name: default, timezone: Europe/Berln, colour: red }
channels:
  - { name: outbox, platform: files, folder: ./outbox, interval: 5 minutes }
  - { name: hook, platform: webhok, url: "https://hooks.example/in", secret: hunter2 }
  - { name: other, platform: webhook, url: hooks.example, secret: hunter2 }
feeds:
  - { url: "https://blog.example/feed.xml" }
  - { name: blog, url: "not a url" }
routes:
  - { feed: blog, channel: outbx }
`,
    );

    const ran = await headway(['apply', file, '--json']);

    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await countAll()).toBe(0);
    const said = ran.stderr.trimEnd().split('\n');
    const faults = [
      [2, 'workspaces[0].timezone: is not a time zone, got "Europe/Berln"', 'did you mean "Europe/Berlin"?'],
      [2, 'workspaces[0].colour: unknown key', 'allowed name, timezone'],
      [4, 'channels[0].interval: is not a duration in range, got "5 minutes"', 'such as 500ms, 90s, 5m'],
      [5, 'channels[1].platform: is no platform, got "webhok"', 'did you mean "webhook"?'],
      [6, 'channels[2].url: must be an http or https URL', 'got "hooks.example"'],
      [8, 'feeds[0].name: is missing', 'allowed a string'],
      [9, 'feeds[1].url: is not a URL of a feed, got "not a url"', 'allowed http:// or https://'],
      [11, 'routes[0].channel:', 'did you mean "outbox"?'],
    ] as const;
    for (const [line, what, allowed] of faults) {
      const fault = said.find(each => each.startsWith(`${file}:${line}: ${what}`));
      expect(fault, `${what} in\n${ran.stderr}`).toContain(allowed);
    }
    expect(said).toHaveLength(faults.length);
    expect(ran.stderr).not.toContain('hunter2');
  });

  it('refuses a file that cannot be read, or whose secrets are not set', async () => {
    const [missing, unset] = await Promise.all([
      headway(['apply', 'missing.yaml']),
      headway(['apply', await write('config.yaml', config)]),
    ]);

    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain('missing.yaml: cannot be read');
    expect(unset).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unset.stderr).toContain('HOOK_SECRET');
    expect(await countAll()).toBe(0);
  });

  it('says what a file that leaves something out would archive', async () => {
    await headway(['apply', await write('config.yaml', config)], { env });
    const lines = config.split('\n');
    const shorter = lines.filter(line => !/feed: blog, channel: outbox/.test(line)).join('\n');

    const planned = await headway(['apply', await write('shorter.yaml', shorter), '--dry-run'], { env });

    expect(planned.stdout).toContain('- archive route blog → outbox (default)');
    expect(planned.stdout).toContain('nothing was changed');
  });
});

describe('headway export', () => {
  it('prints what applies to the same state, secrets as placeholders', async () => {
    await headway(['apply', await write('config.yaml', config)], { env });

    const [yaml, json] = await Promise.all([headway(['export']), headway(['export', '--json'])]);

    expect(yaml).toMatchObject({ exitCode: 0, stderr: '' });
    expect(yaml.stdout + json.stdout).not.toContain('hunter2');
    expect(json.json()).toMatchObject({ channels: [{ name: 'hook', interval: '1h' }, {}, {}] });
    for (const text of [yaml.stdout, json.stdout]) {
      const again = await headway(['apply', await write('exported.yaml', text), '--json'], { env });
      const { changes } = again.json();
      expect(changes.map(({ action }: Change) => action)).toEqual(changes.map(() => 'unchanged'));
    }
  });

  it('prints one workspace, and refuses one that does not exist by naming those that do', async () => {
    await headway(['apply', await write('config.yaml', config)], { env });

    const [one, none] = await Promise.all([
      headway(['export', '--workspace', 'second', '--json']),
      headway(['export', '--workspace', 'third']),
    ]);

    expect(one.json()).toMatchObject({ workspaces: [{ name: 'second' }], channels: [{ name: 'outbox' }] });
    expect(none).toMatchObject({ exitCode: 2, stdout: '' });
    expect(none.stderr).toContain('There is no workspace "third", only: default, second');
  });
});
