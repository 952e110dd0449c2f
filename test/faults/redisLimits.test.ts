import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from '../queue/privateRedis.ts';
import { until } from '../support/until.ts';
import { signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
const warn = 40;
const fewLines = 15;
const readyz = z.object({ reasons: z.array(z.string()) });
let redis: PrivateRedis | null = null;

afterEach(async () => {
  await redis?.stop();
  redis = null;
});

async function readiness(worker: Worker) {
  const answer = await worker.ask('/readyz');
  return { status: answer.status, ...readyz.parse(await answer.json()) };
}

const isReady = (worker: Worker) =>
  until(async () => (await readiness(worker)).status === 200, { timeoutMs: signalLimitMs });

/** How many commands Redis has refused since it started. */
async function refusals({ client }: PrivateRedis): Promise<number> {
  return Number(/total_error_replies:(\d+)/.exec(await client.info('stats'))?.[1]);
}

describe.skipIf(!hasRedisServer())('a Redis that has no memory left', () => {
  it('F45 is told of in few lines and turns the health red; with room again, ticks go on', async () => {
    const full = await startPrivateRedis();
    redis = full;
    const news = await scene.channel(await scene.workspace(), 'news');
    const worker = await scene.worker({ command: 'start', redisUrl: full.url });
    await scene.reached(await scene.article(news), 'published');
    await isReady(worker);

    await full.client.config('SET', 'maxmemory', '1mb');
    const red = await until(
      async () => {
        const found = await readiness(worker);
        return found.reasons.some(reason => reason.startsWith('the queue store: ')) && found;
      },
      { timeoutMs: signalLimitMs },
    );
    const before = await refusals(full);
    await until(async () => (await refusals(full)) > before + 2 * fewLines, { timeoutMs: signalLimitMs });
    const told = worker.lines.filter(({ level }) => level >= warn);
    const id = await scene.article(news);
    await full.client.config('SET', 'maxmemory', '0');
    await scene.reached(id, 'published');
    await isReady(worker);

    expect(red.status).toBe(503);
    expect(red.reasons.join()).toContain('OOM command not allowed');
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(fewLines);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });
});

describe.skipIf(!hasRedisServer())('a Redis that may drop keys', () => {
  it.each(['allkeys-lru', 'allkeys-random', 'volatile-lru', 'volatile-ttl'])(
    'F46 is refused at the start, with what to set: %s',
    async evictionPolicy => {
      redis = await startPrivateRedis({ evictionPolicy });
      const id = await scene.article(await scene.channel(await scene.workspace(), 'news'));
      const worker = await scene.worker({ command: 'start', redisUrl: redis.url });

      const end = await worker.ended();

      expect(end).toEqual({ exitCode: 1, signal: null });
      expect(worker.stderr).toContain(`maxmemory-policy "${evictionPolicy}"`);
      expect(worker.stderr).toContain('CONFIG SET maxmemory-policy noeviction');
      expect(worker.stderr).not.toMatch(/^\s+at /m);
      expect(await redis.client.keys('bull:*:repeat*')).toEqual([]);
      expect(await scene.row(id)).toMatchObject({ publish_status: 'pending' });
    },
  );
});
