import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { tickOffsetMs } from '../../src/publishing/tickOffset.ts';
import { reconcileSchedules } from '../../src/queue/reconcileSchedules.ts';
import { publishingTick, retention } from '../../src/queue/schedule.ts';
import { tickJobId } from '../../src/queue/schedulerFault.ts';
import { type OpenQueue, openQueue, openWorker, type QueueStore } from '../../src/queue/store.ts';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import { until } from '../support/until.ts';
import { collectingLogger } from './logLines.ts';
import { storeKinds, useStore } from './stores.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const closeLimitMs = 1_000;

describe.each(storeKinds)('reconcileSchedules on %s', kind => {
  const testStore = useStore(kind);
  const opened: OpenQueue[] = [];
  let store: QueueStore;

  beforeEach(async () => {
    store = await testStore.open();
  });

  afterEach(async () => {
    vi.useRealTimers();
    for (const { close } of opened.splice(0)) await close(closeLimitMs);
  });

  async function open() {
    const queue = openQueue(store, 'publishing', createStoreErrors(collectingLogger().logger));
    opened.push(queue);
    await queue.queue.waitUntilReady();
    return queue.queue;
  }

  /** As three processes that start at once, each with a connection of its own. */
  const openThree = () => Promise.all([open(), open(), open()]);

  type Queue = Awaited<ReturnType<typeof open>>;

  function reconcile(queue: Queue, workspaces: { id: number; everyMs: number }[], now = systemClock.now()) {
    const wanted = workspaces.map(({ id, everyMs }) => publishingTick({ id, tickIntervalMs: everyMs }));
    return reconcileSchedules({
      queue,
      wanted,
      withLock: kind === 'postgres' ? testStore.withLock : null,
      now,
    });
  }

  /** Runs ticks until something is so. */
  async function work(isDone: () => Promise<boolean>) {
    const errors = createStoreErrors(collectingLogger().logger);
    const { worker, disconnect } = openWorker({
      store,
      name: 'publishing',
      processor: async () => null,
      options: {},
      errors,
    });
    worker.run().catch(errors.report);
    await until(isDone);
    await worker.close();
    disconnect();
  }

  async function nextOf(queue: Queue, id = 1) {
    const scheduler = await queue.getJobScheduler(`publish-next-article:${id}`);
    return scheduler?.next ?? null;
  }

  it('creates a scheduler that waits for its slot instead of firing at once', async () => {
    const queue = await open();
    const before = Date.now();

    await reconcile(queue, [{ id: 1, everyMs: hourMs }]);

    const next = await nextOf(queue);
    expect(next).toBeGreaterThan(before);
    expect(Number(next) % hourMs).toBe(tickOffsetMs(1, hourMs));
    expect(await queue.getJobCounts('waiting', 'active', 'delayed')).toEqual({
      waiting: 0,
      active: 0,
      delayed: 1,
    });
  });

  it('gives each tick its workspace, the id of its slot, and the retention', async () => {
    const queue = await open();

    await reconcile(queue, [{ id: 1, everyMs: hourMs }]);

    const [job] = await queue.getDelayed();
    expect(job).toMatchObject({
      id: tickJobId('publish-next-article:1', Number(await nextOf(queue))),
      name: 'publish-next-article',
      data: { workspaceId: 1 },
    });
    expect(job?.opts).toMatchObject(retention.jobs);
  });

  it('changes nothing when all is right', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: hourMs }];
    await reconcile(queue, workspaces);
    const [before] = await queue.getDelayed();
    const upsert = vi.spyOn(queue, 'upsertJobScheduler');

    await reconcile(queue, workspaces);

    const [after] = await queue.getDelayed();
    expect(upsert).not.toHaveBeenCalled();
    expect(after?.timestamp).toBe(before?.timestamp);
  });

  it('makes exactly one scheduler and one tick when three processes register at once', async () => {
    const queues = await openThree();
    const workspaces = [1, 2, 3, 4, 5].map(id => ({ id, everyMs: hourMs }));

    await Promise.all(queues.map(queue => reconcile(queue, workspaces)));

    const [queue] = queues;
    expect(await queue.getJobSchedulersCount()).toBe(5);
    expect(await queue.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 0, delayed: 5 });
  });

  it('makes exactly one tick when three processes change an interval at once', async () => {
    const queues = await openThree();
    const [queue] = queues;
    const rounds = [1, 2, 3, 4, 5];
    const counts = [];

    for (const round of rounds) {
      await Promise.all(queues.map(each => reconcile(each, [{ id: 1, everyMs: round * hourMs }])));
      counts.push(await queue.getJobCounts('waiting', 'delayed'));
    }

    expect(counts).toEqual(rounds.map(() => ({ waiting: 0, delayed: 1 })));
  });

  it('creates the schedulers again, on the same slots, after everything was deleted', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: hourMs }];
    await reconcile(queue, workspaces);
    const before = await nextOf(queue);
    await testStore.wipe();

    await reconcile(queue, workspaces);

    expect((Number(await nextOf(queue)) - Number(before)) % hourMs).toBe(0);
    expect(await queue.getDelayedCount()).toBe(1);
  });

  it('moves to another interval without a tick in between', async () => {
    const queue = await open();
    await reconcile(queue, [{ id: 1, everyMs: hourMs }]);

    await reconcile(queue, [{ id: 1, everyMs: 5 * minuteMs }]);

    const next = Number(await nextOf(queue));
    expect(next % (5 * minuteMs)).toBe(tickOffsetMs(1, 5 * minuteMs));
    expect(next).toBeGreaterThan(Date.now());
    expect(await queue.getJobCounts('waiting', 'active', 'delayed')).toEqual({
      waiting: 0,
      active: 0,
      delayed: 1,
    });
  });

  it('removes the scheduler and the waiting tick of an archived workspace', async () => {
    const queue = await open();
    await reconcile(queue, [
      { id: 1, everyMs: hourMs },
      { id: 2, everyMs: hourMs },
    ]);

    await reconcile(queue, [{ id: 2, everyMs: hourMs }]);

    expect(await nextOf(queue, 1)).toBeNull();
    expect(await nextOf(queue, 2)).not.toBeNull();
    expect(await queue.getDelayedCount()).toBe(1);
  });

  it('replaces a scheduler whose next tick a clock that was ahead has put far away', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: 5 * minuteMs }];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hourMs });
    await reconcile(queue, workspaces);
    vi.useRealTimers();

    await reconcile(queue, workspaces);

    expect(Number(await nextOf(queue))).toBeLessThanOrEqual(Date.now() + 5 * minuteMs);
    expect(await queue.getDelayedCount()).toBe(1);
  });

  it('leaves an overdue tick alone that only waits for a worker', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: 5 * minuteMs }];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - hourMs });
    await reconcile(queue, workspaces);
    vi.useRealTimers();
    const overdue = await nextOf(queue);

    await reconcile(queue, workspaces);

    expect(await nextOf(queue)).toBe(overdue);
  });

  it('replaces an overdue scheduler that has no tick left to carry it on', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: 5 * minuteMs }];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - hourMs });
    await reconcile(queue, workspaces);
    vi.useRealTimers();
    await testStore.loseTick(tickJobId('publish-next-article:1', Number(await nextOf(queue))));

    await reconcile(queue, workspaces);

    expect(Number(await nextOf(queue))).toBeGreaterThan(Date.now());
    expect(await queue.getDelayedCount()).toBe(1);
  });

  it('removes ticks that finished in the future, whose ids occupy slots to come', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: 200 }];
    await reconcile(queue, workspaces);
    await work(async () => (await queue.getCompletedCount()) >= 2);
    const anHourBack = new Date(Date.now() - hourMs);

    await reconcile(queue, workspaces, anHourBack);

    expect(await queue.getCompletedCount()).toBe(0);
    expect(await queue.getDelayedCount()).toBe(1);
  });

  it('lets a doubled tick fire once and start no second chain', async () => {
    const queue = await open();
    const workspaces = [{ id: 1, everyMs: 200 }];
    await reconcile(queue, workspaces);
    const next = Number(await nextOf(queue));
    const double = tickJobId('publish-next-article:1', next + 7);
    await testStore.doubleTick(tickJobId('publish-next-article:1', next), double);
    await work(async () => (await queue.getJobState(double)) === 'completed');

    await reconcile(queue, workspaces);

    expect(await queue.getJobSchedulersCount()).toBe(1);
    expect(await queue.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 0, delayed: 1 });
  });

  it('bounds the stream of events again after everything was deleted', async () => {
    const queue = await open();
    await testStore.wipe();

    await reconcile(queue, []);

    expect(await queue.getBackend().getQueueMetaField('opts.maxLenEvents')).toBe(
      String(retention.streams.events.maxLen),
    );
  });
});
