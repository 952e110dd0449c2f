import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { QueueConsumer, type RunTick } from '../../src/queue/consumer.ts';
import { type OpenQueue, openQueue, type QueueStore } from '../../src/queue/store.ts';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import { until } from '../support/until.ts';
import { openBreakableLink } from './breakableLink.ts';
import { collectingLogger } from './logLines.ts';
import { storeKinds, useStore } from './stores.ts';

const closeLimitMs = 1_000;
const graceMs = 300;
/** The grace, a second for results, a second to close by force, and what a busy machine adds. */
const boundMs = graceMs + 2 * closeLimitMs + 1_500;

/** Ends when it is aborted. */
const untilAborted: RunTick = (_payload, signal) =>
  new Promise(resolve => {
    const give = () => resolve({ outcome: 'idle', reason: 'stopping' });
    if (signal.aborted) give();
    signal.addEventListener('abort', give);
  });

async function stop(consumer: QueueConsumer, withinMs: number): Promise<void> {
  await consumer.drain(withinMs);
  await consumer.close();
}

const never: RunTick = () => new Promise(() => {});

describe.each(storeKinds)('QueueConsumer on %s', kind => {
  const testStore = useStore(kind);
  const closing: (() => Promise<void>)[] = [];
  let store: QueueStore;
  let publishing: OpenQueue;

  beforeEach(async () => {
    store = await testStore.open();
    publishing = openQueue(store, 'publishing', createStoreErrors(collectingLogger().logger));
    await publishing.queue.waitUntilReady();
  });

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await publishing.close(closeLimitMs);
  });

  function consume(run: RunTick, { at = store, concurrency = 40 } = {}) {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);
    const consumer = new QueueConsumer({
      store: at,
      name: 'publishing',
      concurrency,
      run,
      limits: defaultLimits,
      health: createDatabaseHealth(logger),
      errors,
      logger,
    });
    closing.push(() => stop(consumer, 0));
    consumer.start();
    return { consumer, lines };
  }

  const add = (workspaceId = 1) => publishing.queue.add('publish-next-article', { workspaceId });

  const timed = async (work: () => Promise<void>) => {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
  };

  it('keeps what a tick returns as the value of its job', async () => {
    const { consumer } = consume(async payload => ({ ran: payload }));
    const job = await add(7);

    await until(async () => (await publishing.queue.getCompletedCount()) === 1);

    expect((await publishing.queue.getJob(String(job.id)))?.returnvalue).toEqual({ ran: { workspaceId: 7 } });
    expect(consumer.running).toBe(0);
  });

  it('runs ticks side by side, up to its concurrency', async () => {
    const { consumer } = consume(untilAborted, { concurrency: 2 });
    await Promise.all([add(1), add(2), add(3)]);

    await until(async () => (await publishing.queue.getActiveCount()) === 2);

    expect(consumer.running).toBe(2);
    expect(await publishing.queue.getWaitingCount()).toBe(1);
  });

  it('hands every tick a signal that is not aborted while it works', async () => {
    const signals: unknown[] = [];
    consume(async (_payload, signal) => {
      signals.push(signal.aborted);
    });
    await add();

    await until(() => signals.length === 1);

    expect(signals).toEqual([false]);
  });

  it('fails a tick that throws, logs it once, and does not run it again', async () => {
    let runs = 0;
    const { lines } = consume(async () => {
      runs += 1;
      throw new Error('the database is lost');
    });
    await add(7);

    await until(async () => (await publishing.queue.getFailedCount()) === 1);
    await add(8);
    await until(async () => (await publishing.queue.getFailedCount()) === 2);

    expect(runs).toBe(2);
    const failures = lines.filter(line => line.msg === 'tick failed');
    expect(failures.map(line => line.payload)).toEqual([{ workspaceId: 7 }, { workspaceId: 8 }]);
    expect(failures[0]?.err?.message).toBe('the database is lost');
  });

  it('tells once of a database that is away, not with every tick that it fails', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const { lines } = consume(() => Promise.reject(away));
    await Promise.all([add(1), add(2), add(3)]);

    await until(async () => (await publishing.queue.getFailedCount()) === 3);

    expect(lines.map(({ msg }) => msg)).toEqual(['database lost: connect ECONNREFUSED 127.0.0.1:5432']);
  });

  it('aborts a running tick when it stops, waits for it, and keeps its result', async () => {
    const { consumer } = consume(untilAborted);
    const job = await add();
    await until(() => consumer.running === 1);

    await stop(consumer, 5_000);

    const ended = await publishing.queue.getJob(String(job.id));
    expect(ended?.returnvalue).toEqual({ outcome: 'idle', reason: 'stopping' });
    expect(await publishing.queue.getJobCounts('completed', 'failed', 'active')).toEqual({
      completed: 1,
      failed: 0,
      active: 0,
    });
  });

  it('takes no tick after it was stopped', async () => {
    const { consumer } = consume(async () => null);
    await add(1);
    await until(async () => (await publishing.queue.getCompletedCount()) === 1);

    await stop(consumer, 5_000);
    await add(2);

    expect(await publishing.queue.getWaitingCount()).toBe(1);
  });

  it('stops in bounded time although a tick ignores its signal', async () => {
    const { consumer } = consume(never);
    await add();
    await until(() => consumer.running === 1);

    const took = await timed(() => stop(consumer, graceMs));

    expect(took).toBeLessThan(boundMs);
  });

  it('stops in bounded time although the store went away under a running tick', async () => {
    const link = await openBreakableLink(store.url);
    const { consumer } = consume(never, { at: { ...store, url: link.url } });
    await add();
    await until(() => consumer.running === 1);
    await link.cut();

    const took = await timed(() => stop(consumer, graceMs));

    expect(took).toBeLessThan(boundMs);
  });

  it('stops in bounded time although the store went away while it waited for a tick', async () => {
    const link = await openBreakableLink(store.url);
    const { consumer } = consume(async () => null, { at: { ...store, url: link.url } });
    await add();
    await until(async () => (await publishing.queue.getCompletedCount()) === 1);
    await link.cut();

    const took = await timed(() => stop(consumer, graceMs));

    expect(took).toBeLessThan(boundMs);
  });

  it('takes ticks again once the store is back, and logged its absence as a change', async () => {
    const link = await openBreakableLink(store.url);
    closing.push(() => link.cut());
    const { consumer, lines } = consume(untilAborted, { at: { ...store, url: link.url } });
    await add();
    await until(() => consumer.running === 1);
    await link.cut();
    await until(() => lines.some(line => line.msg.startsWith('queue store failed')));

    await link.mend();
    await add();

    await until(() => consumer.running === 2, { timeoutMs: 25_000 });
    expect(lines.length).toBeLessThan(10);
  });
});
