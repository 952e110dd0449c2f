import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

const articles = async (channelId: number, count: number) => {
  const ids: number[] = [];
  for (let inserted = 0; inserted < count; inserted += 1) ids.push(await scene.article(channelId));
  return ids;
};

describe('two consumers', () => {
  it('F13 that start at the same instant end an orphan once, and publish each article once', async () => {
    const { news } = await openNews();
    const orphan = await scene.article(news, { priority: 1 });
    const ids = await articles(news, 4);
    const faults = [{ when: 'after', statement: 'claim-route-article', do: 'kill' }] as const;
    const killed = await scene.worker({ faults });
    await killed.struck();
    await killed.ended();

    const workers = await Promise.all([scene.worker(), scene.worker()]);
    for (const id of ids) await scene.reached(id, 'published');
    const outcomes = await scene.tried(orphan, 'interrupted');
    const ends = await Promise.all(workers.map(worker => worker.stop()));

    expect(outcomes).toEqual(['interrupted']);
    expect(await scene.row(orphan)).toMatchObject({ publish_status: 'failed', publish_attempts: 1 });
    expect(scene.publisher.posts.map(({ isRepeat }) => isRepeat)).toEqual([false, false, false, false]);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    await scene.expectInvariants({ isRunning: false });
  });
});

describe('a rolling deploy', () => {
  it('F14 lets the old worker record what it sends, and the new one go on from there', async () => {
    const { news } = await openNews();
    scene.publisher.behave('news', { kind: 'accept_then_hold' });
    const [sending = 0, ...rest] = await articles(news, 4);
    const before = await scene.worker();
    await scene.publisher.accepted('news', 1);

    const stopped = before.stop();
    const after = await scene.worker();
    await after.logged('started');
    const meanwhile = await scene.row(sending);
    scene.publisher.behave('news', { kind: 'accept' });
    scene.publisher.release('news');
    const end = await stopped;
    for (const id of rest) await scene.reached(id, 'published');

    expect(meanwhile.publish_status).toBe('publishing');
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(await scene.db('attempts').orderBy('id').pluck('outcome')).toEqual(Array(4).fill('published'));
    expect(after.lines.filter(({ msg }) => msg === 'article recovered')).toEqual([]);
    await scene.expectInvariants();
  });

  it('F14 loses nothing over a row of them', async () => {
    const { news } = await openNews();
    const ids = await articles(news, 12);
    const isDone = async () => {
      const open = await scene.db('route_articles').whereNot({ publish_status: 'published' }).pluck('id');
      return open.length === 0;
    };

    let worker = await scene.worker();
    for (let deploys = 0; deploys < 4; deploys += 1) {
      await scene.publisher.accepted('news', deploys * 2 + 1);
      const [end, next] = await Promise.all([worker.stop(), scene.worker()]);
      expect(end).toMatchObject({ exitCode: 0, signal: null });
      worker = next;
    }
    await until(isDone, { timeoutMs: 30_000 });

    expect(scene.publisher.posts.map(({ postKey }) => postKey)).toHaveLength(ids.length);
    await scene.expectInvariants();
  });
});
