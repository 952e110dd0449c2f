import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { until } from '../support/until.ts';
import { limitsInForce } from './support/realTime.ts';
import { type FindsOut, useFaultScene } from './support/scene.ts';

const scene = useFaultScene();
const minuteMs = 60_000;

async function openNews(findsOut: FindsOut) {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news', { findsOut }) };
}

/** What has to come of an outcome that is not known, once the publisher did accept. */
const ends: [FindsOut, string, { posts: number; repeats: number }][] = [
  ['by_look_up', 'published', { posts: 1, repeats: 0 }],
  ['by_repeat', 'published', { posts: 1, repeats: 1 }],
  ['not_at_all', 'unknown', { posts: 1, repeats: 0 }],
];

async function expectOnePost({ posts, repeats }: { posts: number; repeats: number }) {
  const accepted = scene.publisher.posts;
  expect(accepted.filter(({ isRepeat }) => !isRepeat)).toHaveLength(posts);
  expect(accepted.filter(({ isRepeat }) => isRepeat)).toHaveLength(repeats);
  // Byte for byte: else the receiver could not take it for the same.
  expect(new Set(accepted.map(({ body }) => body)).size).toBe(1);
}

/** Lets two more ticks do to a row whatever they would. */
async function letTicksPass(workspaceId: number) {
  const lastTick = async () => {
    const row = await scene.db('workspaces').where({ id: workspaceId }).first('last_tick_at');
    return row.last_tick_at?.getTime() ?? 0;
  };
  const before = await lastTick();
  await until(async () => (await lastTick()) - before > 2_000, { timeoutMs: 20_000 });
}

describe('a worker that is killed with its intent on record', () => {
  it('F2 and nothing sent: a look-up finds nothing, and it is published later, once', async () => {
    const { news } = await openNews('by_look_up');
    const id = await scene.article(news);
    const faults = [{ when: 'after', commitOf: 'insert-intent', do: 'kill' }] as const;
    const killed = await scene.worker({ faults });
    await killed.ended();
    const { send_by: sendBy } = await scene.db('publications').first('send_by');

    await scene.worker();
    await scene.tried(id, 'unknown');
    const { sendAnswerMs, settleAfterMs } = limitsInForce;
    const countsFrom = sendBy.getTime() + sendAnswerMs + settleAfterMs;
    await until(() => systemClock.now().getTime() > countsFrom, { timeoutMs: 3 * minuteMs });
    const failed = await scene.settled(id, 'failed');
    const intents = await scene.db('publications');
    await scene.endWaits();
    const published = await scene.reached(id, 'published');

    expect(failed.updated_at.getTime()).toBeGreaterThan(countsFrom);
    expect(failed).toMatchObject({ publish_attempts: 1 });
    expect(failed.next_attempt_at - failed.updated_at).toBeGreaterThan(4 * minuteMs);
    expect(intents).toEqual([]);
    expect(published.publish_attempts).toBe(2);
    await expectOnePost({ posts: 1, repeats: 0 });
    await scene.expectInvariants();
  });

  it.for(ends)('F3 and accepted, where it finds out %s: %s', async ([findsOut, status, counts]) => {
    const { workspaceId, news } = await openNews(findsOut);
    const id = await scene.article(news);
    const faults = [{ when: 'before', statement: 'record-published', do: 'kill' }] as const;
    const killed = await scene.worker({ faults });
    await killed.ended();
    expect(scene.publisher.posts).toHaveLength(1);

    await scene.worker();
    await scene.tried(id, 'unknown');
    await letTicksPass(workspaceId);
    await scene.settled(id, status);

    await expectOnePost(counts);
    await scene.expectInvariants();
  });
});

describe('an answer that is lost', () => {
  it.for(ends)('F4 with its connection, where it finds out %s: %s', async ([findsOut, status, counts]) => {
    const { workspaceId, news } = await openNews(findsOut);
    scene.publisher.behaveOnce('news', { kind: 'accept_then_drop' });
    const id = await scene.article(news);
    await scene.worker();

    await scene.tried(id, 'unknown');
    await letTicksPass(workspaceId);
    await scene.settled(id, status);

    await expectOnePost(counts);
    await scene.expectInvariants();
  });

  it.for(ends)('F5 because it comes late, where it finds out %s: %s', async ([findsOut, status, counts]) => {
    const { workspaceId, news } = await openNews(findsOut);
    scene.publisher.behaveOnce('news', { kind: 'answer_late', delayMs: 2 * limitsInForce.sendAnswerMs });
    const id = await scene.article(news);
    await scene.worker();

    await scene.tried(id, 'unknown');
    await letTicksPass(workspaceId);
    await scene.settled(id, status);

    await expectOnePost(counts);
    await scene.expectInvariants();
  });

  it('F5 no more than a while: read by a process that froze, it is recorded when that goes on', async () => {
    const { news } = await openNews('not_at_all');
    const id = await scene.article(news);
    const faults = [{ when: 'before', statement: 'record-published', do: 'stop' }] as const;
    const frozen = await scene.worker({ faults });
    await frozen.struck();
    const successor = await scene.worker();
    // Once the server has ended the session of the one that is frozen.
    const waitMs = limitsInForce.lockIdleMs + 2 * minuteMs;
    await until(async () => (await scene.row(id)).publish_status === 'unknown', { timeoutMs: waitMs });

    frozen.thaw();
    const published = await scene.reached(id, 'published');

    expect(published).toMatchObject({ publish_attempts: 1 });
    expect(await scene.db('publications').pluck('state')).toEqual(['published']);
    expect(successor.isRunning).toBe(true);
    await expectOnePost({ posts: 1, repeats: 0 });
    await scene.expectInvariants();
  });
});
