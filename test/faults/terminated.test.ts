import { describe, expect, it } from 'vitest';
import type { Place } from './support/Fault.ts';
import { useFaultScene } from './support/scene.ts';
import { endWaitingSessions, sessionsWait } from './support/sessions.ts';

const scene = useFaultScene();

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

type Moment = Place & { when: 'before' | 'after' };

const claimed = { statement: 'claim-route-article' } as const;
const intent = { statement: 'insert-intent' } as const;
const recorded = { statement: 'record-published' } as const;
const ended = { statement: 'end-claim' } as const;

const whens = ['before', 'after'] as const;
const places: [string, Place][] = [
  ['the claim', claimed],
  ['the intent', intent],
  ['the commit of the intent', { commitOf: 'insert-intent' }],
  ['the record', recorded],
];

const bothOf = (named: readonly [string, Place][]) =>
  named.flatMap(([what, place]) =>
    whens.map((when): [string, string, Moment] => [when, what, { ...place, when }]),
  );

describe('a connection that is lost', () => {
  const lost = (at: Moment) => ({ ...at, do: 'destroy' }) as const;

  it.for(bothOf(places))('F38 %s %s: nothing is sent twice, and no attempt is counted', async ([, , at]) => {
    const { news } = await openNews();
    const [id, next] = [await scene.article(news), await scene.article(news)];
    const worker = await scene.worker({ faults: [lost(at)] });

    await worker.struck();
    const published = await scene.reached(id, 'published');
    await scene.reached(next, 'published');

    expect(published.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(await scene.publisher.arrived('news', 2)).toHaveLength(2);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });

  const recordsOfFailure: [string, Place][] = [
    ['the record of a failure', ended],
    ['the commit of that record', { commitOf: 'end-claim' }],
  ];

  it.for(bothOf(recordsOfFailure))('F38 %s %s: it is recorded once', async ([, , at]) => {
    const { news } = await openNews();
    scene.publisher.behaveOnce('news', { kind: 'answer', status: 422 });
    const id = await scene.article(news);
    const worker = await scene.worker({ faults: [lost(at)] });

    await worker.struck();
    const failed = await scene.reached(id, 'failed');
    await scene.endWaits();
    await scene.reached(id, 'published');

    expect(failed).toMatchObject({ publish_attempts: 1, last_error_code: 'rejected' });
    expect(await scene.tried(id, 'published')).toEqual(['failed', 'published']);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });

  const recovery: [string, Place][] = [
    ['the recovery', { statement: 'lock-in-flight' }],
    ['the end of what it found', ended],
    ['the commit of the recovery', { commitOf: 'end-claim' }],
  ];

  it.for(recovery)('F38 before and after %s: it is repeated, and ends the orphan once', async ([, place]) => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const killed = await scene.worker({ faults: [{ ...claimed, when: 'after', do: 'kill' }] });
    await killed.ended();
    // The second strikes at the repeat: only what was answered counts for it.
    const faults = whens.map(when => lost({ ...place, when }));
    const worker = await scene.worker({ faults });

    await worker.struck(2);
    const failed = await scene.reached(id, 'failed');
    await scene.endWaits();
    await scene.reached(id, 'published');

    expect(failed.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['interrupted', 'published']);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });

  it.for(whens)('F38 %s the list of workspaces is read to reconcile: it is read again', async when => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const fault = { statement: 'list-workspaces', when, do: 'destroy', times: 2 } as const;
    const worker = await scene.worker({ faults: [fault] });

    await worker.struck(2);
    await scene.reached(id, 'published');

    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });
});

describe('a session that the server terminates', () => {
  const waits = [
    ['in the claim', 'lock table articles in access exclusive mode'],
    ['at the gate', 'lock table publications in access exclusive mode'],
  ] as const;

  it.for(waits)('F38 %s: the article is published after it', async ([, hold]) => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const held = await scene.db.transaction();
    const worker = await scene.worker();
    await worker.logged('started');
    await held.raw(hold);
    const terminated = sessionsWait(scene.db).then(() => endWaitingSessions(scene.db));

    const ends = await terminated.finally(() => held.rollback());
    await scene.reached(id, 'published');

    expect(ends).toBeGreaterThan(0);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });
});
