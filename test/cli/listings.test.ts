import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../src/version.ts';
import { useDatabase } from '../support/database.ts';
import {
  createArticle,
  createChannel,
  createFeed,
  createRouteArticle,
  createWorkspace,
  routeArticle,
} from '../support/factories.ts';
import { useHeadway } from '../support/headway.ts';

const database = useDatabase();
const { headway } = useHeadway({ databaseUrl: () => database.url });
const lastTickAt = '2026-11-02T10:00:00.000Z';
const at = '2026-11-02T10:01:00Z';

let workspaceId = 0;

beforeEach(async () => {
  workspaceId = await createWorkspace(database.db, { name: 'default', last_tick_at: lastTickAt });
});

const channel = (name: string, columns = {}) =>
  createChannel(database.db, workspaceId, { name, platform: 'files', ...columns });

async function createPublication(channelId: number): Promise<void> {
  const columns = { publish_status: 'published', publish_attempts: 1 };
  const id = await createRouteArticle(database.db, { workspaceId, channelId }, columns);
  const { url_key } = await routeArticle(database.db, id);
  await database.db('publications').insert({
    workspace_id: workspaceId,
    channel_id: channelId,
    route_article_id: id,
    url_key,
    generation: 1,
    state: 'published',
    post: '{}',
    counted_at: lastTickAt,
    sending_at: lastTickAt,
    send_by: lastTickAt,
    published_at: lastTickAt,
  });
}

describe('headway channels', () => {
  it('lists each as open, or closed with its reason and end', async () => {
    const open = await channel('a-open');
    await channel('b-held', {
      hold_reason: 'rate_limited',
      hold_detail: 'HTTP 429',
      held_until: '2099-01-01T00:00:00Z',
    });
    await createRouteArticle(database.db, { workspaceId, channelId: open });
    await createPublication(open);

    const [json, table] = await Promise.all([
      headway(['channels', 'list', '--json']),
      headway(['channels', 'list']),
    ]);

    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    const none = { reason: null, until: null, detail: null };
    expect(json.json()).toEqual([
      {
        name: 'a-open',
        platform: 'files',
        isOpen: true,
        ...none,
        waiting: 1,
        lastPublishedAt: lastTickAt,
      },
      {
        name: 'b-held',
        platform: 'files',
        isOpen: false,
        reason: 'channel_held',
        until: '2099-01-01T00:00:00.000Z',
        detail: expect.stringContaining('HTTP 429'),
        waiting: 0,
        lastPublishedAt: null,
      },
    ]);
    expect(table.stdout.split('\n')[2]).toMatch(/^b-held +files +channel_held +2099-01-01T00:00:00Z +0 +- /);
  });

  it('pauses and resumes, once however often it is asked to, and fails for one that is not there', async () => {
    await channel('outbox');

    const paused = await headway(['channels', 'pause', 'outbox', '--json']);
    const again = await headway(['channels', 'pause', 'outbox']);
    const resumed = await headway(['channels', 'resume', 'outbox']);
    const unknown = await headway(['channels', 'pause', 'outbx']);

    expect(paused).toMatchObject({ exitCode: 0, stderr: '' });
    expect(paused.json()).toEqual({ channel: 'outbox', state: 'paused', changed: true });
    expect(again).toMatchObject({ exitCode: 0, stdout: 'The channel outbox was so already.\n' });
    expect(resumed).toMatchObject({ exitCode: 0, stdout: 'The channel outbox was resumed.\n' });
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toBe('There is no channel "outbx" (did you mean "outbox"?), only: outbox\n');
    expect(await database.db('audit_log').orderBy('id').pluck('action')).toEqual(['pause', 'resume']);
  });
});

describe('headway feeds', () => {
  it('lists each with its health', async () => {
    const failing = { name: 'blog', status: 'failing', failures: 3, last_error: 'HTTP 500' };
    const feedId = await createFeed(database.db, workspaceId, { ...failing, last_complete_at: lastTickAt });
    const articleId = await createArticle(database.db, workspaceId, { feed_id: feedId });
    for (const approval_status of ['approved', 'pending']) {
      const channelId = await channel(approval_status);
      const columns = { article_id: articleId, approval_status };
      await createRouteArticle(database.db, { workspaceId, channelId }, columns);
    }

    const [json, table] = await Promise.all([
      headway(['feeds', 'list', '--json']),
      headway(['feeds', 'list']),
    ]);

    expect(json.json()).toEqual([
      {
        name: 'blog',
        url: expect.stringContaining('https://'),
        paused: false,
        status: 'failing',
        lastFetchedAt: null,
        lastCompleteAt: lastTickAt,
        nextFetchAt: expect.stringMatching(/Z$/),
        failures: 3,
        lastError: 'HTTP 500',
        articles: 1,
        movedTo: null,
        movedHits: 0,
        waiting: 1,
        held: 1,
        isRouted: false,
        sameUrlAs: null,
        notes: [
          expect.stringMatching(/^due since 2026-01-01T00:00:00Z, and nobody reads it/),
          'no route takes its articles',
          'articles that wait for approval: 1',
        ],
      },
    ]);
    expect(table.stdout).toContain('! blog: no route takes its articles\n');
    expect(table.stdout.split('\n')[1]).toMatch(/^blog +failing +1 +2026-11-02T10:00:00Z .* HTTP 500$/);
  });

  it('pauses and resumes, and fails for one that is not there', async () => {
    await createFeed(database.db, workspaceId, { name: 'blog' });

    const paused = await headway(['feeds', 'pause', 'blog', '--json']);
    const resumed = await headway(['feeds', 'resume', 'blog']);
    const again = await headway(['feeds', 'resume', 'blog', '--json']);
    const unknown = await headway(['feeds', 'resume', 'blgo']);

    expect(paused.json()).toEqual({ feed: 'blog', state: 'paused', changed: true });
    expect(resumed).toMatchObject({ exitCode: 0, stdout: 'The feed blog was resumed.\n' });
    expect(again.json()).toEqual({ feed: 'blog', state: 'resumed', changed: false });
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toBe('There is no feed "blgo" (did you mean "blog"?), only: blog\n');
  });
});

describe('headway status', () => {
  it('shows whether it ticks, what waits for what, and what needs a person', async () => {
    const open = await channel('open');
    const paused = await channel('paused', { paused: true });
    const article = (channelId: number, columns = {}) =>
      createRouteArticle(database.db, { workspaceId, channelId }, columns);
    await article(open);
    await article(paused);
    await article(open, { approval_status: 'pending' });
    await article(open, {
      publish_status: 'failed',
      publish_attempts: 1,
      next_attempt_at: '2026-11-02T11:00:00Z',
    });
    await article(open, { publish_status: 'dead', publish_attempts: 4 });

    const [json, text, later] = await Promise.all([
      headway(['status', '--json', '--at', at]),
      headway(['status', '--at', at]),
      headway(['status']),
    ]);

    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    expect(json.json()).toEqual({
      versions: { headway: version, node: process.version, postgres: expect.stringMatching(/^\d+/) },
      snapshot: null,
      consumers: [],
      workspaces: [
        {
          name: 'default',
          lastTickAt,
          lastTickAgeMs: 60_000,
          isTicking: true,
          nextSlotAt: expect.stringMatching(/^2026-11-02T10:0/),
          stops: [],
          waiting: { awaiting_approval: 1, waiting_turn: 1, channel_paused: 1, backoff: 1 },
          unknown: 0,
          dead: 1,
          published: 0,
          skipped: 0,
          oldestReadyAt: '2026-01-01T00:00:00.000Z',
          lagMs: Date.parse(at) - Date.parse('2026-01-01T00:00:00Z'),
          imports: [],
          alerts: [],
          olderAlerts: 0,
          holds: [{ channel: 'paused', reason: 'channel_paused', until: null, detail: null }],
        },
      ],
    });
    expect(text.stdout).toContain('default: ticking');
    expect(text.stdout).toContain('waiting: 1 awaiting_approval');
    expect(text.stdout).toContain('dead 1');
    expect(later.stdout).toContain('NOT TICKING');
  });

  it('shows the worker processes, and which of them is gone', async () => {
    const seconds = (count: number) => new Date(Date.parse(at) + 1_000 * count);
    const common = { version, role: 'start', queues: ['publishing', 'ingestion'], started_at: seconds(-600) };
    const alive = { id: randomUUID(), host: 'one', pid: 11, seen_at: seconds(-120) };
    const gone = {
      id: randomUUID(),
      host: 'two',
      pid: 22,
      seen_at: seconds(-121),
      started_at: seconds(-900),
    };
    await database.db('consumers').insert([
      { ...common, ...gone },
      { ...common, ...alive },
    ]);

    const [json, text] = await Promise.all([
      headway(['status', '--json', '--at', at]),
      headway(['status', '--at', at]),
    ]);

    const shown = { version, role: 'start', queues: ['publishing', 'ingestion'] };
    expect(json.json().consumers).toEqual([
      { ...shown, host: 'one', pid: 11, startedAt: iso(-600), seenAt: iso(-120), isAlive: true },
      { ...shown, host: 'two', pid: 22, startedAt: iso(-900), seenAt: iso(-121), isAlive: false },
    ]);
    expect(text.stdout).toMatch(/worker one 11 .*: running since 2026-/);
    expect(text.stdout).toMatch(/worker two 22 .*: GONE, last seen 2026-/);

    function iso(count: number): string {
      return seconds(count).toISOString();
    }
  });
});

describe('--workspace', () => {
  it('is needed where there are several, and must name one of them', async () => {
    await createWorkspace(database.db, { name: 'second' });

    const [tick, list, wrong, right, all] = await Promise.all([
      headway(['tick', '--at', at]),
      headway(['queue', 'list']),
      headway(['channels', 'list', '--workspace', 'third']),
      headway(['tick', '--at', at, '--workspace', 'second', '--json']),
      headway(['status', '--json']),
    ]);

    for (const { exitCode, stdout, stderr } of [tick, list]) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe('--workspace is needed, one of: default, second\n');
    }
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toBe('There is no workspace "third", only: default, second\n');
    expect(right.json()).toMatchObject({ workspace: 'second' });
    expect(all.json().workspaces.map(({ name }: { name: string }) => name)).toEqual(['default', 'second']);
  });

  it('says what to do where there is none yet', async () => {
    await database.db('workspaces').del();

    const [tick, status] = await Promise.all([headway(['tick']), headway(['status'])]);

    expect(tick).toMatchObject({ exitCode: 1, stdout: '' });
    expect(tick.stderr).toContain('headway apply FILE');
    expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('headway apply FILE') });
  });
});

describe('headway migrate', () => {
  it('finds a database up to date that is', async () => {
    const ran = await headway(['migrate', '--json']);

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.json()).toEqual({ applied: [] });
  });
});
