import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from '../queue/privateRedis.ts';
import { until } from '../support/until.ts';
import { openProxy, type TcpProxy } from './support/proxy.ts';
import { limitsInForce, signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { letTicksPass } from './support/ticks.ts';

const scene = useFaultScene();
const hasRedis = hasRedisServer();
/** How long each command is held back: long enough for a kill between two of them. */
const delayMs = 400;
/** The tick that died seems to stall, and a reconciliation would replace what it left. */
const goesOnMs = limitsInForce.reconcileMs + 2 * limitsInForce.queueStalledMs;
const slackMs = 10_000;
let redis: PrivateRedis | null = null;
let proxy: TcpProxy | null = null;

beforeAll(async () => {
  if (hasRedis) redis = await startPrivateRedis();
});

beforeEach(() => redis?.client.flushall());
afterEach(() => proxy?.close());
afterAll(() => redis?.stop());

const stores = {
  PostgreSQL: {
    serverUrl: () => scene.url,
    urls: (url: string) => ({ databaseUrl: url }),
    async isActiveWithoutNext() {
      const { rows } = await scene.db.raw(
        "select state::text, count(*)::int as count from bullmq.job where queue = 'publishing' group by state",
      );
      const count = (state: string) =>
        rows.find((row: { state: string; count: number }) => row.state === state)?.count ?? 0;
      return count('active') === 1 && count('delayed') + count('waiting') === 0;
    },
  },
  Redis: {
    serverUrl: () => redis?.url ?? '',
    urls: (url: string) => ({ redisUrl: url }),
    async isActiveWithoutNext() {
      const key = (name: string) => `bull:publishing:${name}`;
      const active = await redis?.client.llen(key('active'));
      const next = await redis?.client.zcard(key('delayed'));
      return active === 1 && next === 0 && (await redis?.client.llen(key('wait'))) === 0;
    },
  },
};

describe('a worker that is killed between a tick that it took and the next one', () => {
  const kinds = hasRedis ? (['PostgreSQL', 'Redis'] as const) : (['PostgreSQL'] as const);

  it.each(kinds)('F9 lets ticking go on within one reconcile, with its queues in %s', async kind => {
    const store = stores[kind];
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news');
    proxy = await openProxy(store.serverUrl());
    const killed = await scene.worker(store.urls(proxy.url));
    await letTicksPass(scene.db, workspaceId, 0);
    proxy.delay(delayMs);
    await until(store.isActiveWithoutNext, { timeoutMs: signalLimitMs, intervalMs: 5 });
    await killed.kill();
    const isBetween = await store.isActiveWithoutNext();
    const ids = [await scene.article(news), await scene.article(news)];

    const successor = await scene.worker(kind === 'Redis' ? { redisUrl: store.serverUrl() } : {});
    await successor.logged('started');
    const startedMs = performance.now();
    for (const id of ids) await scene.reached(id, 'published');

    expect(isBetween).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(goesOnMs + slackMs);
    await scene.expectInvariants();
  });
});
