import { describe, expect, it } from 'vitest';
import { alertKinds } from '../support/factories.ts';
import type { Fault, Place, Strike } from './support/Fault.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();
const minuteMs = 60_000;
const interrupted = 'interrupted (consumer restarted)';

const afterClaim = { when: 'after', statement: 'claim-route-article' } as const;
const afterIntent = { when: 'after', commitOf: 'insert-intent' } as const;
/** The publisher has accepted, and its answer was read. */
const beforeRecord = { when: 'before', statement: 'record-published' } as const;

/** A workspace with one channel, which posts to /news. */
async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

/** Starts a worker and waits until the fault has ended it. */
async function startDoomed(fault: Fault, heapMb?: number) {
  const doomed = await scene.worker({ faults: [fault], ...(heapMb ? { heapMb } : {}) });
  await doomed.struck();
  return doomed.ended();
}

describe('a worker that is killed in a tick', () => {
  it('F1 counts an attempt that was claimed and not sent, and publishes after its wait', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);

    await startDoomed({ ...afterClaim, do: 'kill' });
    const left = await scene.row(id);
    await scene.worker();
    const failed = await scene.reached(id, 'failed');
    await scene.endWaits();
    const published = await scene.reached(id, 'published');

    expect(left).toMatchObject({ publish_status: 'publishing', sending_at: null });
    expect(failed).toMatchObject({ publish_attempts: 1, last_error: interrupted });
    expect(failed.next_attempt_at - failed.updated_at).toBeGreaterThan(4 * minuteMs);
    expect(published).toMatchObject({ publish_attempts: 2, last_error: null });
    expect(await scene.publisher.arrived('news', 1)).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F1 leaves no trace of a claim that was never committed', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);

    await startDoomed({ when: 'before', statement: 'claim-route-article', do: 'kill' });
    const left = await scene.row(id);
    await scene.worker();
    const published = await scene.reached(id, 'published');

    expect(left).toMatchObject({ publish_status: 'pending', publish_attempts: 0 });
    expect(published.publish_attempts).toBe(1);
    await scene.expectInvariants();
  });

  it('F2 takes what passed the gate for unknown, although no byte of it left', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);

    await startDoomed({ ...afterIntent, do: 'kill' });
    const left = await scene.row(id);
    const arrived = [...scene.publisher.posts];
    await scene.worker();
    const outcomes = await scene.tried(id, 'unknown');

    expect(left).toMatchObject({ publish_status: 'publishing' });
    expect(left.sending_at).not.toBeNull();
    expect(arrived).toEqual([]);
    expect(outcomes[0]).toBe('unknown');
    await scene.expectInvariants();
  });
});

describe('a worker that ends itself in a tick', () => {
  type Death = { strike: Strike; end: { exitCode: number | null; signal: string | null }; heapMb?: number };
  const deaths: [string, Death][] = [
    ['process.exit', { strike: { do: 'exit' }, end: { exitCode: 1, signal: null } }],
    ['an unhandled rejection', { strike: { do: 'reject' }, end: { exitCode: 1, signal: null } }],
    [
      'running out of memory',
      { strike: { do: 'oom' }, end: { exitCode: null, signal: 'SIGABRT' }, heapMb: 64 },
    ],
  ];
  type Moment = { at: Place & { when: 'before' | 'after' }; outcome: string; accepted: number };
  const moments: [string, Moment][] = [
    ['after its claim', { at: afterClaim, outcome: 'interrupted', accepted: 0 }],
    ['after its intent', { at: afterIntent, outcome: 'unknown', accepted: 0 }],
    ['after the publisher accepted', { at: beforeRecord, outcome: 'unknown', accepted: 1 }],
  ];
  const cases = deaths.flatMap(([how, death]) =>
    moments.map(([when, moment]): [string, string, Death & Moment] => [how, when, { ...death, ...moment }]),
  );

  it.for(cases)(
    'F6 %s %s is as a kill, and the next tick works',
    async ([, , { strike, end, heapMb, at, outcome, accepted }]) => {
      const { workspaceId, news } = await openNews();
      const other = await scene.channel(workspaceId, 'other');
      const struck = await scene.article(news);
      const next = await scene.article(other);

      const ended = await startDoomed({ ...at, ...strike }, heapMb);
      const acceptedBefore = scene.publisher.posts.length;
      const worker = await scene.worker();
      const outcomes = await scene.tried(struck, outcome);
      await scene.reached(next, 'published');

      expect(ended).toMatchObject(end);
      expect(acceptedBefore).toBe(accepted);
      expect(outcomes[0]).toBe(outcome);
      expect(worker.isRunning).toBe(true);
      await scene.expectInvariants();
    },
  );
});

describe('an article that kills whoever claims it', () => {
  it('F7 is dead after its attempts, and the others go out', async () => {
    const { news } = await openNews();
    const poison = await scene.article(news, { title: 'Poison' });
    const others = [await scene.article(news), await scene.article(news)];
    const fault = { ...afterClaim, containing: 'Poison', do: 'kill', times: 100 } as const;

    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await startDoomed(fault);
      expect(await scene.row(poison)).toMatchObject({
        publish_status: 'publishing',
        publish_attempts: attempt,
      });
      if (attempt === 4) break;
      const survivor = await scene.worker({ faults: [fault] });
      await scene.reached(poison, 'failed');
      await survivor.stop();
      await scene.endWaits();
    }
    const last = await scene.worker({ faults: [fault] });
    const dead = await scene.reached(poison, 'dead');
    await scene.endWaits();
    for (const id of others) await scene.reached(id, 'published');
    const after = await scene.article(news);
    await scene.reached(after, 'published');

    expect(dead).toMatchObject({ publish_attempts: 4, last_error: interrupted });
    expect(await scene.tried(poison, 'interrupted')).toEqual(Array(4).fill('interrupted'));
    expect(await alertKinds(scene.db)).toEqual(['article_dead']);
    expect(last.isRunning).toBe(true);
    expect(await scene.row(poison)).toMatchObject({ publish_status: 'dead', updated_at: dead.updated_at });
    await scene.expectInvariants();
  });
});
