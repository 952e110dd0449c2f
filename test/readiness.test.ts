import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBreakableLink } from './queue/breakableLink.ts';
import { useDatabase } from './support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from './support/factories.ts';
import { useHeadway } from './support/headway.ts';
import type { LogLine } from './support/recordingLogger.ts';
import type { RunningHeadway } from './support/runningHeadway.ts';
import { until } from './support/until.ts';

const database = useDatabase();
const { headway, startHeadway } = useHeadway({ databaseUrl: () => database.url });
const warn = 40;
const readyz = z.object({ reasons: z.array(z.string()) });

async function readiness(server: RunningHeadway): Promise<{ status: number; reasons: string[] }> {
  const answer = await server.ask('/readyz');
  return { status: answer.status, ...readyz.parse(await answer.json()) };
}

function isReady(server: RunningHeadway) {
  return until(async () => (await readiness(server)).status === 200, { timeoutMs: 20_000 });
}

function troubles(lines: readonly LogLine[]): string[] {
  return lines.filter(({ level }) => level >= warn).map(({ msg }) => msg);
}

/** Listens where a database should be, and hangs up on whoever calls. */
async function openDeadEnd(port: number) {
  let calls = 0;
  const server = createServer(socket => {
    calls += 1;
    // After the greeting, so that each caller sees the same: the end, and not a reset.
    socket.on('error', () => {}).once('data', () => socket.end());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    called: (times: number) => until(() => calls >= times, { timeoutMs: 20_000 }),
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a server whose database is not there', () => {
  it('answers at once, says so once, and becomes ready when the database appears', async () => {
    const link = await openBreakableLink(database.url);
    await link.cut();
    const deadEnd = await openDeadEnd(Number(new URL(link.url).port));
    await createWorkspace(database.db, { name: 'default', created_at: new Date(), tick_interval_ms: 1_000 });

    const server = startHeadway('start', { env: { DATABASE_URL: link.url } });
    const health = await server.ask('/healthz');
    const before = await readiness(server);
    const board = await server.ask('/queues');
    await deadEnd.called(4);
    const toldBefore = troubles(server.lines);
    await deadEnd.close();
    await link.mend();
    await isReady(server);
    server.signal('SIGTERM');
    const end = await server.ended();
    await link.cut();

    expect(health.status).toBe(200);
    expect(before).toEqual({ status: 503, reasons: [expect.stringContaining('database')] });
    expect(board.status).toBe(503);
    expect(toldBefore).toEqual(['database not reached: trying again']);
    expect(end).toEqual({ exitCode: 0, signal: null });
    expect(server.stderr).not.toMatch(/^\s+at /m);
  });

  it('goes away and comes back: not ready meanwhile, and a line for each change', async () => {
    const link = await openBreakableLink(database.url);
    await createWorkspace(database.db, { name: 'default', created_at: new Date(), tick_interval_ms: 1_000 });
    const env = { DATABASE_URL: link.url, HEADWAY_LOG_LEVEL: 'debug' };
    const server = startHeadway('start', { env });
    await server.logged('tick was idle');
    await isReady(server);

    await link.cut();
    const away = await until(async () => {
      const answer = await readiness(server);
      return answer.status === 503 && answer;
    });
    const toldWhenAway = troubles(server.lines);
    await link.mend();
    await isReady(server);
    server.signal('SIGTERM');
    const end = await server.ended();
    await link.cut();

    expect(away.reasons).toEqual([expect.stringMatching(/^the database cannot be used: /)]);
    // Each way to fail once, however often it was met.
    expect(toldWhenAway).toEqual([...new Set(toldWhenAway)]);
    expect(toldWhenAway.filter(msg => msg.startsWith('database lost: '))).toHaveLength(1);
    expect(end).toEqual({ exitCode: 0, signal: null });
  });

  it('ends on SIGTERM within two seconds', async () => {
    const server = startHeadway('start', { env: { DATABASE_URL: 'postgres://u:hunter22@127.0.0.1:1/none' } });
    await server.logged('database not reached: trying again');

    const toldMs = performance.now();
    server.signal('SIGTERM');
    const end = await server.ended();

    expect(end).toEqual({ exitCode: 0, signal: null });
    expect(performance.now() - toldMs).toBeLessThan(2_000);
    expect(server.stderr).not.toContain('hunter22');
  });
});

describe('a web side without a worker', () => {
  it('says since when nothing ticks, leaves everything as it is, and is ready once a worker is there', async () => {
    const createdAt = new Date();
    const workspaceId = await createWorkspace(database.db, {
      name: 'default',
      created_at: createdAt,
      tick_interval_ms: 1_000,
    });
    const settings = { folder: './outbox' };
    const channelId = await createChannel(database.db, workspaceId, { platform: 'files', settings });
    const id = await createRouteArticle(database.db, { workspaceId, channelId });
    const untouched = await routeArticle(database.db, id);

    const web = startHeadway('serve');
    const red = await until(async () => {
      const answer = await readiness(web);
      return answer.reasons.some(reason => reason.startsWith('no tick')) && answer;
    });
    const why = await headway(['queue', 'explain', String(id), '--json']);

    expect(red).toEqual({
      status: 503,
      reasons: [`no tick since ${createdAt.toISOString()} (workspace default)`],
    });
    expect(why.json()).toEqual({ state: 'pending', reason: 'no_worker', until: null, next: null });
    expect(await routeArticle(database.db, id)).toEqual(untouched);

    const worker = startHeadway('work');
    await worker.logged('article published');
    await isReady(web);

    const [publication] = await database.db('publications');
    const { time } = await worker.logged('started');
    expect(publication.published_at.getTime() - Date.parse(String(time))).toBeLessThan(2_500);
    expect(await routeArticle(database.db, id)).toMatchObject({ publish_status: 'published' });
  });
});
