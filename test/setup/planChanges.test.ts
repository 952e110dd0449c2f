import { describe, expect, it } from 'vitest';
import { formatPlan } from '../../src/setup/formatPlan.ts';
import type { PlannedChange } from '../../src/setup/PlannedChange.ts';
import { planChanges } from '../../src/setup/planChanges.ts';
import type { Setup, StoredSetup } from '../../src/setup/Setup.ts';
import { exampleConfig, exampleEnv, readText } from './exampleConfig.ts';

const nothing: StoredSetup = { workspaces: [], accounts: [], channels: [], feeds: [], routes: [] };

/** What the database would hold after that file was applied to an empty one. */
function stored(text: string, archived: readonly string[] = []): StoredSetup {
  const setup = readText(text);
  const row = <Part extends object>(part: Part, index: number) => {
    const name = 'name' in part ? String(part.name) : '';
    return { ...part, id: index + 1, isArchived: archived.includes(name), paused: false };
  };
  const idIn = (list: readonly { name: string; workspace: string }[], name: string, workspace: string) =>
    list.findIndex(part => part.name === name && part.workspace === workspace) + 1;
  return {
    workspaces: setup.workspaces.map(row),
    accounts: setup.accounts.map(row),
    channels: setup.channels.map(row),
    feeds: setup.feeds.map(row),
    routes: setup.routes.map((route, index) => ({
      ...row(route, index),
      feedId: idIn(setup.feeds, route.feed, route.workspace),
      channelId: idIn(setup.channels, route.channel, route.workspace),
    })),
  };
}

function changed(desired: Setup, before: StoredSetup): PlannedChange[] {
  return planChanges(desired, before).filter(({ action }) => action !== 'unchanged');
}

const files = (...channels: readonly (readonly [name: string, folder: string])[]) =>
  `channels: [${channels.map(([name, folder]) => `{ name: ${name}, platform: files, folder: ${folder} }`).join(', ')}]`;

describe('planChanges', () => {
  it('creates everything in an empty database', () => {
    expect(formatPlan(planChanges(readText(exampleConfig), nothing))).toMatchInlineSnapshot(`
      "+ create workspace default
          timezone: Europe/Berlin
          dailyCap: 10
          tickEvery: 5m
          windows: ["mon-fri 08:00-22:00"]
      + create account bot (default)
          platform: lemmy
          instance: https://lemmy.example
          username: bot
          active: true
          password: (secret)
      + create channel tech (default)
          platform: lemmy
          account: bot
          target: technology@lemmy.example
          interval: 1h
          dailyCap: 5
      + create channel hook (default)
          platform: webhook
          url: https://hooks.example/in
          interval: 0s
          dailyCap: none
          secret: (secret)
      + create channel outbox (default)
          platform: files
          folder: /srv/outbox
          interval: 0s
          dailyCap: none
      + create feed blog (default)
          url: https://blog.example/feed.xml
          every: 15m
          firstImport: baseline
          maxAge: 7d
      + create route blog → tech (default)
          approval: manual
          priority: 0
          include: ["release"]
          template: {{ title }}
      7 to create, 0 unchanged."
    `);
  });

  it('changes nothing for the same file', () => {
    const plan = planChanges(readText(exampleConfig), stored(exampleConfig));

    expect(plan.map(({ action }) => action)).toEqual(Array.from({ length: 7 }, () => 'unchanged'));
    expect(formatPlan(plan)).toBe('Nothing to change (7 up to date).');
  });

  it('shows what changes, key by key, as the file writes it', () => {
    const text = exampleConfig
      .replace('dailyCap: 10', 'dailyCap: none')
      .replace('interval: 60m', 'interval: 90s')
      .replace('every: 15m', 'every: 5m, enrich: true')
      .replace('baseline', '{ last: 3 }')
      .replace('manual', 'auto')
      .replace('["release"]', '[]')
      .replace('priority: 0', 'edits: ask');

    expect(formatPlan(planChanges(readText(text), stored(exampleConfig)))).toMatchInlineSnapshot(`
      "~ update workspace default
          dailyCap: 10 → none
      ~ update channel tech (default)
          interval: 1h → 90s
      ~ update feed blog (default)
          every: 15m → 5m
          firstImport: baseline → {"last":3}
          enrich: true
      ~ update route blog → tech (default)
          approval: manual → auto
          include: ["release"] → none
          edits: ask
      4 to update, 3 unchanged."
    `);
  });

  it('archives what the file leaves out, with its routes', () => {
    const text = exampleConfig
      .replace(/ {2}- \{ name: (blog|hook).*\n/g, '')
      .replace(/ {2}- \{ feed: blog.*\n/, '');

    const plan = changed(readText(text), stored(exampleConfig));

    expect(plan).toMatchObject([
      { action: 'archive', kind: 'channel', name: 'hook', changes: [] },
      { action: 'archive', kind: 'feed', name: 'blog', changes: [] },
      { action: 'archive', kind: 'route', name: 'blog → tech', changes: [] },
    ]);
  });

  it('archives nothing twice', () => {
    expect(changed(readText('workspaces: [{ name: default }]'), stored(files(['a', 'x']), ['a']))).toEqual(
      [],
    );
  });

  it('restores what the file names again', () => {
    const plan = changed(readText(exampleConfig), stored(exampleConfig, ['blog', 'outbox', 'bot']));

    expect(plan).toMatchObject([
      { action: 'restore', kind: 'account', name: 'bot', changes: [] },
      { action: 'restore', kind: 'channel', name: 'outbox', changes: [] },
      { action: 'restore', kind: 'feed', name: 'blog', changes: [] },
    ]);
  });

  it('keeps a channel that only got another name', () => {
    expect(changed(readText(files(['b', 'x'])), stored(files(['a', 'x'])))).toEqual([
      {
        action: 'update',
        kind: 'channel',
        workspace: 'default',
        name: 'b',
        id: 1,
        changes: [{ field: 'name', from: 'a', to: 'b' }],
      },
    ]);
  });

  it('keeps the routes of a renamed channel', () => {
    const text = `feeds: [{ name: f, url: "https://f.example" }]\nroutes: [{ feed: f, channel: a }]\n${files(['a', 'x'])}`;

    const plan = changed(readText(text.replaceAll(' a', ' b')), stored(text));

    expect(plan.map(({ action, kind, name }) => [action, kind, name])).toEqual([['update', 'channel', 'b']]);
  });

  it('moves a channel under its old name to a new destination', () => {
    expect(changed(readText(files(['a', '/y'])), stored(files(['a', '/x'])))).toMatchObject([
      {
        action: 'update',
        name: 'a',
        id: 1,
        changes: [
          { field: 'folder', from: '/x', to: '/y' },
          { field: 'destination', from: expect.stringContaining('x'), to: expect.stringContaining('y') },
        ],
      },
    ]);
  });

  it('knows two channels that swap their names by where they post', () => {
    const plan = changed(readText(files(['a', 'y'], ['b', 'x'])), stored(files(['a', 'x'], ['b', 'y'])));

    expect(plan.map(({ id, name, changes }) => [id, name, changes.map(({ field }) => field)])).toEqual([
      [2, 'a', ['name']],
      [1, 'b', ['name']],
    ]);
  });

  it('takes up an archived channel by its destination and moves the one whose name it gets aside', () => {
    const plan = changed(readText(files(['a', 'y'])), stored(files(['a', 'x'], ['old', 'y']), ['old']));

    expect(plan).toMatchObject([
      { action: 'restore', id: 2, name: 'a', changes: [{ field: 'name', from: 'old', to: 'a' }] },
      {
        action: 'archive',
        id: 1,
        name: 'a (archived)',
        changes: [{ field: 'name', from: 'a', to: 'a (archived)' }],
      },
    ]);
  });

  it('keeps a feed that only got another name', () => {
    const text = 'feeds: [{ name: a, url: "https://f.example" }]';

    expect(changed(readText(text.replace('a,', 'b,')), stored(text))).toMatchObject([
      { action: 'update', kind: 'feed', id: 1, name: 'b', changes: [{ field: 'name', from: 'a', to: 'b' }] },
    ]);
  });

  it('changes a pause only where the file speaks of it', () => {
    const text = 'feeds: [{ name: a, url: "https://f.example" }]';
    const before = stored(text);
    const paused = { ...before, feeds: before.feeds.map(feed => ({ ...feed, paused: true })) };

    expect(changed(readText(text), paused)).toEqual([]);
    expect(changed(readText(text.replace(' }', ', paused: false }')), paused)).toMatchObject([
      { action: 'update', changes: [{ field: 'paused', from: true, to: false }] },
    ]);
  });

  it('leaves an implied workspace that exists as it is', () => {
    const before = stored('workspaces: [{ name: default, timezone: Europe/Berlin, dailyCap: 1 }]');

    expect(changed(readText('feeds: []'), before)).toEqual([]);
  });

  it('says that a secret changes and never which', () => {
    const env = { LEMMY_PASSWORD: 'other-lemmy', HOOK_SECRET: 'other-hook' };
    const withoutSecret = exampleConfig.replace(`, secret: "\${HOOK_SECRET}"`, '');

    const replaced = changed(readText(exampleConfig, env), stored(exampleConfig));
    const removed = changed(readText(withoutSecret), stored(exampleConfig));
    const added = changed(readText(exampleConfig), stored(withoutSecret));

    expect(replaced.flatMap(({ changes }) => changes)).toEqual([
      { field: 'password', from: '(secret)', to: '(secret) changed' },
      { field: 'secret', from: '(secret)', to: '(secret) changed' },
    ]);
    expect(removed.flatMap(({ changes }) => changes)).toEqual([
      { field: 'secret', from: '(secret)', to: null },
    ]);
    expect(added.flatMap(({ changes }) => changes)).toEqual([
      { field: 'secret', from: null, to: '(secret)' },
    ]);
    const printed = JSON.stringify([replaced, removed, added, planChanges(readText(exampleConfig), nothing)]);
    for (const secret of [...Object.values(env), ...Object.values(exampleEnv)])
      expect(printed).not.toContain(secret);
  });

  it('compares secrets by value, not by the variable they come from', () => {
    const text = exampleConfig.replace('HOOK_SECRET', 'OTHER_NAME');

    const plan = changed(
      readText(text, { ...exampleEnv, OTHER_NAME: 'hunter2-hook' }),
      stored(exampleConfig),
    );

    expect(plan).toEqual([]);
  });
});
