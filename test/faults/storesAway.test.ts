import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { until } from '../support/until.ts';
import { openProxy, type TcpProxy } from './support/proxy.ts';
import { isRealTime, scaledMs, signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const lateMs = scaledMs(90_000);
const noonMs = scaledMs(600_000);
const tickMs = 1_000;
const articles = 6;
const warn = 40;
const fewLines = 20;
const limitMs = isRealTime ? 1_500_000 : 120_000;
const readyz = z.object({ reasons: z.array(z.string()) });
let toPostgres: TcpProxy;
let toRedis: TcpProxy | null = null;

beforeEach(async () => {
  toPostgres = await openProxy(scene.url);
  const { redisUrl } = storeOf('Redis');
  toRedis = redisUrl === null ? null : await openProxy(redisUrl);
});

afterEach(async () => {
  await toPostgres.close();
  await toRedis?.close();
});

const drop = () => Promise.all([toPostgres.drop(), toRedis?.drop()]);
const mend = () => Promise.all([toPostgres.mend(), toRedis?.mend()]);

async function readiness(worker: Worker) {
  const answer = await worker.ask('/readyz');
  return { status: answer.status, ...readyz.parse(await answer.json()) };
}

const isReady = (worker: Worker) =>
  until(async () => (await readiness(worker)).status === 200, { timeoutMs: signalLimitMs });

/** Resolves after so long; whether it was unready throughout, from the first moment that it says so. */
async function staysUnready(worker: Worker, ms: number): Promise<boolean> {
  await until(async () => (await readiness(worker)).status === 503, { timeoutMs: signalLimitMs });
  const overAt = systemClock.now().getTime() + ms;
  const isOver = async () => {
    const { status } = await readiness(worker);
    return status !== 503 ? 'ready' : systemClock.now().getTime() > overAt && 'unready';
  };
  return (await until(isOver, { timeoutMs: 2 * ms + signalLimitMs, intervalMs: 250 })) === 'unready';
}

describe.each(storeKinds)('stores that are away, with the queues in %s', kind => {
  it('C-16 at the boot and at noon: not ready meanwhile, back by itself, no tick lost or doubled', {
    timeout: limitMs,
  }, async () => {
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news');
    const ids: number[] = [];
    for (let made = 0; made < articles; made += 1) ids.push(await scene.article(news));
    await drop();
    const redisUrl = kind === 'Redis' ? (toRedis?.url ?? null) : null;
    const worker = await scene.worker({ command: 'start', databaseUrl: toPostgres.url, redisUrl });

    const wasUnready = await staysUnready(worker, lateMs);
    const sentWhileAway = scene.publisher.posts.length;
    await mend();
    await scene.reached(ids.at(-1) ?? 0, 'published');
    await isReady(worker);
    for (let made = 0; made < articles; made += 1) ids.push(await scene.article(news));
    await scene.reached(ids[articles] ?? 0, 'published');
    await drop();
    const wasUnreadyAtNoon = await staysUnready(worker, noonMs);
    const atNoon = systemClock.now();
    await mend();
    await scene.reached(ids.at(-1) ?? 0, 'published');
    await isReady(worker);

    expect(wasUnready).toBe(true);
    expect(sentWhileAway).toBe(0);
    expect(wasUnreadyAtNoon).toBe(true);
    expect(scene.publisher.posts.filter(({ isRepeat }) => !isRepeat)).toHaveLength(ids.length);
    expect(worker.lines.filter(({ level }) => level >= warn).length).toBeLessThan(fewLines);
    expect(await lostTicks(atNoon)).toBeLessThanOrEqual(1);
    await scene.expectInvariants();
  });
});

/** How many slots stayed empty between the first publication after an instant and the last. */
async function lostTicks(after: Date): Promise<number> {
  const sent = await scene
    .db('publications')
    .where('slot_at', '>', after)
    .orderBy('slot_at')
    .pluck('slot_at');
  const slots: number[] = sent.map((at: Date) => at.getTime());
  return ((slots.at(-1) ?? 0) - (slots[0] ?? 0)) / tickMs - (slots.length - 1);
}
