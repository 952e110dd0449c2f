import { afterEach, describe, expect, it } from 'vitest';
import { hasRedisServer } from '../queue/privateRedis.ts';
import { type RestartableRedis, startRestartableRedis } from './support/restartableRedis.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();
const warn = 40;
let redis: RestartableRedis | null = null;

afterEach(async () => {
  await redis?.close();
  redis = null;
});

describe.skipIf(!hasRedisServer())('a Redis that is killed and starts again', () => {
  it.each([
    ['with persistence', true],
    ['without persistence', false],
  ])('F30 %s: what was sent is recorded, and ticks go on, one a slot', async (_how, isPersistent) => {
    redis = await startRestartableRedis({ isPersistent });
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const ids = [await scene.article(news), await scene.article(news), await scene.article(news)];
    const worker = await scene.worker({ redisUrl: redis.url });
    await scene.publisher.accepted('news', 1);

    await redis.kill();
    scene.publisher.release('news');
    const whileAway = await scene.reached(ids[0] ?? 0, 'published');
    await redis.start();
    const kept = await redis.client.zcard('bull:publishing:repeat');
    for (const id of ids) await scene.reached(id, 'published');

    expect(whileAway).toMatchObject({ publish_attempts: 1 });
    expect(kept).toBe(isPersistent ? 1 : 0);
    expect(scene.publisher.posts).toHaveLength(ids.length);
    expect(await redis.client.zrange('bull:publishing:repeat', 0, '-1')).toEqual([
      `publish-next-article:${workspaceId}`,
    ]);
    expect(worker.lines.filter(({ level }) => level >= warn).length).toBeLessThan(12);
    await scene.expectInvariants();
  });
});
