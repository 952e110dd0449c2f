import { beforeEach, expect, it } from 'vitest';
import type { Row, Work } from './ConsumerHarness.ts';
import {
  type ConsumerScene,
  complaints,
  everything,
  finish,
  inTurnFor,
  now,
  signal,
} from './consumerScene.ts';

/** What happens where recovery or give-back meets a run that finishes. */
export function describeRaces(scene: ConsumerScene): void {
  const endings = ['well', 'badly'] as const;
  let id: number;
  let before: Row;

  beforeEach(async () => {
    id = await scene.rows.ready(scene.db);
    before = await scene.row(id);
  });

  it.each(endings)(
    'changes nothing of what was recovered meanwhile, and says so once: ended %s',
    async how => {
      const [frozen, other] = [scene.open({ holdsLocks: false }), scene.open()];
      const work = await frozen.begin(id);
      const ended = await other.consumer.recover({ now, signal });
      const recovered = await everything(scene.db);

      await finish(work, how);

      expect(ended).toBe(1);
      expect(await scene.state(id)).toBe('interrupted');
      expect(await everything(scene.db)).toEqual(recovered);
      expect(await scene.effects(id)).toBe(0);
      expect(complaints(frozen)).toMatchObject([{ level: 40, msg: 'claim lost' }]);
    },
  );

  it.each(endings)('recovers nothing of what has just ended %s', async how => {
    const [frozen, other] = [scene.open({ holdsLocks: false }), scene.open()];
    await finish(await frozen.begin(id), how);
    const finished = await everything(scene.db);

    const ended = await other.consumer.recover({ now, signal });

    expect(ended).toBe(0);
    expect(await everything(scene.db)).toEqual(finished);
  });

  it('lets the first of recovery and run win where both wait for the row', async () => {
    const [frozen, other] = [scene.open({ holdsLocks: false }), scene.open()];
    const second = await scene.rows.ready(scene.db);
    const recover = () => other.consumer.recover({ now, signal });

    const early = await frozen.begin(id);
    await inTurnFor(scene, id, [recover, () => finish(early, 'well')]);
    const late = await frozen.begin(second);
    await inTurnFor(scene, second, [() => finish(late, 'well'), recover]);

    expect([await scene.state(id), await scene.effects(id)]).toEqual(['interrupted', 0]);
    expect([await scene.state(second), await scene.effects(second)]).toEqual(['finished', 1]);
  });

  it('lets the first of give-back and run win where both wait for the row, without a word', async () => {
    const worker = scene.open();
    const second = await scene.rows.ready(scene.db);
    const giveBack = () => worker.consumer.giveBack(now);

    const early = await worker.begin(id);
    await inTurnFor(scene, id, [giveBack, () => finish(early, 'well')]);
    const late = await worker.begin(second);
    await inTurnFor(scene, second, [() => finish(late, 'well'), giveBack]);

    expect(await scene.row(id)).toEqual(before);
    expect(await scene.effects(id)).toBe(0);
    expect([await scene.state(second), await scene.effects(second)]).toEqual(['finished', 1]);
    expect(complaints(worker)).toEqual([]);
  });

  it('never leaves a row both finished and interrupted when they meet by chance', async () => {
    const [frozen, other] = [scene.open({ holdsLocks: false }), scene.open()];
    const ids = [id];
    for (let count = 1; count < 12; count += 1) ids.push(await scene.rows.ready(scene.db));
    const works: Work[] = [];
    for (const each of ids) works.push(await frozen.begin(each));

    await Promise.all([
      other.consumer.recover({ now, signal }),
      ...works.reverse().map(work => finish(work, 'well')),
    ]);

    for (const each of ids) {
      const ended = [await scene.state(each), await scene.effects(each)];
      expect([
        ['finished', 1],
        ['interrupted', 0],
      ]).toContainEqual(ended);
    }
  });
}
