import { describe, expect, it } from 'vitest';
import { useFaultScene } from './support/scene.ts';
import { type FaultStore, storeKinds, useFaultStores } from './support/stores.ts';
import type { WorkerOptions } from './support/worker.ts';

const scene = useFaultScene();
const storeOf = useFaultStores(scene);
const warn = 40;

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

const schedulerOf = (workspaceId: number) => `publish-next-article:${workspaceId}`;

function start({ redisUrl }: FaultStore, faults: WorkerOptions['faults'] = []) {
  return scene.worker({ redisUrl, faults });
}

describe.each(storeKinds)('a worker whose queues in %s are deleted', kind => {
  it('F29 when it is idle ticks on by itself', async () => {
    const store = storeOf(kind);
    const { workspaceId, news } = await openNews();
    const worker = await start(store);
    await scene.reached(await scene.article(news), 'published');

    await store.flush();
    const gone = await store.schedulers();
    await scene.reached(await scene.article(news), 'published');

    expect(gone).toEqual([]);
    expect(await store.schedulers()).toEqual([schedulerOf(workspaceId)]);
    expect(worker.lines.filter(({ level }) => level >= warn).length).toBeLessThan(5);
    await scene.expectInvariants();
  });

  it('F29 in mid-tick records what it sends, once, and ticks on', async () => {
    const store = storeOf(kind);
    const { workspaceId, news } = await openNews();
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    await start(store);
    await scene.publisher.accepted('news', 1);

    await store.flush();
    scene.publisher.release('news');
    const published = await scene.reached(id, 'published');
    await scene.reached(await scene.article(news), 'published');

    expect(published).toMatchObject({ publish_attempts: 1 });
    expect(scene.publisher.posts).toHaveLength(2);
    expect(await store.schedulers()).toEqual([schedulerOf(workspaceId)]);
    await scene.expectInvariants();
  });

  it('F29 while it boots ticks all the same', async () => {
    const store = storeOf(kind);
    const { workspaceId, news } = await openNews();
    const id = await scene.article(news);
    // Once with the workspaces in its hands and no scheduler written, and once with the first ticks to come.
    const worker = await start(store, [{ when: 'after', statement: 'list-workspaces', do: 'stop' }]);
    await worker.struck();
    await store.flush();
    worker.thaw();
    await worker.logged('started');
    await store.flush();

    await scene.reached(id, 'published');

    expect(await store.schedulers()).toEqual([schedulerOf(workspaceId)]);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });
});
