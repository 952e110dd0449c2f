import { describe, expect, it } from 'vitest';
import type { Fault, Place } from './support/Fault.ts';
import { limitsInForce } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { endLockSessions, sessionsWait } from './support/sessions.ts';
import { letTicksPass } from './support/ticks.ts';

const scene = useFaultScene();
// Whoever is held at a statement keeps its transaction open meanwhile.
const patient = {
  databaseAnswerMs: 10 * limitsInForce.databaseAnswerMs,
  sendAnswerMs: 10 * limitsInForce.sendAnswerMs,
};
const afterClaim = { when: 'after', statement: 'claim-route-article', do: 'kill' } as const;
const afterIntent = { when: 'after', commitOf: 'insert-intent', do: 'kill' } as const;

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news', { findsOut: 'not_at_all' }) };
}

async function startDoomed(fault: Fault) {
  const doomed = await scene.worker({ faults: [fault] });
  await doomed.struck();
  await doomed.ended();
}

/** Everything that recovery writes, but when a row of a workspace last ticked. */
async function everything() {
  const tables = ['route_articles', 'publications', 'attempts', 'alerts', 'channels'];
  return Promise.all(tables.map(table => scene.db(table).orderBy('id')));
}

describe('the start-up UPDATE', () => {
  const orphans = [
    ['what was claimed', { left: afterClaim, end: 'failed', outcome: 'interrupted' }],
    ['what had passed the gate', { left: afterIntent, end: 'unknown', outcome: 'unknown' }],
  ] as const;
  const moments = [
    ['in its middle', { when: 'after', statement: 'end-claim', do: 'kill' }],
    ['before its commit', { when: 'before', commitOf: 'end-claim', do: 'kill' }],
  ] as const;
  const cases = orphans.flatMap(([what, orphan]) =>
    moments.map(([when, fault]) => [what, when, { ...orphan, fault }] as const),
  );

  it.for(cases)(
    'F8 ends %s not at all when it is killed %s; a second start repeats it, a third changes no row',
    async ([, , { left, end, outcome, fault }]) => {
      const { workspaceId, news } = await openNews();
      const id = await scene.article(news);
      await startDoomed(left);
      const orphaned = await everything();

      await startDoomed(fault);
      const afterFirst = await everything();
      const second = await scene.worker();
      await scene.reached(id, end);
      await letTicksPass(scene.db, workspaceId);
      await second.stop();
      const afterSecond = await everything();
      const third = await scene.worker();
      await third.logged('started');
      await letTicksPass(scene.db, workspaceId);

      expect(afterFirst).toEqual(orphaned);
      expect(await scene.tried(id, outcome)).toEqual([outcome]);
      expect(await everything()).toEqual(afterSecond);
      await scene.expectInvariants();
    },
  );

  it('F8 has ended everything when it is killed right after its commit', async () => {
    const { workspaceId, news } = await openNews();
    const id = await scene.article(news);
    await startDoomed(afterIntent);

    await startDoomed({ when: 'after', commitOf: 'end-claim', do: 'kill' });
    const afterFirst = await everything();
    await scene.worker();
    await letTicksPass(scene.db, workspaceId);

    expect(await scene.row(id)).toMatchObject({ publish_status: 'unknown', publish_attempts: 1 });
    expect(await scene.db('publications').pluck('state')).toEqual(['unknown']);
    expect(await everything()).toEqual(afterFirst);
    await scene.expectInvariants();
  });
});

describe('the start-up UPDATE and a consumer that finishes', () => {
  /** A worker that waits for its answer, and whose locks are gone: another one may start on what it has. */
  async function startSending() {
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const sending = await scene.worker({ limits: patient });
    await scene.publisher.accepted('news', 1);
    await endLockSessions(scene.db);
    await sending.logged('lock connection lost');
  }

  /** A worker that was refused, is held at a statement of its record, and has lost its locks. */
  async function startRefused(at: Place & { when: 'before' | 'after' }) {
    scene.publisher.behaveOnce('news', { kind: 'answer', status: 422 });
    const refused = await scene.worker({ faults: [{ ...at, do: 'stop' }], limits: patient });
    await refused.struck();
    await endLockSessions(scene.db);
    return refused;
  }

  /** A worker that is held at a statement of its start-up UPDATE. */
  async function startUpdating(at: Place & { when: 'before' | 'after' }) {
    const updating = await scene.worker({ faults: [{ ...at, do: 'stop' }], limits: patient });
    await updating.struck();
    return updating;
  }

  /** Where a row went that was claimed once. */
  async function ends(): Promise<string[]> {
    const statuses: string[] = await scene.db('faults.transitions').orderBy('id').pluck('to_status');
    return statuses.slice(1);
  }

  it('F11 race for a row that went out, and the UPDATE wins: unknown, then published', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);
    await startSending();
    const updating = await startUpdating({ when: 'after', statement: 'lock-in-flight' });

    scene.publisher.release('news');
    await sessionsWait(scene.db);
    updating.thaw();
    const published = await scene.reached(id, 'published');

    expect(published.publish_attempts).toBe(1);
    expect(await ends()).toEqual(['unknown', 'published']);
    expect(await scene.db('publications').pluck('state')).toEqual(['published']);
    await scene.expectInvariants();
  });

  it('F11 race for a row that was refused, and the UPDATE wins: unknown, then failed', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const refused = await startRefused({ when: 'before', statement: 'delete-publication' });
    const updating = await startUpdating({ when: 'after', statement: 'lock-in-flight' });

    refused.thaw();
    await sessionsWait(scene.db);
    updating.thaw();
    const failed = await scene.reached(id, 'failed');

    expect(failed).toMatchObject({ publish_attempts: 1, last_error_code: 'rejected' });
    expect(await ends()).toEqual(['unknown', 'failed']);
    expect(await scene.db('publications')).toEqual([]);
    await scene.expectInvariants();
  });

  it('F12 race for a row that went out, and the consumer wins: published, and nothing else', async () => {
    const { workspaceId, news } = await openNews();
    const id = await scene.article(news);
    await startSending();
    const updating = await startUpdating({ when: 'before', statement: 'lock-sending-publication' });

    scene.publisher.release('news');
    await scene.reached(id, 'published');
    updating.thaw();
    await letTicksPass(scene.db, workspaceId);

    expect(await ends()).toEqual(['published']);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    await scene.expectInvariants();
  });

  it('F12 race for a row that was refused, and the consumer wins: failed, and nothing else', async () => {
    const { workspaceId, news } = await openNews();
    const id = await scene.article(news);
    const refused = await startRefused({ when: 'after', statement: 'end-claim' });
    const updating = await scene.worker({ limits: patient });
    await sessionsWait(scene.db);

    refused.thaw();
    await scene.reached(id, 'failed');
    await updating.logged('started');
    await letTicksPass(scene.db, workspaceId);

    expect(await ends()).toEqual(['failed']);
    expect(await scene.tried(id, 'failed')).toEqual(['failed']);
    await scene.expectInvariants();
  });
});
