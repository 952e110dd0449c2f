import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type BreakableLink, openBreakableLink } from './queue/breakableLink.ts';
import { storeKinds } from './queue/stores.ts';
import { withAdmin } from './support/admin.ts';
import { useDatabase } from './support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from './support/factories.ts';
import { useHeadway } from './support/headway.ts';
import type { RunningHeadway } from './support/runningHeadway.ts';
import { until } from './support/until.ts';

const database = useDatabase();
const { startHeadway } = useHeadway({ databaseUrl: () => database.url });
const warn = 40;
const readyz = z.object({ reasons: z.array(z.string()) });
// A database of its own in the Redis that all test files share.
const redisUrl = new URL('/6', inject('redisUrl') ?? 'redis://127.0.0.1').href;

let databaseLink: BreakableLink;
let redisLink: BreakableLink;

beforeEach(async () => {
  databaseLink = await openBreakableLink(database.url);
  redisLink = await openBreakableLink(redisUrl);
});

afterEach(async () => {
  await Promise.all([databaseLink.cut(), redisLink.cut()]);
});

afterEach(async () => {
  if (!storeKinds.includes('redis')) return;
  const redis = new Redis(redisUrl);
  const keys = await redis.keys('bull:*');
  if (keys.length > 0) await redis.del(...keys);
  await redis.quit();
});

function environment(kind: string): Record<string, string> {
  const grace = { HEADWAY_SHUTDOWN_GRACE: '5s', HEADWAY_LIMIT_DATABASE_ANSWER: '3s' };
  return {
    ...grace,
    DATABASE_URL: databaseLink.url,
    ...(kind === 'redis' ? { REDIS_URL: redisLink.url } : {}),
  };
}

async function openWorkspace() {
  const columns = { name: 'default', created_at: new Date(), tick_interval_ms: 1_000 };
  const workspaceId = await createWorkspace(database.db, columns);
  const channelId = await createChannel(database.db, workspaceId, {
    platform: 'files',
    settings: { folder: './outbox' },
  });
  return () => createRouteArticle(database.db, { workspaceId, channelId });
}

const isPublished = (id: number) =>
  until(async () => (await routeArticle(database.db, id)).publish_status === 'published', {
    timeoutMs: 20_000,
  });

async function reasons(server: RunningHeadway): Promise<string[]> {
  return readyz.parse(await (await server.ask('/readyz')).json()).reasons;
}

const told = (server: RunningHeadway) =>
  server.lines.filter(({ level }) => level >= warn).map(({ msg }) => msg);

async function stopped(server: RunningHeadway, ...signals: NodeJS.Signals[]) {
  const begin = performance.now();
  for (const signal of signals) server.signal(signal);
  const end = await server.ended();
  return { ...end, tookMs: performance.now() - begin };
}

describe('a start that loses its database on the way', () => {
  it('holds on until it is back, and then starts', async () => {
    await openWorkspace();
    const blocker = await database.db.transaction();
    await blocker.raw('lock table migrations in access exclusive mode');
    const server = startHeadway('start', { env: environment('postgres') });
    await until(
      async () => {
        const { rows } = await database.db.raw('select 1 from pg_stat_activity where wait_event_type = ?', [
          'Lock',
        ]);
        return rows.length > 0;
      },
      { timeoutMs: 20_000 },
    );

    await databaseLink.cut();
    await until(() => told(server).length > 0);
    const away = await reasons(server);
    await blocker.rollback();
    await databaseLink.mend();
    await server.logged('started');
    const end = await stopped(server, 'SIGTERM');

    expect(away).toEqual([expect.stringMatching(/^starting: the database is not there yet \(.*\)$/)]);
    expect(told(server)).toEqual([expect.stringMatching(/^database lost: /)]);
    expect(end).toMatchObject({ exitCode: 0, signal: null });
  });
});

describe.each(storeKinds)('a server whose stores go away, with its queues on %s', kind => {
  it('goes on by itself, and told of it in a line for each change', async () => {
    const article = await openWorkspace();
    const server = startHeadway('start', { env: environment(kind) });
    await isPublished(await article());
    const waiting = await article();

    await databaseLink.cut();
    if (kind === 'redis') await redisLink.cut();
    const away = await until(async () => {
      const found = await reasons(server);
      return found.some(reason => reason.startsWith('the database cannot be used: ')) && found;
    });
    // Three slots pass, and none of them finds anything there.
    const redSince = performance.now();
    await until(() => performance.now() - redSince > 3_000);
    await databaseLink.mend();
    if (kind === 'redis') await redisLink.mend();
    await isPublished(waiting);
    await until(async () => (await reasons(server)).length === 0, { timeoutMs: 20_000 });
    const end = await stopped(server, 'SIGTERM');

    expect(away).toHaveLength(1);
    const lost = told(server).filter(msg => msg.startsWith('database lost'));
    expect(lost).toHaveLength(1);
    expect(server.lines.filter(({ msg }) => msg === 'database reached')).toHaveLength(1);
    expect(told(server).filter(msg => msg.startsWith('tick failed'))).toEqual([]);
    expect(told(server)).toEqual([...new Set(told(server))]);
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    const slots = await database.db('publications').pluck('slot_at');
    expect(slots).toHaveLength(2);
  });

  it('is not ready on a server that cannot be written to, and names it', async () => {
    await openWorkspace();
    const server = startHeadway('start', { env: environment(kind) });
    await until(async () => (await reasons(server)).length === 0, { timeoutMs: 20_000 });
    const name = new URL(database.url).pathname.slice(1);
    const makeReadOnly = (value: string) =>
      withAdmin(inject('databaseAdminUrl'), async admin => {
        await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`);
        await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          name,
        ]);
      });

    await makeReadOnly('on');
    const readOnly = await until(async () => {
      const found = (await reasons(server)).join();
      return found.includes('read-only transaction') && found;
    }).finally(() => makeReadOnly('off'));
    await until(async () => (await reasons(server)).length === 0, { timeoutMs: 30_000 });
    const end = await stopped(server, 'SIGTERM');

    expect(readOnly).toContain('the database cannot be used: cannot execute');
    expect(told(server).length).toBeLessThan(12);
    expect(end).toMatchObject({ exitCode: 0 });
  });
});

describe.each(storeKinds)('a server that is told to stop, with its queues on %s', kind => {
  it('ends within a second when nothing runs', async () => {
    const server = startHeadway('start', { env: environment(kind) });
    await server.logged('started');

    const end = await stopped(server, 'SIGTERM');

    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(end.tookMs).toBeLessThan(1_000);
    expect(told(server)).toEqual([]);
  });

  it.each([
    ['are gone', (link: BreakableLink) => link.cut()],
    ['do not answer', async (link: BreakableLink) => link.swallow()],
  ])('ends once, and in time, although its stores %s', async (_what, breakLink) => {
    const article = await openWorkspace();
    const server = startHeadway('start', { env: environment(kind) });
    await isPublished(await article());
    await breakLink(databaseLink);
    await breakLink(redisLink);
    await article();

    const end = await stopped(server, 'SIGTERM', 'SIGTERM', 'SIGINT', 'SIGTERM');

    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(end.tookMs).toBeLessThan(10_000);
    expect(server.lines.filter(({ msg }) => msg === 'told to stop')).toHaveLength(1);
    expect(server.lines.filter(({ msg }) => msg === 'stopped')).toHaveLength(1);
  });
});

describe('a fault that nobody caught', () => {
  it.each([
    ['an exception', 'throw new Error("boom")'],
    ['a rejection', 'Promise.reject(new Error("boom"))'],
  ])('ends the process at once, with a line that says why: %s', async (_what, fault) => {
    const planted = `data:text/javascript,process.once("SIGUSR2",()=>setTimeout(()=>{${fault}}))`;
    const env = { ...environment('postgres'), NODE_OPTIONS: `--import=${encodeURI(planted)}` };
    const server = startHeadway('start', { env });
    await server.logged('started');

    server.signal('SIGUSR2');
    const end = await server.ended();

    expect(end).toEqual({ exitCode: 1, signal: null });
    expect(server.lines.at(-1)).toMatchObject({
      level: 60,
      msg: 'ended by a fault',
      err: { message: 'boom' },
    });
  });
});
