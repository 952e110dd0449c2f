import type { Processor } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { QueueConsumer } from '../../src/queue/consumer.ts';
import { queueNames } from '../../src/queue/schedule.ts';
import { openQueue } from '../../src/queue/store.ts';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import { collectingLogger } from '../queue/logLines.ts';
import { storeKinds, useStore } from '../queue/stores.ts';
import { until } from '../support/until.ts';

const declaredForSignal = 3;
const closeLimitMs = 1_000;
const seen = vi.hoisted(() => ({ processors: [] as unknown[], isShortened: false }));

// What the product gives to BullMQ, looked at on its way there, and shortened as a careless hand might write it.
vi.mock('bullmq', async importOriginal => {
  const bullmq = await importOriginal<typeof import('bullmq')>();
  const Worker = new Proxy(bullmq.Worker, {
    construct(target, [name, processor, ...rest], asked) {
      seen.processors.push(processor);
      const shortened: Processor = (job, token) => processor(job, token);
      return Reflect.construct(target, [name, seen.isShortened ? shortened : processor, ...rest], asked);
    },
  });
  return { ...bullmq, Worker };
});

beforeEach(() => {
  seen.processors.length = 0;
  seen.isShortened = false;
});

describe.each(storeKinds)('what the product has BullMQ run, with %s', kind => {
  const testStore = useStore(kind);
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** A consumer of one queue, with a tick for it; resolves with the signals that its ticks were given. */
  async function runOneTick(name: (typeof queueNames)[keyof typeof queueNames]) {
    const store = await testStore.open();
    const { logger } = collectingLogger();
    const errors = createStoreErrors(logger);
    const { queue, close } = openQueue(store, name, errors);
    closing.push(() => close(closeLimitMs));
    await queue.waitUntilReady();
    const signals: AbortSignal[] = [];
    const run = async (_payload: unknown, signal: AbortSignal) => void signals.push(signal);
    const health = createDatabaseHealth(logger);
    const options = { store, name, concurrency: 1, run, limits: defaultLimits, health, errors, logger };
    const consumer = new QueueConsumer(options);
    closing.unshift(async () => {
      await consumer.drain(0);
      await consumer.close();
    });
    consumer.start();
    const job = await queue.add('tick', {});
    await until(async () => (await queue.getJobCountByTypes('completed', 'failed')) === 1);
    return { signals, job: await queue.getJob(String(job.id)) };
  }

  it.each(Object.values(queueNames))(
    'F48 declares the parameter for which BullMQ makes an abort signal: %s',
    async name => {
      const { signals } = await runOneTick(name);

      expect(seen.processors).toHaveLength(1);
      expect(seen.processors).toEqual([expect.objectContaining({ length: declaredForSignal })]);
      expect(signals).toHaveLength(1);
    },
  );

  it('F48 runs no tick, and says why, where BullMQ makes none', async () => {
    seen.isShortened = true;

    const { signals, job } = await runOneTick('publishing');

    expect(signals).toEqual([]);
    expect(job?.failedReason).toMatch(/without an abort signal/);
  });
});
