import { expect, it } from 'vitest';
import { type ConsumerScene, complaints, everything, now } from './consumerScene.ts';

/** What its work does when it is told to stop. */
export function describeCancellation(scene: ConsumerScene): void {
  it('claims nothing when it is cancelled before it begins', async () => {
    const id = await scene.rows.ready(scene.db);
    const before = await everything(scene.db);
    const worker = scene.open();

    const work = await worker.begin(id, { signal: AbortSignal.abort() });
    await work.ended;

    expect(await everything(scene.db)).toEqual(before);
    expect(await worker.consumer.giveBack(now)).toBe(0);
  });

  it.each(scene.cutOffs)('gives back in the middle of its work, which reports: %s', async cutOff => {
    const id = await scene.rows.ready(scene.db);
    const before = await scene.row(id);
    const worker = scene.open();
    const stop = new AbortController();
    const work = await worker.begin(id, { signal: stop.signal, cutOff });
    const claimed = await scene.state(id);

    stop.abort();
    await work.ended;

    expect(claimed).toBe('claimed');
    expect(await scene.row(id)).toEqual(before);
    expect(await scene.effects(id)).toBe(0);
    expect(await worker.consumer.giveBack(now)).toBe(0);
    expect(complaints(worker)).toEqual([]);
  });
}
