import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { tickOffsetMs } from '../../src/publishing/tickOffset.ts';
import { type Queues, type QueuesOptions, startQueues } from '../../src/queue/startQueues.ts';
import type { QueueStore } from '../../src/queue/store.ts';
import { until } from '../support/until.ts';
import { openBreakableLink } from './breakableLink.ts';
import { collectingLogger } from './logLines.ts';
import { hasRedisServer, startPrivateRedis } from './privateRedis.ts';
import { storeKinds, useStore } from './stores.ts';

const everyMs = 200;
const hourMs = 3_600_000;
const graceMs = 5_000;

const running: Queues[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(queues => queues.stop(graceMs)));
});

/** Starts queues whose ticks only say that they ran. */
async function start(store: QueueStore, options: Partial<QueuesOptions> = {}) {
  const published: number[] = [];
  const { logger, lines } = collectingLogger();
  let ingested = 0;
  const queues = await startQueues({
    store,
    jobs: {
      publish: async workspaceId => {
        published.push(workspaceId);
        return { workspace: workspaceId, outcome: 'idle' };
      },
      ingest: async () => {
        ingested += 1;
      },
    },
    listTicking: async () => [{ id: 7, tickIntervalMs: everyMs }],
    withLock: (_key, work) => work(),
    logger,
    clock: systemClock,
    ingestEveryMs: hourMs,
    reconcileEveryMs: hourMs,
    isWorker: true,
    ...options,
  });
  running.push(queues);
  const [publishing, ingestion] = queues.queues;
  if (publishing === undefined || ingestion === undefined) throw new Error('two queues were expected');
  return { queues, publishing, ingestion, published, ingested: () => ingested, lines };
}

describe.each(storeKinds)('startQueues on %s', kind => {
  const testStore = useStore(kind);
  let store: QueueStore;

  beforeEach(async () => {
    store = await testStore.open();
  });

  const startHere = (options: Partial<QueuesOptions> = {}) =>
    start(store, { withLock: testStore.withLock, ...options });

  it('ticks again and again, each tick on a slot of its workspace and never before it', async () => {
    const { publishing, published } = await startHere();

    await until(() => published.length >= 4);

    const done = await until(async () => {
      const jobs = await publishing.getCompleted();
      return jobs.length >= 4 && jobs;
    });
    expect(new Set(published)).toEqual(new Set([7]));
    for (const job of done) {
      const slotMs = Number(job.id?.split(':').at(-1));
      expect(slotMs % everyMs).toBe(tickOffsetMs(7, everyMs));
      expect(job.processedOn).toBeGreaterThanOrEqual(slotMs);
    }
    expect(new Set(done.map(job => job.id)).size).toBe(done.length);
  });

  it('keeps what each tick returned where Bull Board shows it', async () => {
    const { publishing, published } = await startHere();
    await until(() => published.length >= 2);

    const jobs = await until(async () => {
      const completed = await publishing.getCompleted();
      return completed.length >= 2 && completed;
    });

    for (const job of jobs) expect(job.returnvalue).toEqual({ workspace: 7, outcome: 'idle' });
  });

  it('ingests at its own interval', async () => {
    const { ingested } = await startHere({ ingestEveryMs: everyMs });

    await until(() => ingested() >= 3);
  });

  it('ticks again after the store lost everything', async () => {
    const { queues, published } = await startHere();
    await until(() => published.length >= 2);
    await testStore.wipe();
    const before = published.length;

    await queues.reconcile();

    await until(() => published.length >= before + 3);
  });

  it('mends a lost store by itself', async () => {
    const { published } = await startHere({ reconcileEveryMs: 100 });
    await until(() => published.length >= 2);
    await testStore.wipe();
    const before = published.length;

    await until(() => published.length >= before + 3);
  });

  it('makes one chain of ticks when three processes start at once', async () => {
    const started = await Promise.all([startHere(), startHere(), startHere()]);

    const all = () => started.reduce((sum, { published }) => sum + published.length, 0);
    await until(() => all() >= 6);

    const publishing = started[0].publishing;
    expect(await publishing.getJobSchedulersCount()).toBe(1);
    const jobs = await publishing.getJobs(['completed', 'active', 'delayed', 'waiting']);
    const slots = jobs.map(job => Number(job.id?.split(':').at(-1)));
    expect(new Set(slots).size).toBe(slots.length);
  });

  it('follows its workspaces: new ones tick, archived ones stop', async () => {
    let ids = [7];
    const { queues, published } = await startHere({
      listTicking: async () => ids.map(id => ({ id, tickIntervalMs: everyMs })),
    });
    await until(() => published.includes(7));
    ids = [8];

    await queues.reconcile();
    await until(() => published.includes(8));

    const schedulers = await queues.queues[0]?.getJobSchedulers();
    expect(schedulers?.map(({ key }) => key)).toEqual(['publish-next-article:8']);
  });

  it('keeps the schedulers when the workspaces cannot be read, and says why', async () => {
    let isDown = false;
    const { queues, publishing } = await startHere({
      listTicking: async () => {
        if (isDown) throw new Error('the database is away');
        return [{ id: 7, tickIntervalMs: hourMs }];
      },
    });
    isDown = true;

    await expect(queues.reconcile()).rejects.toThrow('the database is away');

    expect(await publishing.getJobSchedulersCount()).toBe(1);
    expect(queues.status()).toMatchObject({ store: kind, problem: 'the database is away' });
  });

  it('only shows the queues in a process that is no worker', async () => {
    const { queues, publishing } = await startHere({ isWorker: false });

    await publishing.add('publish-next-article', { workspaceId: 7 });

    expect(await publishing.getJobSchedulersCount()).toBe(0);
    expect(await publishing.getWorkersCount()).toBe(0);
    expect(await publishing.getWaitingCount()).toBe(1);
    expect(queues.status().running).toBe(0);
  });

  it('fails a job whose payload names no workspace', async () => {
    const { publishing, lines } = await startHere({ listTicking: async () => [] });

    await publishing.add('publish-next-article', { workspaceId: 'seven' });

    await until(async () => (await publishing.getFailedCount()) === 1);
    await until(() => lines.some(line => line.msg === 'tick failed'));
  });

  it('logs nothing when it stops', async () => {
    const { queues, published, lines } = await startHere();
    await until(() => published.length >= 1);

    await queues.stop(graceMs);

    expect(lines).toEqual([]);
  });
});

describe.skipIf(!hasRedisServer())('startQueues on a Redis of its own', () => {
  it('ticks again after FLUSHALL', async () => {
    const redis = await startPrivateRedis();
    const { published, queues } = await start({ kind: 'redis', url: redis.url }, { reconcileEveryMs: 100 });
    await until(() => published.length >= 2);

    await redis.client.flushall();
    const before = published.length;

    await until(() => published.length >= before + 3);
    await queues.stop(graceMs);
    await redis.stop();
  });

  it('refuses a Redis that may drop keys, and says what to set', async () => {
    const redis = await startPrivateRedis({ evictionPolicy: 'allkeys-lru' });

    const starting = start({ kind: 'redis', url: redis.url });

    await expect(starting).rejects.toMatchObject({
      name: 'RedisEvictionPolicyError',
      message: expect.stringMatching(/"allkeys-lru".*Set it to "noeviction"/),
    });
    await redis.stop();
  });

  it('waits for a Redis that is not there yet, with one line in the log', async () => {
    const redis = await startPrivateRedis();
    const link = await openBreakableLink(redis.url);
    await link.cut();
    const { queues, published, lines } = await start(
      { kind: 'redis', url: link.url },
      { reconcileEveryMs: 100 },
    );
    expect(queues.status()).toMatchObject({
      reconciledAt: null,
      problem: expect.stringContaining('ECONNREFUSED'),
    });

    await link.mend();

    await until(() => published.length >= 2);
    expect(queues.status()).toMatchObject({ reconciledAt: expect.any(Date), problem: null });
    expect(lines.filter(line => line.msg.includes('ECONNREFUSED'))).toHaveLength(1);
    await queues.stop(graceMs);
    await link.cut();
    await redis.stop();
  });

  it('stops in bounded time although Redis was killed under a running tick', async () => {
    const redis = await startPrivateRedis();
    const { queues } = await start(
      { kind: 'redis', url: redis.url },
      { jobs: { publish: () => new Promise(() => {}), ingest: async () => null } },
    );
    await until(() => queues.status().running === 1);
    await redis.stop();
    const begin = performance.now();

    await queues.stop(300);

    expect(performance.now() - begin).toBeLessThan(300 + 3_000 + 1_000);
  });
});

describe('startQueues without a PostgreSQL', () => {
  it('rejects, since the application has no database either', async () => {
    const starting = start({ kind: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' });

    await expect(starting).rejects.toThrow('ECONNREFUSED');
  });
});
