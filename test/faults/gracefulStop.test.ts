import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from '../queue/privateRedis.ts';
import { until } from '../support/until.ts';
import { openProxy, type TcpProxy } from './support/proxy.ts';
import { graceMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
const hasRedis = hasRedisServer();
const idleLimitMs = 1_000;
const overTimeMs = 5_000;
let redis: PrivateRedis | null = null;

beforeAll(async () => {
  if (hasRedis) redis = await startPrivateRedis();
});

afterAll(() => redis?.stop());

afterEach(() => redis?.client.flushall());

/** A workspace with one channel, which posts to /news. */
async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

/** Resolves when the worker has ticked: it is idle then, and not still on its way up. */
function hasTicked(workspaceId: number) {
  const lastTick = () => scene.db('workspaces').where({ id: workspaceId }).first('last_tick_at');
  return until(async () => (await lastTick()).last_tick_at !== null, { timeoutMs: 20_000 });
}

const toldToStop = (worker: Worker) => worker.lines.filter(({ msg }) => msg === 'told to stop').length;

describe('SIGTERM to a worker that is idle', () => {
  const stores = hasRedis ? (['PostgreSQL', 'Redis'] as const) : (['PostgreSQL'] as const);

  it.each(stores)('F18 ends it within a second, with its queues in %s', async store => {
    const { workspaceId } = await openNews();
    const redisUrl = store === 'Redis' ? (redis?.url ?? null) : null;
    const worker = await scene.worker({ command: 'start', redisUrl });
    await hasTicked(workspaceId);

    const end = await worker.stop();

    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(end.tookMs).toBeLessThan(idleLimitMs);
    await scene.expectInvariants({ isRunning: false });
  });
});

describe('SIGTERM to a worker that has claimed', () => {
  const asBefore = { publish_attempts: 0, last_error: null, last_error_code: null, next_attempt_at: null };

  it('F19 gives back a claim that has just been made', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const faults = [{ when: 'after', statement: 'claim-route-article', do: 'wait_for_signal' }] as const;
    const worker = await scene.worker({ faults });
    await worker.struck();
    const claimed = await scene.row(id);

    const end = await worker.stop();

    expect(claimed).toMatchObject({ publish_status: 'publishing', publish_attempts: 1 });
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(await scene.row(id)).toMatchObject({ publish_status: 'pending', ...asBefore });
    expect(await scene.db('attempts')).toEqual([]);
    expect(scene.publisher.posts).toEqual([]);
    await scene.expectInvariants({ isRunning: false });
  });

  it('F19 gives back what waits at the gate, with the wait and the count that it had', async () => {
    const { workspaceId, news } = await openNews();
    const endedWait = new Date('2026-01-01T00:00:00Z');
    const id = await scene.article(news, {
      publish_status: 'failed',
      publish_attempts: 2,
      next_attempt_at: endedWait,
      last_error: 'as it was',
    });
    const gate = await scene.db.transaction();
    await gate.raw('select from workspaces where id = ? for update', [workspaceId]);
    const worker = await scene.worker();
    await scene.reached(id, 'publishing');

    const stopped = worker.stop();
    const isBack = scene.reached(id, 'failed');
    await isBack.finally(() => gate.rollback());
    const end = await stopped;

    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(await scene.row(id)).toMatchObject({
      publish_status: 'failed',
      publish_attempts: 2,
      next_attempt_at: endedWait,
      last_error: 'as it was',
    });
    expect(scene.publisher.posts).toEqual([]);
    await scene.expectInvariants({ isRunning: false });
  });

  it('F20 gives back what still asks the other side before its gate', async () => {
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news', { findsOut: 'by_look_up' });
    scene.publisher.behaveStatus('news', 'hold');
    const id = await scene.article(news);
    // Longer than the grace: the stop ends it, and not its own limit.
    const patient = { lookUpsMs: 2 * graceMs, sendAnswerMs: 2 * graceMs };
    const worker = await scene.worker({ limits: patient });
    await scene.publisher.lookedUp('news', 1);
    const claimed = await scene.row(id);

    const end = await worker.stop();

    expect(claimed).toMatchObject({ publish_status: 'publishing', publish_attempts: 1 });
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(end.tookMs).toBeLessThan(idleLimitMs);
    expect(await scene.row(id)).toMatchObject({ publish_status: 'pending', ...asBefore });
    expect(await scene.db('attempts')).toEqual([]);
    expect(scene.publisher.posts).toEqual([]);
    await scene.expectInvariants({ isRunning: false });
  });
});

describe('SIGTERM to a worker whose request has left', () => {
  it('F21 waits for the answer within the grace, and records it', async () => {
    const { news } = await openNews();
    scene.publisher.behave('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    const worker = await scene.worker();
    await scene.publisher.accepted('news', 1);

    const stopped = worker.stop();
    await worker.logged('stopping');
    const whileStopping = await scene.row(id);
    scene.publisher.release('news');
    const end = await stopped;

    expect(whileStopping.publish_status).toBe('publishing');
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(await scene.row(id)).toMatchObject({ publish_status: 'published', publish_attempts: 1 });
    await scene.expectInvariants({ isRunning: false });
  });

  it('F21 calls unknown what has no answer by then, and never gives it back', async () => {
    const { news } = await openNews();
    scene.publisher.behave('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    // Longer than the grace: the answer is cut off by the stop, and not by its own limit.
    const worker = await scene.worker({ limits: { sendAnswerMs: 2 * graceMs } });
    await scene.publisher.accepted('news', 1);

    const end = await worker.stop();

    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(end.tookMs).toBeLessThan(graceMs + overTimeMs);
    expect(await scene.row(id)).toMatchObject({ publish_status: 'unknown', publish_attempts: 1 });
    expect(await scene.db('publications').pluck('state')).toEqual(['unknown']);
    await scene.expectInvariants({ isRunning: false });
  });
});

describe('a worker that is told to stop more than once', () => {
  const sequences: [string, { signals: readonly NodeJS.Signals[]; everyMs: number }][] = [
    ['five SIGTERMs in half a second', { signals: Array(5).fill('SIGTERM'), everyMs: 100 }],
    ['SIGINT, then SIGTERM', { signals: ['SIGINT', 'SIGTERM'], everyMs: 50 }],
  ];

  it.for(sequences)(
    'F22 %s: one shutdown, in which the send that is under way ends',
    async ([, { signals, everyMs }]) => {
      const { news } = await openNews();
      scene.publisher.behave('news', { kind: 'accept_then_hold' });
      const id = await scene.article(news);
      const worker = await scene.worker();
      await scene.publisher.accepted('news', 1);

      await tellAll(worker, signals, everyMs);
      scene.publisher.release('news');
      const end = await worker.ended();

      expect(end).toEqual({ exitCode: 0, signal: null });
      expect(toldToStop(worker)).toBe(1);
      expect(await scene.row(id)).toMatchObject({ publish_status: 'published' });
      await scene.expectInvariants({ isRunning: false });
    },
  );
});

describe('SIGTERM to a worker that has lost its servers', () => {
  let toPostgres: TcpProxy;
  let toRedis: TcpProxy | null = null;

  beforeEach(async () => {
    toPostgres = await openProxy(scene.url);
    toRedis = redis && (await openProxy(redis.url));
  });

  afterEach(async () => {
    await toPostgres.close();
    await toRedis?.close();
  });

  const losses = [
    { lost: 'PostgreSQL', isPostgresLost: true, isRedisLost: false },
    { lost: 'Redis', isPostgresLost: false, isRedisLost: true },
    { lost: 'both', isPostgresLost: true, isRedisLost: true },
  ];
  const ways = [{ way: 'refused' }, { way: 'half-open' }] as const;
  const cases = losses.flatMap(loss => ways.map(({ way }) => [loss.lost, way, { ...loss, way }] as const));

  // Without a Redis the queues are in PostgreSQL, and it is all that can be lost.
  it.for(cases.filter(([, , { isRedisLost }]) => hasRedis || !isRedisLost))(
    'F22 ends within its grace and five seconds, with %s %s',
    async ([, , { isPostgresLost, isRedisLost, way }]) => {
      const { workspaceId, news } = await openNews();
      const id = await scene.article(news);
      const worker = await scene.worker({
        command: 'start',
        databaseUrl: toPostgres.url,
        redisUrl: toRedis?.url ?? null,
      });
      await scene.reached(id, 'published');
      await hasTicked(workspaceId);

      const lost = [...(isPostgresLost ? [toPostgres] : []), ...(isRedisLost && toRedis ? [toRedis] : [])];
      await Promise.all(lost.map(proxy => (way === 'refused' ? proxy.drop() : proxy.halfOpen())));
      const end = await worker.stop();

      expect(end.signal).toBeNull();
      expect(end.tookMs).toBeLessThan(graceMs + overTimeMs);
      expect(toldToStop(worker)).toBe(1);
      await Promise.all(lost.map(proxy => proxy.mend()));
      await scene.expectInvariants({ isRunning: false });
    },
  );
});

/** One signal after the other, as a person or a supervisor in a hurry sends them. */
async function tellAll(worker: Worker, signals: readonly NodeJS.Signals[], everyMs: number) {
  const startedMs = performance.now();
  for (const [index, signal] of signals.entries()) {
    await until(() => performance.now() - startedMs >= index * everyMs, { intervalMs: 5 });
    worker.signal(signal);
  }
}
