import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { createRandom } from '../../scripts/soak/random.ts';
import { until } from '../support/until.ts';
import type { Fault, Place } from './support/Fault.ts';
import { isRealTime, signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
const seed = Number(process.env.FAULTS_SEED ?? 20_261_130);
const restarts = isRealTime ? 100 : 16;
const articles = 50;
const workspaces = 10;
const limitMs = isRealTime ? 900_000 : 150_000;
const pointLimitMs = 3_000;
const secondMs = 1_000;

/** The ways of an article through a tick, and of a worker through its start. */
const places: readonly Place[] = [
  { statement: 'list-workspaces' },
  { statement: 'glance-at-workspace' },
  { statement: 'due-for-publishing' },
  { statement: 'claim-route-article' },
  { commitOf: 'insert-intent' },
  { statement: 'record-published' },
  { commitOf: 'record-published' },
];

it('C-15 50 approved articles go out once each, however often and wherever it restarts', {
  timeout: limitMs,
}, async () => {
  process.stdout.write(`C-15: seed ${seed} (FAULTS_SEED), ${restarts} restarts\n`);
  const random = createRandom(seed, 'restarts');
  const ids = await approveAll();

  for (let restart = 0; restart < restarts - 2; restart += 1) {
    const at = {
      when: random.pick(['before', 'after'] as const),
      nth: random.whole(1, 4),
      ...random.pick(places),
    };
    // A worker that is killed has to be outlived, one that is told to stop ends by itself.
    await restartAt(
      random.chance(0.5) ? { ...at, do: 'kill' } : { ...at, when: 'after', do: 'wait_for_signal' },
    );
    if (!(await isAnythingDue())) await scene.endWaits();
  }
  const tookMs = await restartTwice();
  const last = await scene.worker();
  await until(() => isAllOut(), { timeoutMs: signalLimitMs, intervalMs: 200 });

  expect(tookMs).toBeLessThan(secondMs);
  expect(last.isRunning).toBe(true);
  const posts = scene.publisher.posts.filter(({ isRepeat }) => !isRepeat).map(({ postKey }) => postKey);
  expect(posts).toHaveLength(ids.length);
  expect(new Set(posts).size).toBe(ids.length);
  await scene.expectInvariants();
});

async function approveAll(): Promise<number[]> {
  const ids: number[] = [];
  for (let made = 0; made < workspaces; made += 1) {
    const news = await scene.channel(await scene.workspace(), `news-${made}`);
    while (ids.length < ((made + 1) * articles) / workspaces) ids.push(await scene.article(news));
  }
  return ids;
}

/** Runs a worker until the fault strikes it, or for a while where it does not come to that, and ends it. */
async function restartAt(fault: Fault): Promise<void> {
  const worker = await scene.worker({ faults: [fault] });
  const isStruck = () => worker.stderr.includes('saboteur: ') || !worker.isRunning;
  await until(isStruck, { timeoutMs: pointLimitMs, intervalMs: 5 }).catch(() => undefined);
  if (worker.isRunning) await worker.stop();
}

/** Two restarts within a second: so fast, the worker between them does not come far. */
async function restartTwice(): Promise<number> {
  const first = await scene.worker();
  await first.logged('started');
  const startedMs = performance.now();
  await first.kill();
  const second: Worker = await scene.worker();
  await second.kill();
  return performance.now() - startedMs;
}

async function isAnythingDue(): Promise<boolean> {
  const due = await scene.db('route_articles').whereIn('queue_state', [1, 3]).first('id');
  return due !== undefined;
}

async function isAllOut(): Promise<boolean> {
  await scene.endWaits();
  const open = await scene.db('route_articles').whereNot({ publish_status: 'published' }).first('id');
  return open === undefined;
}
