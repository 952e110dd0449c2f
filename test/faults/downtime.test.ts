import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { until } from '../support/until.ts';
import { useFaultScene } from './support/scene.ts';
import { storeKinds, useFaultStores } from './support/stores.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const tickMs = 1_000;
const slotsMissed = 9;
const slotLimitMs = 1_500;

describe.each(storeKinds)('a downtime, with the queues in %s', kind => {
  it('F31 of nine slots is not made up for: one publication a slot', async () => {
    const { redisUrl } = storeOf(kind);
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news');
    const before = await scene.worker({ redisUrl });
    await scene.reached(await scene.article(news), 'published');
    await before.kill();
    const ids: number[] = [];
    for (let made = 0; made < slotsMissed; made += 1) ids.push(await scene.article(news));

    const downAt = systemClock.now().getTime();
    const backAt = downAt + slotsMissed * tickMs;
    await until(() => systemClock.now().getTime() > backAt, { timeoutMs: 2 * slotsMissed * tickMs });
    await scene.worker({ redisUrl });
    await scene.reached(ids[3] ?? 0, 'published');

    const sent = await scene.db('publications').where('slot_at', '>', new Date(downAt)).orderBy('id');
    const slots: number[] = sent.map(({ slot_at: at }) => at.getTime());
    const steps = slots.slice(1).map((at, index) => at - (slots[index] ?? 0));
    const lateness = sent.map(({ slot_at: slot, sending_at: at }) => at - slot);
    expect(slots[0]).toBeGreaterThan(backAt - tickMs);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(tickMs);
    // None is sent for a slot that had gone by.
    expect(Math.max(...lateness)).toBeLessThan(slotLimitMs);
    await scene.expectInvariants();
  });
});
