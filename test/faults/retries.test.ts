import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { runCommand } from './support/command.ts';
import { limitsInForce } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();
/** Nothing runs out while a worker is frozen, or a publisher does not answer. */
const patient = { ...defaultLimits, reconcileMs: limitsInForce.reconcileMs };
const claim = 'claim-route-article';
const tooFarOff = new Date('2100-01-01T00:00:00Z');
const longOver = new Date('2026-01-01T00:00:00Z');

const retry = (id: number) => runCommand(scene.url, ['queue', 'retry', String(id)]);
const audited = () => scene.db('audit_log').orderBy('id').pluck('action');

async function openNews() {
  return scene.channel(await scene.workspace(), 'news');
}

const failed = { publish_status: 'failed', publish_attempts: 3, last_error: 'as it was' };
const dead = { publish_status: 'dead', publish_attempts: 4, last_error: 'as it was' };

describe('retry', () => {
  it.for([
    ['failed', failed],
    ['dead', dead],
  ] as const)('F27 pressed twice at once equals once, for an article that is %s', async ([, columns]) => {
    const id = await scene.article(await openNews(), { ...columns, next_attempt_at: tooFarOff });

    const ends = await Promise.all([retry(id), retry(id)]);
    const retried = await scene.row(id);
    await scene.worker();
    const published = await scene.reached(id, 'published');

    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(retried).toMatchObject({ publish_status: 'pending', publish_attempts: 0, next_attempt_at: null });
    expect(await audited()).toEqual(['retry']);
    expect(published).toMatchObject({ publish_attempts: 1 });
    expect(scene.publisher.posts).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F27 pressed while a consumer is about to claim it counts from the start', async () => {
    const id = await scene.article(await openNews(), { ...failed, next_attempt_at: longOver });
    const faults = [{ when: 'before', statement: claim, do: 'stop' }] as const;
    const worker = await scene.worker({ limits: patient, faults });
    await worker.struck();

    const ends = await Promise.all([retry(id), retry(id)]);
    worker.thaw();
    const published = await scene.reached(id, 'published');

    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await audited()).toEqual(['retry']);
    expect(published).toMatchObject({ publish_attempts: 1 });
    expect(scene.publisher.posts).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F27 pressed once a consumer has claimed it is refused, and changes nothing', async () => {
    const id = await scene.article(await openNews(), { ...failed, next_attempt_at: longOver });
    const faults = [{ when: 'after', statement: claim, do: 'stop' }] as const;
    const worker = await scene.worker({ limits: patient, faults });
    await worker.struck();
    const claimed = await scene.row(id);

    const end = await retry(id);
    const after = await scene.row(id);
    worker.thaw();
    const published = await scene.reached(id, 'published');

    expect(claimed).toMatchObject({ publish_status: 'publishing', publish_attempts: 4 });
    expect(end).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('too late') });
    expect(after).toEqual(claimed);
    expect(await audited()).toEqual([]);
    expect(published).toMatchObject({ publish_attempts: 4 });
    await scene.expectInvariants();
  });
});
