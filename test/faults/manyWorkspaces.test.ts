import { expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { until } from '../support/until.ts';
import { isRealTime } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const articlesEach = 2;

/**
 * As written: 1,000 workspaces that tick every 5 minutes keep 33 of the 40 sends that run side by side busy,
 * where each takes 10 s. Otherwise fewer workspaces on a faster beat, which keep as many busy.
 */
const load = isRealTime
  ? { workspaces: 1_000, tickMs: 300_000, answerMs: 10_000 }
  : { workspaces: 200, tickMs: 12_000, answerMs: 2_000 };
const { workspaces, tickMs, answerMs } = load;
/** Its own turn, the wait for the schedulers of all to be there, and what a busy machine adds. */
const turnMs = 2 * tickMs;
const limitMs = (articlesEach + 3) * tickMs + 60_000;

it('F37 many workspaces with a slow publisher are served in turn, and no ticks pile up', {
  timeout: limitMs,
}, async () => {
  process.stdout.write(`F37: ${workspaces} workspaces, a tick every ${tickMs} ms, ${answerMs} ms a send\n`);
  const store = storeOf(storeKinds[0] ?? 'PostgreSQL');
  scene.publisher.behave('slow', { kind: 'answer_late', delayMs: answerMs });
  for (let made = 0; made < workspaces; made += 1) {
    const workspaceId = await scene.workspace({ tick_interval_ms: tickMs });
    const slow = await scene.channel(workspaceId, 'slow');
    for (let article = 0; article < articlesEach; article += 1) await scene.article(slow);
  }

  const worker = await scene.worker({ redisUrl: store.redisUrl, limits: defaultLimits });
  const { time } = await worker.logged('started');
  const startedMs = Date.parse(String(time));
  let mostWaiting = 0;
  const isDone = async () => {
    mostWaiting = Math.max(mostWaiting, await store.waiting());
    const [{ count = 0 } = {}] = await scene
      .db('publications')
      .where({ state: 'published' })
      .count('* as count');
    return Number(count) === workspaces * articlesEach;
  };
  await until(isDone, { timeoutMs: limitMs, intervalMs: 500 });
  await worker.stop();

  const longestMs = await longestWait(startedMs);
  process.stdout.write(
    `F37: the longest wait was ${longestMs} ms, and ${mostWaiting} ticks waited at most\n`,
  );
  expect(longestMs).toBeLessThan(turnMs);
  expect(mostWaiting).toBeLessThanOrEqual(workspaces);
  await scene.expectInvariants({ isRunning: false });
});

/** The longest time that a workspace had to wait, from the start or its last publication to the next. */
async function longestWait(startedMs: number): Promise<number> {
  const sent = await scene.db('publications').orderBy('sending_at').select('workspace_id', 'sending_at');
  const last = new Map<number, number>();
  let longestMs = 0;
  for (const { workspace_id: id, sending_at: at } of sent) {
    longestMs = Math.max(longestMs, at.getTime() - (last.get(id) ?? startedMs));
    last.set(id, at.getTime());
  }
  return longestMs;
}
