import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTemplate } from '../../src/routing/checkTemplate.ts';
import { ConfigFileError } from '../../src/setup/ConfigFileError.ts';
import { readConfigFile } from '../../src/setup/readConfigFile.ts';
import { exampleChannels, exampleConfig, exampleEnv, readText } from './exampleConfig.ts';

describe('readConfigFile', () => {
  it('reads the example', () => {
    expect(readText(exampleConfig)).toEqual({
      workspaces: [
        {
          name: 'default',
          isImplied: false,
          timezone: 'Europe/Berlin',
          dailyCap: 10,
          tickEveryMs: 300_000,
          windows: ['mon-fri 08:00-22:00'],
          paused: null,
        },
      ],
      accounts: [
        {
          workspace: 'default',
          name: 'bot',
          platform: 'lemmy',
          instance: 'https://lemmy.example',
          username: 'bot',
          isActive: true,
          secrets: { password: { value: 'hunter2-lemmy', from: `\${LEMMY_PASSWORD}` } },
        },
      ],
      channels: [
        {
          workspace: 'default',
          name: 'tech',
          platform: 'lemmy',
          instance: 'lemmy.example',
          target: 'technology@lemmy.example',
          account: 'bot',
          needsAccount: true,
          intervalMs: 3_600_000,
          dailyCap: 5,
          paused: null,
          settings: { target: 'technology@lemmy.example' },
          secrets: {},
        },
        expect.objectContaining({
          name: 'hook',
          account: null,
          needsAccount: false,
          intervalMs: 0,
          dailyCap: null,
          settings: { url: 'https://hooks.example/in' },
          secrets: { secret: { value: 'hunter2-hook', from: `\${HOOK_SECRET}` } },
        }),
        expect.objectContaining({ name: 'outbox', settings: { folder: '/srv/outbox' }, secrets: {} }),
      ],
      feeds: [
        {
          workspace: 'default',
          name: 'blog',
          url: 'https://blog.example/feed.xml',
          everyMs: 900_000,
          firstImport: { mode: 'baseline' },
          maxAgeMs: 604_800_000,
          enrichWithinMs: null,
          paused: null,
        },
      ],
      routes: [
        {
          workspace: 'default',
          feed: 'blog',
          channel: 'tech',
          approval: 'manual',
          priority: 0,
          include: ['release'],
          exclude: [],
          template: '{{ title }}',
          edits: null,
        },
      ],
    });
  });

  it('fills in every default', () => {
    const setup = readText(
      'workspaces: [{ name: a }]\nfeeds: [{ name: f, url: "https://f.example" }]\n' +
        'channels: [{ name: c, platform: files, folder: x }]\nroutes: [{ feed: f, channel: c }]\naccounts:\n',
    );

    expect(setup.workspaces[0]).toMatchObject({
      timezone: 'UTC',
      dailyCap: 24,
      tickEveryMs: 300_000,
      windows: [],
    });
    expect(setup.channels[0]).toMatchObject({ intervalMs: 0, dailyCap: null, paused: null });
    expect(setup.feeds[0]).toMatchObject({
      everyMs: 900_000,
      firstImport: { mode: 'baseline' },
      maxAgeMs: null,
      enrichWithinMs: null,
    });
    expect(setup.routes[0]).toMatchObject({
      approval: 'manual',
      priority: 0,
      template: '{{ title }}',
      edits: null,
    });
  });

  it.each([
    ['true', 600_000],
    ['"true"', 600_000],
    ['90s', 90_000],
    ['30s', 30_000],
    ['1d', 86_400_000],
    ['false', null],
    ['"false"', null],
  ])('reads enrich: %s', (written, enrichWithinMs) => {
    const setup = readText(`feeds: [{ name: f, url: "https://f.example", enrich: ${written} }]`);

    expect(setup.feeds[0]).toMatchObject({ enrichWithinMs });
  });

  it('puts what names no workspace into the first of the file', () => {
    const setup = readText(
      'workspaces: [{ name: a }, { name: b }]\n' +
        'feeds: [{ name: f, url: "https://f.example" }, { name: f, workspace: b, url: "https://f.example" }]',
    );

    expect(setup.feeds.map(({ workspace }) => workspace)).toEqual(['a', 'b']);
  });

  it('implies a workspace named default where the file lists none', () => {
    const setup = readText('feeds: [{ name: f, url: "https://f.example" }]');

    expect(setup.workspaces).toEqual([expect.objectContaining({ name: 'default', isImplied: true })]);
    expect(setup.feeds[0]?.workspace).toBe('default');
  });

  it.each([
    ['baseline', { mode: 'baseline' }],
    ['all', { mode: 'all' }],
    ['{ last: 3 }', { mode: 'last', count: 3 }],
    ['"last: 3"', { mode: 'last', count: 3 }],
    ['{ since: 7d }', { mode: 'since', sinceMs: 604_800_000 }],
    ['"since: 7d"', { mode: 'since', sinceMs: 604_800_000 }],
    // Midnight in Berlin, in summer and in winter.
    ['{ since: 2026-09-01 }', { mode: 'since', at: '2026-08-31T22:00:00.000Z' }],
    ['"since: 2026-12-01"', { mode: 'since', at: '2026-11-30T23:00:00.000Z' }],
    ['{ since: "2026-09-01T10:00:00-07:00" }', { mode: 'since', at: '2026-09-01T17:00:00.000Z' }],
    ['{ since: "2026-09-01T10:00" }', { mode: 'since', at: '2026-09-01T08:00:00.000Z' }],
  ])('reads firstImport: %s', (text, expected) => {
    const setup = readText(
      `workspaces: [{ name: a, timezone: Europe/Berlin }]\nfeeds: [{ name: f, url: "https://f.example", firstImport: ${text} }]`,
    );

    expect(setup.feeds[0]?.firstImport).toEqual(expected);
  });

  it('takes numbers and yes or no from the environment too', () => {
    const text = `workspaces: [{ name: a, dailyCap: "\${CAP}", paused: "\${PAUSED}" }]`;

    expect(readText(text, { CAP: '3', PAUSED: 'true' }).workspaces[0]).toMatchObject({
      dailyCap: 3,
      paused: true,
    });
  });

  it('reads no cap, and a cap of nothing', () => {
    const setup = readText('workspaces: [{ name: a, dailyCap: none }, { name: b, dailyCap: 0 }]');

    expect(setup.workspaces.map(({ dailyCap }) => dailyCap)).toEqual([null, 0]);
  });

  it('puts the environment in anywhere in a string, and reads $${ as a plain ${', () => {
    const text = `routes: []\nfeeds: [{ name: "\${A}-\${B}", url: "https://f.example/$\${x}" }]`;

    expect(readText(text, { A: 'one', B: 'two' }).feeds[0]).toMatchObject({
      name: 'one-two',
      url: `https://f.example/\${x}`,
    });
  });

  it('remembers no placeholder of a secret that is only partly one', () => {
    const text = `channels: [{ name: h, platform: webhook, url: "https://h.example", secret: ["\${A}", "x\${A}"] }]`;

    expect(readText(text, { A: 'abc' }).channels[0]?.secrets).toEqual({
      secret: { value: ['abc', 'xabc'], from: null },
    });
  });

  it('reads through anchors and aliases', () => {
    const setup = readText(
      'feeds:\n  - { name: a, url: &u "https://f.example" }\n  - { name: b, url: *u }\nroutes: []',
    );

    expect(setup.feeds.map(({ url }) => url)).toEqual(['https://f.example', 'https://f.example']);
  });

  it('says which file cannot be read', async () => {
    const context = { env: {}, channels: exampleChannels, checkTemplate };

    await expect(readConfigFile('/no/such/config.yaml', context)).rejects.toThrow(ConfigFileError);
    await expect(readConfigFile('/no/such/config.yaml', context)).rejects.toThrow(
      '/no/such/config.yaml: cannot be read',
    );
  });

  it('reads a file with a byte-order mark and Windows line ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headway-'));
    const path = join(folder, 'config.yaml');
    await writeFile(path, `\ufeff${exampleConfig.replaceAll('\n', '\r\n')}`);

    const setup = await readConfigFile(path, { env: exampleEnv, channels: exampleChannels, checkTemplate });

    expect(setup).toEqual(readText(exampleConfig));
    await rm(folder, { recursive: true });
  });
});
