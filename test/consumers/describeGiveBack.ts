import { expect, it } from 'vitest';
import { type ConsumerScene, complaints, everything, finish, now } from './consumerScene.ts';

/** What it does with its claims when it stops. */
export function describeGiveBack(scene: ConsumerScene): void {
  it('makes every claim undone, so that each row is what it was before it', async () => {
    const ids = [await scene.rows.ready(scene.db), await scene.rows.ready(scene.db)];
    const before = await Promise.all(ids.map(scene.row));
    const worker = scene.open();
    const works = [];
    for (const id of ids) works.push(await worker.begin(id));
    const claimed = await Promise.all(ids.map(scene.state));

    const first = await worker.consumer.giveBack(now);
    const second = await worker.consumer.giveBack(now);
    for (const work of works) await finish(work, 'badly');

    expect(claimed).toEqual(['claimed', 'claimed']);
    expect([first, second]).toEqual([2, 0]);
    expect(await Promise.all(ids.map(scene.row))).toEqual(before);
    expect(complaints(worker)).toEqual([]);
  });

  it("leaves another process's claims alone", async () => {
    const [mine, others] = [await scene.rows.ready(scene.db), await scene.rows.ready(scene.db)];
    const [worker, other] = [scene.open(), scene.open()];
    const own = await worker.begin(mine);
    const work = await other.begin(others);
    const before = await scene.row(others);

    const count = await worker.consumer.giveBack(now);
    const after = await scene.row(others);
    await Promise.all([finish(own, 'well'), finish(work, 'well')]);

    expect(count).toBe(1);
    expect(after).toEqual(before);
    expect(await scene.state(others)).toBe('finished');
  });

  it('leaves a row alone that was recovered and claimed by another process meanwhile', async () => {
    const id = await scene.rows.ready(scene.db);
    const worker = scene.open({ holdsLocks: false });
    const stale = await worker.begin(id);
    await makeClaimAnothers(scene, id);
    const before = await scene.row(id);

    const count = await worker.consumer.giveBack(now);
    await finish(stale, 'well');

    expect(count).toBe(0);
    expect(await scene.row(id)).toEqual(before);
    expect(await scene.effects(id)).toBe(0);
  });

  it('undoes nothing of a claim that was never committed', async () => {
    const id = await scene.rows.ready(scene.db);
    const before = await scene.row(id);
    const worker = scene.open();
    const work = await worker.begin(id, { claim: 'never_committed' });
    await work.ended;

    const count = await worker.consumer.giveBack(now);

    expect(count).toBe(0);
    expect(await scene.row(id)).toEqual(before);
  });

  it('undoes a claim whose commit was never answered', async () => {
    const id = await scene.rows.ready(scene.db);
    const before = await scene.row(id);
    const worker = scene.open();
    const work = await worker.begin(id, { claim: 'answer_lost' });
    await work.ended;
    const meanwhile = await scene.state(id);

    const count = await worker.consumer.giveBack(now);

    expect([meanwhile, count]).toEqual(['claimed', 1]);
    expect(await scene.row(id)).toEqual(before);
  });

  it('has nothing to give back of what is finished', async () => {
    const id = await scene.rows.ready(scene.db);
    const worker = scene.open();
    await finish(await worker.begin(id), 'well');
    const before = await everything(scene.db);

    const count = await worker.consumer.giveBack(now);

    expect(count).toBe(0);
    expect(await everything(scene.db)).toEqual(before);
  });

  if (!scene.hasPointOfNoReturn) return;
  it('leaves alone what can no longer be given back', async () => {
    const id = await scene.rows.ready(scene.db);
    const worker = scene.open();
    const work = await worker.begin(id);
    await work.passPointOfNoReturn();
    const before = await scene.row(id);

    const count = await worker.consumer.giveBack(now);
    const after = await scene.row(id);
    await finish(work, 'well');

    expect(count).toBe(0);
    expect(after).toEqual(before);
    expect([await scene.state(id), await scene.effects(id)]).toEqual(['finished', 1]);
  });
}

/** As if another process had recovered the row and claimed it for itself. */
async function makeClaimAnothers(
  { db, table, claimColumn = 'claim_token' }: ConsumerScene,
  id: number,
): Promise<void> {
  await db(table)
    .where({ id })
    .update({ [claimColumn]: '00000000-0000-4000-8000-00000000000a' });
}
