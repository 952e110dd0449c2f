import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from '../queue/privateRedis.ts';
import { openProxy, type TcpProxy } from './support/proxy.ts';
import { scaledMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { letTicksPass, pass } from './support/ticks.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
const hasRedis = hasRedisServer();
const awayMs = scaledMs(45_000);
let redis: PrivateRedis;
let proxy: TcpProxy;

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

const complaints = (worker: Worker) =>
  worker.lines.map(({ msg }) => String(msg)).filter(msg => msg.startsWith('queue store failed'));

describe.skipIf(!hasRedis)('a Redis that goes away', () => {
  beforeAll(async () => {
    redis = await startPrivateRedis();
  });
  beforeEach(async () => {
    await redis.client.flushall();
    proxy = await openProxy(redis.url);
  });
  afterEach(() => proxy.close());
  afterAll(() => redis.stop());

  const ways = [
    ['F17 stopped', () => proxy.drop()],
    ['F41 half open', async () => proxy.halfOpen()],
  ] as const;

  it.for(ways)('%s in mid-tick: the tick ends, and its run again does nothing', async ([, takeAway]) => {
    const { workspaceId, news } = await openNews();
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const ids = [await scene.article(news), await scene.article(news)];
    const worker = await scene.worker({ redisUrl: proxy.url, limits: { sendAnswerMs: 4 * awayMs } });
    await scene.publisher.accepted('news', 1);

    await takeAway();
    await pass(awayMs);
    scene.publisher.release('news');
    await scene.reached(ids[0] ?? 0, 'published');
    await proxy.mend();
    await scene.reached(ids[1] ?? 0, 'published');
    await letTicksPass(scene.db, workspaceId);

    expect(complaints(worker), complaints(worker).join('\n')).toHaveLength(1);
    expect(await scene.db('attempts').orderBy('id').pluck('outcome')).toEqual(['published', 'published']);
    expect(await scene.publisher.arrived('news', 2)).toHaveLength(2);
    await worker.logged('queue store recovered');
    await scene.expectInvariants();
  });

  it.for(ways)('%s when idle: ticking goes on when it is back', async ([, takeAway]) => {
    const { workspaceId, news } = await openNews();
    const worker = await scene.worker({ redisUrl: proxy.url });
    await letTicksPass(scene.db, workspaceId, 0);

    await takeAway();
    await pass(awayMs);
    const id = await scene.article(news);
    await proxy.mend();
    await scene.reached(id, 'published');

    expect(complaints(worker), complaints(worker).join('\n')).toHaveLength(1);
    await worker.logged('queue store recovered');
    await scene.expectInvariants();
  });
});
