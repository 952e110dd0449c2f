import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createLogger } from '../src/logger.ts';
import { openQueue } from '../src/queue/store.ts';
import { createStoreErrors } from '../src/queue/storeErrors.ts';
import { storeKinds } from './queue/stores.ts';
import { useDatabase } from './support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from './support/factories.ts';
import { type FakeReceiver, openFakeReceiver } from './support/fakeReceiver.ts';
import { rssFeed } from './support/feed.ts';
import { useHeadway } from './support/headway.ts';
import { until } from './support/until.ts';

const database = useDatabase();
const program = useHeadway({ databaseUrl: () => database.url });
const { headway, startHeadway, write } = program;
const tickMs = 1_000;
let outside: FakeReceiver;

beforeEach(async () => {
  outside = await openFakeReceiver();
});

afterEach(() => outside.close());

/** A workspace that ticks every second, with a webhook of the test's own and a folder. */
async function openWorkspace() {
  const columns = { name: 'default', created_at: new Date(), tick_interval_ms: tickMs };
  const workspaceId = await createWorkspace(database.db, columns);
  const hook = await createChannel(database.db, workspaceId, {
    platform: 'webhook',
    settings: { url: `${outside.url}/hook` },
  });
  const folder = await createChannel(database.db, workspaceId, {
    platform: 'files',
    settings: { folder: join(program.folder, 'outbox') },
  });
  const article = (channelId: number, columns = {}) =>
    createRouteArticle(database.db, { workspaceId, channelId }, columns);
  return { workspaceId, hook, folder, article };
}

const statusOf = async (id: number) => (await routeArticle(database.db, id)).publish_status;
const isPublished = (id: number) =>
  until(async () => (await statusOf(id)) === 'published', { timeoutMs: 20_000 });

// A database of its own in the Redis that all test files share.
const redisUrl = new URL('/7', inject('redisUrl') ?? 'redis://127.0.0.1').href;

describe.each(storeKinds)('headway start, with its queues on %s', kind => {
  const env: Record<string, string> = kind === 'redis' ? { REDIS_URL: redisUrl } : {};

  afterAll(async () => {
    if (kind !== 'redis') return;
    const redis = new Redis(redisUrl);
    const keys = await redis.keys('bull:*');
    if (keys.length > 0) await redis.del(...keys);
    await redis.quit();
  });

  it('publishes a feed tick by tick, behind a password that it tells once', async () => {
    const body = rssFeed([
      { title: 'Second', id: 2 },
      { title: 'First', id: 1 },
    ]);
    outside.behave({ kind: 'answer', status: 200, headers: { 'content-type': 'application/rss+xml' }, body });
    const file = await write(
      'config.yaml',
      `
workspaces: [{ name: default, tickEvery: 1s }]
channels: [{ name: outbox, platform: files, folder: ./outbox-${kind} }]
feeds: [{ name: blog, url: "${outside.url}/feed.xml", firstImport: all }]
routes: [{ feed: blog, channel: outbox, approval: auto }]
`,
    );
    expect(await headway(['apply', file])).toMatchObject({ exitCode: 0 });

    const first = startHeadway('start', { env: { ...env, HEADWAY_INGEST_EVERY: '1s' } });
    const published = () => first.lines.filter(({ msg }) => msg === 'article published');
    await until(() => published().length === 2, { timeoutMs: 20_000 });
    const [ready, health, shut, wrong] = await Promise.all([
      first.ask('/readyz'),
      first.ask('/healthz'),
      first.ask('/queues'),
      first.ask('/queues', loggedInWith('hunter22')),
    ]);
    const password = /^The password of "admin" is (\S+)$/m.exec(first.stdout)?.[1] ?? '';
    const open = await first.ask('/queues', loggedInWith(password));
    const toldMs = performance.now();
    first.signal('SIGTERM');
    const end = await first.ended();
    const stopMs = performance.now() - toldMs;
    const second = startHeadway('serve', { env });
    await second.logged('started');
    const openAgain = await second.ask('/queues', loggedInWith(password));

    expect(await ready.json()).toEqual({ ready: true, reasons: [] });
    expect([ready, health, shut, wrong, open, openAgain].map(({ status }) => status)).toEqual([
      200, 200, 401, 401, 200, 200,
    ]);
    expect(password.length).toBeGreaterThanOrEqual(16);
    expect(second.stdout).toBe('');
    expect(first.stderr + second.stderr).not.toContain(password);
    const names = await readdir(join(program.folder, `outbox-${kind}`), { recursive: true });
    expect(names.filter(name => name.endsWith('.md'))).toHaveLength(2);
    const [earlier, later] = await database.db('publications').orderBy('slot_at');
    expect(later.slot_at - earlier.slot_at).toBeGreaterThanOrEqual(tickMs);
    expect(await database.db('workspaces').whereNull('live_since')).toEqual([]);
    expect(end).toEqual({ exitCode: 0, signal: null });
    expect(stopMs).toBeLessThan(1_000);
  });

  it('keeps one scheduler and one publication a slot with three workers that boot at once', async () => {
    const { workspaceId, folder, article } = await openWorkspace();
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await article(folder));
    const workers = [1, 2, 3].map(() => startHeadway('work', { env }));

    for (const id of ids) await isPublished(id);

    const errors = createStoreErrors(createLogger('silent'));
    const url = kind === 'redis' ? redisUrl : database.url;
    const { queue, close } = openQueue({ kind, url }, 'publishing', errors);
    const schedulers = await queue.getJobSchedulers();
    await close(1_000);
    const ends = await Promise.all(
      workers.map(worker => {
        worker.signal('SIGTERM');
        return worker.ended();
      }),
    );

    expect(schedulers.map(({ key }) => key)).toEqual([`publish-next-article:${workspaceId}`]);
    const slots = await database.db('publications').pluck('slot_at');
    expect(new Set(slots.map(slot => slot.getTime())).size).toBe(3);
    const attempts = await database.db('attempts').pluck('outcome');
    expect(attempts).toEqual(['published', 'published', 'published']);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    for (const worker of workers) {
      expect(worker.lines.filter(({ level }) => level >= 50)).toEqual([]);
    }
  });
});

describe('a worker that is stopped while it sends', () => {
  it('waits for the answer and records it, however often it is told to stop', async () => {
    const { hook, article } = await openWorkspace();
    outside.behave({ kind: 'hold' });
    const id = await article(hook);
    const waiting = await article(hook);
    const worker = startHeadway('work');
    await outside.received(1);

    for (let times = 0; times < 5; times += 1) worker.signal('SIGTERM');
    await worker.logged('stopping');
    worker.signal('SIGINT');
    const whileSending = await statusOf(id);
    outside.release();
    const end = await worker.ended();

    expect(whileSending).toBe('publishing');
    expect(end).toEqual({ exitCode: 0, signal: null });
    expect(await statusOf(id)).toBe('published');
    expect(await statusOf(waiting)).toBe('pending');
    expect(outside.requests).toHaveLength(1);
    expect(worker.lines.filter(({ msg }) => msg === 'told to stop')).toHaveLength(1);
    expect(worker.lines.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  it('gives up an answer that does not come within the grace, and says so', async () => {
    const { hook, article } = await openWorkspace();
    outside.behave({ kind: 'never_answer' });
    const id = await article(hook);
    const worker = startHeadway('work', { env: { HEADWAY_SHUTDOWN_GRACE: '5s' } });
    await outside.received(1);

    const toldMs = performance.now();
    worker.signal('SIGTERM');
    const end = await worker.ended();

    expect(end).toEqual({ exitCode: 0, signal: null });
    expect(performance.now() - toldMs).toBeLessThan(5_500);
    expect(await routeArticle(database.db, id)).toMatchObject({ publish_status: 'unknown' });
    expect(await database.db('publications').pluck('state')).toEqual(['unknown']);
    // It is not left to a person yet: the receiver drops what it knows, so it will be sent again.
    expect(await database.db('alerts')).toEqual([]);
  });

  it('leaves what it sent as unknown when it is killed, and the next one goes on', async () => {
    const { hook, folder, article } = await openWorkspace();
    outside.behave({ kind: 'hold' });
    const sent = await article(hook, { priority: 1 });
    const next = await article(folder);
    const killed = startHeadway('work');
    await outside.received(1);

    killed.signal('SIGKILL');
    await killed.ended();
    const afterKill = await statusOf(sent);
    outside.behave({ kind: 'answer', status: 200 });
    const worker = startHeadway('work');
    await isPublished(next);

    expect(afterKill).toBe('publishing');
    expect(await routeArticle(database.db, sent)).toMatchObject({
      publish_status: 'unknown',
      last_error: 'interrupted (consumer restarted)',
    });
    expect(outside.requests).toHaveLength(1);
    expect(worker.lines.filter(({ msg }) => msg === 'article recovered')).toHaveLength(1);
    const why = await headway(['queue', 'explain', String(sent), '--json']);
    expect(why.json()).toMatchObject({
      state: 'unknown',
      reason: 'unknown_outcome',
      next: expect.any(String),
    });
  });
});

describe('a worker that loses its locks while it sends', () => {
  it('lets the send end, tells of the loss once, and goes on with new locks', async () => {
    const { hook, folder, article } = await openWorkspace();
    outside.behave({ kind: 'hold' });
    const sent = await article(hook, { priority: 1 });
    const next = await article(folder);
    const worker = startHeadway('work');
    await outside.received(1);

    await database.db.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'headway locks'",
    );
    await worker.logged('lock connection lost');
    outside.release();
    await isPublished(sent);
    await isPublished(next);
    worker.signal('SIGTERM');
    const end = await worker.ended();

    expect(end).toEqual({ exitCode: 0, signal: null });
    expect(outside.requests).toHaveLength(1);
    expect(worker.lines.filter(({ msg }) => msg === 'lock connection lost')).toHaveLength(1);
    expect(worker.lines.filter(({ level }) => level >= 50)).toEqual([]);
  });
});

describe('a server that cannot run', () => {
  it('says which port is taken, and what to set', async () => {
    const server = startHeadway('start', { env: { PORT: String(outside.port) } });
    const end = await server.ended();

    expect(end).toEqual({ exitCode: 1, signal: null });
    expect(server.stderr).toContain(`The web side cannot listen on port ${outside.port} of 127.0.0.1`);
    expect(server.stderr).toContain('set PORT to one that is free');
    expect(server.stderr).not.toMatch(/^\s+at /m);
  });
});

function loggedInWith(password: string): RequestInit {
  return { headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` } };
}
