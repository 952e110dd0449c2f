import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { QueueConsumer } from '../../src/queue/consumer.ts';
import { type OpenQueue, openQueue, type QueueStore } from '../../src/queue/store.ts';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import { until } from '../support/until.ts';
import { type BreakableLink, openBreakableLink } from './breakableLink.ts';
import { collectingLogger } from './logLines.ts';
import { storeKinds, useStore } from './stores.ts';

const limits = { ...defaultLimits, queueAnswerMs: 300, queueStalledMs: 3_000, databaseAnswerMs: 300 };

describe.each(storeKinds)('a connection to the queue store that swallows what is sent: %s', kind => {
  const testStore = useStore(kind);
  let store: QueueStore;
  let link: BreakableLink;
  let direct: OpenQueue;

  beforeEach(async () => {
    store = await testStore.open();
    link = await openBreakableLink(store.url);
    direct = openQueue(store, 'publishing', createStoreErrors(collectingLogger().logger));
    await direct.queue.waitUntilReady();
  });

  afterEach(async () => {
    await direct.close(1_000);
    await link.cut();
  });

  it('fails what reads the queue in time, and is replaced', async () => {
    const { logger } = collectingLogger();
    const linked = { ...store, url: link.url };
    const { queue, close } = openQueue(linked, 'publishing', createStoreErrors(logger), limits);
    await queue.getJobSchedulersCount();
    link.swallow();
    const begin = performance.now();

    await expect(queue.getJobSchedulersCount()).rejects.toThrow();
    const tookMs = performance.now() - begin;
    link.spit();
    const count = await until(async () => (await queue.getJobSchedulersCount()) === 0);
    await close(1_000);

    expect(tookMs).toBeLessThan(2_500);
    expect(count).toBe(true);
  });

  it('takes ticks again once the network is back, and can be stopped meanwhile', async () => {
    const { logger, lines } = collectingLogger();
    const ran: unknown[] = [];
    const consume = () =>
      new QueueConsumer({
        store: { ...store, url: link.url },
        name: 'publishing',
        concurrency: 2,
        run: async payload => ran.push(payload),
        limits,
        health: createDatabaseHealth(logger),
        errors: createStoreErrors(logger),
        logger,
      });
    const [one, other] = [consume(), consume()];
    await Promise.all([one.ready(), other.ready()]);
    one.start();
    other.start();
    await direct.queue.add('publish-next-article', { workspaceId: 1 });
    await until(() => ran.length === 1);
    link.swallow();
    await direct.queue.add('publish-next-article', { workspaceId: 2 });

    const begin = performance.now();
    await other.drain(300);
    await other.close();
    const stoppedMs = performance.now() - begin;
    link.spit();

    await until(() => ran.length === 2, { timeoutMs: 30_000 });
    await one.drain(5_000);
    await one.close();
    expect(stoppedMs).toBeLessThan(3_500);
    expect(lines.length).toBeLessThan(12);
  });
});
