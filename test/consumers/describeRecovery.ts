import { expect, it } from 'vitest';
import type { Database } from '../../src/database/Database.ts';
import { type ConsumerScene, everything, finish, now, signal } from './consumerScene.ts';

/** What a consumer does when it starts. */
export function describeRecovery(scene: ConsumerScene): void {
  const { lastWrite = { table: 'alerts', event: 'insert' } } = scene;

  it('ends what dead processes left in flight', async () => {
    const ids = [await scene.rows.orphan(scene.db), await scene.rows.orphan(scene.db)];

    const ended = await scene.open().consumer.recover({ now, signal });

    expect(ended).toBe(2);
    for (const id of ids) expect(await scene.state(id)).toBe('interrupted');
    for (const id of ids) expect(await scene.effects(id)).toBe(0);
  });

  it('changes nothing when it runs again', async () => {
    await scene.rows.orphan(scene.db);
    await scene.rows.lastOrphan(scene.db);
    await scene.open().consumer.recover({ now, signal });
    const before = await everything(scene.db);

    const ended = await scene.open().consumer.recover({ now: later(now), signal });

    expect(ended).toBe(0);
    expect(await everything(scene.db)).toEqual(before);
  });

  it('leaves a busy unit to its holder, and ends the others', async () => {
    const [busy, free] = [await scene.rows.orphan(scene.db), await scene.rows.orphan(scene.db)];
    const lock = await scene.open().lock(busy);
    const before = await scene.row(busy);
    const { consumer } = scene.open();

    const whileBusy = await consumer.recover({ now, signal });
    const left = await scene.row(busy);
    await lock?.release();
    const afterwards = await consumer.recover({ now, signal });

    expect([whileBusy, afterwards]).toEqual([1, 1]);
    expect(left).toEqual(before);
    expect([await scene.state(busy), await scene.state(free)]).toEqual(['interrupted', 'interrupted']);
  });

  it('leaves alone what its own process works on', async () => {
    const id = await scene.rows.ready(scene.db);
    const worker = scene.open();
    const work = await worker.begin(id);

    const ended = await worker.consumer.recover({ now, signal });
    await finish(work, 'well');

    expect(ended).toBe(0);
    expect([await scene.state(id), await scene.effects(id)]).toEqual(['finished', 1]);
  });

  it('never touches what is at rest', async () => {
    await scene.rows.ready(scene.db);
    await scene.rows.atRest(scene.db);
    const before = await everything(scene.db);

    const ended = await scene.open().consumer.recover({ now, signal });

    expect(ended).toBe(0);
    expect(await everything(scene.db)).toEqual(before);
  });

  it('ends all of a row or nothing of it', async () => {
    const id = await scene.rows.lastOrphan(scene.db);
    const before = await everything(scene.db);
    const { consumer } = scene.open();

    const mend = await breakWritesOf(scene.db, lastWrite);
    // Thrown, or told of and passed over: either will do.
    await consumer.recover({ now, signal }).catch(() => 0);
    const meanwhile = await everything(scene.db);
    await mend();
    const ended = await consumer.recover({ now, signal });

    expect(meanwhile).toEqual(before);
    expect(ended).toBe(1);
    expect(await scene.state(id)).not.toBe('claimed');
    expect(await scene.db('alerts')).toHaveLength(lastWrite.table === 'alerts' ? 1 : 0);
  });

  it('lets no unit that cannot be recovered hold up another', async () => {
    const [stuck, other] = [await scene.rows.lastOrphan(scene.db), await scene.rows.orphan(scene.db)];

    const mend = await breakWritesOf(scene.db, lastWrite);
    await scene
      .open()
      .consumer.recover({ now, signal })
      .catch(() => 0);
    await mend();

    expect([await scene.state(stuck), await scene.state(other)]).toEqual(['claimed', 'interrupted']);
  });

  it('begins nothing once it is told to stop', async () => {
    const id = await scene.rows.orphan(scene.db);

    const ended = await scene.open().consumer.recover({ now, signal: AbortSignal.abort() });

    expect(ended).toBe(0);
    expect(await scene.state(id)).toBe('claimed');
  });
}

/** What it returns undoes it. */
async function breakWritesOf(
  db: Database,
  { table, event }: Required<ConsumerScene>['lastWrite'],
): Promise<() => Promise<void>> {
  await db.raw(
    `create function refuse_write() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
     create trigger refuse_write before ${event} on ${table} for each row execute function refuse_write()`,
  );
  return async () => {
    await db.raw('drop function refuse_write cascade');
  };
}

function later(instant: Date): Date {
  return new Date(instant.getTime() + 3_600_000);
}
