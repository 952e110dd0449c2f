import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { nextSlot } from '../../src/publishing/slot.ts';
import { until } from '../support/until.ts';
import { signalLimitMs } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const fiveMinutesMs = 300_000;
const tenMinutesMs = 600_000;
const undisturbedMs = 90_000;

/** A workspace whose next slot is far off by either interval: no tick is due while the test lasts. */
async function openQuietWorkspace() {
  for (;;) {
    const id = await scene.workspace({ tick_interval_ms: fiveMinutesMs });
    const now = systemClock.now();
    const waits = [fiveMinutesMs, tenMinutesMs].map(tickIntervalMs => {
      return nextSlot(now, { id, tickIntervalMs }).getTime() - now.getTime();
    });
    if (Math.min(...waits) > undisturbedMs) return id;
    await scene.db('workspaces').where({ id }).delete();
  }
}

describe.each(storeKinds)('an interval that changes, with the queues in %s', kind => {
  it('F35 from 5 to 10 and back to 5 minutes causes no tick at once', async () => {
    const store = storeOf(kind);
    const workspaceId = await openQuietWorkspace();
    const id = await scene.article(await scene.channel(workspaceId, 'news'));
    const worker = await scene.worker({ redisUrl: store.redisUrl, env: { HEADWAY_LOG_LEVEL: 'debug' } });
    await worker.logged('started');
    const slot = (tickIntervalMs: number) =>
      nextSlot(systemClock.now(), { id: workspaceId, tickIntervalMs }).getTime();
    const scheduled = async (tickIntervalMs: number) => {
      const isIt = async () => (await store.nextTicks()).join() === String(slot(tickIntervalMs));
      await until(isIt, { timeoutMs: signalLimitMs });
    };

    await scheduled(fiveMinutesMs);
    for (const tickIntervalMs of [tenMinutesMs, fiveMinutesMs]) {
      await scene.db('workspaces').where({ id: workspaceId }).update({ tick_interval_ms: tickIntervalMs });
      await scheduled(tickIntervalMs);
    }
    // Whatever was to be taken at once is taken before the tick of another workspace that came later.
    const other = await scene.article(await scene.channel(await scene.workspace(), 'other'));
    await scene.reached(other, 'published');
    await worker.stop();

    expect(await scene.db('workspaces').where({ id: workspaceId }).first()).toMatchObject({
      last_tick_at: null,
    });
    expect(await scene.row(id)).toMatchObject({ publish_status: 'pending', publish_attempts: 0 });
    expect(worker.lines.filter(line => line.workspaceId === workspaceId)).toEqual([]);
    await scene.expectInvariants({ isRunning: false });
  });
});
