import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { type FindsOut, useFaultScene } from './support/scene.ts';
import { endLockSessions, lockSessionPids, sessionsWait } from './support/sessions.ts';

const scene = useFaultScene();

async function openNews(findsOut: FindsOut = 'by_repeat') {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news', { findsOut }) };
}

/** Resolves when the process is on the list of consumers, seen since `after`. */
function isListed(pid: number, after: Date) {
  return until(() => scene.db('consumers').where({ pid }).where('seen_at', '>', after).first());
}

describe('a live consumer whose lock connection is terminated', () => {
  it('F15 gives back what waits at the gate, and takes it up again with a new lock', async () => {
    const { workspaceId, news } = await openNews();
    const id = await scene.article(news);
    const gate = await scene.db.transaction();
    await gate.raw('select from workspaces where id = ? for update', [workspaceId]);
    const worker = await scene.worker();
    await scene.reached(id, 'publishing');
    await sessionsWait(scene.db);
    const [lost] = await lockSessionPids(scene.db);

    await endLockSessions(scene.db);
    const isBack = scene.reached(id, 'pending');
    const givenBack = await isBack.finally(() => gate.rollback());
    const published = await scene.reached(id, 'published');

    expect(givenBack).toMatchObject({ publish_attempts: 0, last_error: null, claim_token: null });
    expect(published.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(await lockSessionPids(scene.db)).not.toContain(lost);
    expect(worker.lines.filter(({ msg }) => msg === 'lock connection lost')).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F15 lets a send that is under way end, and goes on to the next article', async () => {
    const { news } = await openNews('not_at_all');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const [id, next] = [await scene.article(news), await scene.article(news)];
    const worker = await scene.worker();
    await scene.publisher.accepted('news', 1);

    await endLockSessions(scene.db);
    const { time } = await worker.logged('lock connection lost');
    const whileSending = await scene.row(id);
    scene.publisher.release('news');
    await scene.reached(id, 'published');
    await scene.reached(next, 'published');

    expect(whileSending).toMatchObject({ publish_status: 'publishing', publish_attempts: 1 });
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(await lockSessionPids(scene.db)).toHaveLength(1);
    await isListed(worker.pid, new Date(String(time)));
    await scene.expectInvariants();
  });
});

describe('a tick that loses its database while it records what it sent', () => {
  const moments = [
    ['before it was done', 'before'],
    ['when it was done, and its answer is lost', 'after'],
  ] as const;

  it.for(moments)('F15b %s: the process lives, and records it late', async ([, when]) => {
    const { news } = await openNews('not_at_all');
    const [id, next] = [await scene.article(news), await scene.article(news)];
    const faults = [{ when, statement: 'record-published', do: 'destroy', times: 3 }] as const;
    const worker = await scene.worker({ faults });

    await worker.struck();
    const published = await scene.reached(id, 'published');
    await scene.reached(next, 'published');

    expect(published.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(scene.publisher.posts).toHaveLength(2);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });

  const ends: [FindsOut, string][] = [
    ['by_look_up', 'published'],
    ['by_repeat', 'published'],
    ['not_at_all', 'unknown'],
  ];

  it.for(ends)(
    'F15b for good: the next tick recovers it, and where it finds out %s it is %s',
    async ([findsOut, status]) => {
      const { news } = await openNews(findsOut);
      const id = await scene.article(news);
      const faults = [{ when: 'before', statement: 'record-published', do: 'fail', code: 'XX000' }] as const;
      const worker = await scene.worker({ faults });

      await worker.logged('tick failed');
      await scene.tried(id, 'unknown');
      await scene.settled(id, status);

      expect(worker.isRunning).toBe(true);
      expect(scene.publisher.posts.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
      await scene.expectInvariants();
    },
  );
});
