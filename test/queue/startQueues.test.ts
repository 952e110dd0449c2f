import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { tickOffsetMs } from '../../src/publishing/tickOffset.ts';
import { type Queues, type QueuesOptions, startQueues } from '../../src/queue/startQueues.ts';
import type { QueueStore } from '../../src/queue/store.ts';
import type { UnitConsumer } from '../../src/unitConsumer.ts';
import { until } from '../support/until.ts';
import { openBreakableLink } from './breakableLink.ts';
import { collectingLogger } from './logLines.ts';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from './privateRedis.ts';
import { storeKinds, useStore } from './stores.ts';

const everyMs = 200;
const hourMs = 3_600_000;
const graceMs = 5_000;

const reconciledEvery = (reconcileMs: number) => ({ ...defaultLimits, reconcileMs });
const nothingClaimed: UnitConsumer = { recover: async () => 0, giveBack: async () => 0 };

const running: Queues[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(queues => stop(queues)));
});

async function stop(queues: Queues, withinMs = graceMs): Promise<void> {
  await queues.drain(withinMs);
  await queues.close();
}

/** Starts queues whose ticks only say that they ran. */
async function start(
  store: QueueStore,
  options: Partial<QueuesOptions> = {},
  onOpened: ((queues: Queues) => void) | null = null,
) {
  const published: number[] = [];
  const { logger, lines } = collectingLogger();
  let ingested = 0;
  const publish = async ({ workspaceId }: { workspaceId: number }) => {
    published.push(workspaceId);
    return { workspace: workspaceId, outcome: 'idle' };
  };
  const ingest = async () => {
    ingested += 1;
  };
  const queues = await startQueues(
    {
      store,
      tasks: {
        publishing: { run: publish, consumer: nothingClaimed },
        ingestion: { run: ingest, consumer: nothingClaimed },
        imports: { run: async () => null, consumer: nothingClaimed },
        enrichment: { run: async () => null, consumer: nothingClaimed },
      },
      listTicking: async () => [{ id: 7, tickIntervalMs: everyMs }],
      withLock: (_key, work) => work(),
      logger,
      clock: systemClock,
      ingestEveryMs: hourMs,
      limits: reconciledEvery(hourMs),
      health: createDatabaseHealth(logger),
      isWorker: true,
      signal: new AbortController().signal,
      ...options,
    },
    onOpened,
  );
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

  // Only there something is waited for after the first ticks can come.
  if (kind === 'postgres') {
    it('leaves ticks that run while it starts to whoever stops the process', async () => {
      const first = await startHere();
      await stop(first.queues);
      running.length = 0;
      const stopping = new AbortController();
      const opened: Queues[] = [];
      const ends: string[] = [];
      let end = () => {};
      const run = async (_payload: unknown, signal: AbortSignal) => {
        await new Promise<void>(resolve => {
          end = resolve;
          ends.push('begun');
        });
        ends.push(signal.aborted ? 'told to stop' : 'not told');
      };
      const starting = start(
        store,
        {
          withLock: () => new Promise(() => {}),
          listTicking: async () => [
            { id: 7, tickIntervalMs: everyMs },
            { id: 8, tickIntervalMs: everyMs },
          ],
          tasks: {
            publishing: { run, consumer: nothingClaimed },
            ingestion: { run: async () => null, consumer: nothingClaimed },
            imports: { run: async () => null, consumer: nothingClaimed },
            enrichment: { run: async () => null, consumer: nothingClaimed },
          },
          signal: stopping.signal,
        },
        queues => opened.push(queues),
      ).catch((error: unknown) => error);
      await until(() => ends.length === 1);

      stopping.abort(new Error('told to stop'));
      const error = await starting;
      const [queues] = opened;
      if (queues === undefined) throw new Error('nobody was told of the queues');
      const stopped = stop(queues);
      await until(() => queues.status().running === 1);
      end();
      await stopped;

      expect(error).toMatchObject({ message: 'told to stop' });
      expect(ends).toEqual(['begun', 'told to stop']);
    });
  }

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
    const { published } = await startHere({ limits: reconciledEvery(100) });
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

  it('does not blame the store for a database that is away, and tells of that once', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const { queues, lines } = await startHere({ listTicking: () => Promise.reject(away) });

    await expect(queues.reconcile()).rejects.toThrow(away);

    expect(lines.map(({ msg }) => msg)).toEqual(['database lost: connect ECONNREFUSED 127.0.0.1:5432']);
  });

  it('takes no tick before the recovery has ended', async () => {
    const first = await startHere();
    await until(() => first.published.length >= 1);
    await stop(first.queues);
    let recover = (_count: number) => {};
    const recovery = new Promise<number>(resolve => {
      recover = resolve;
    });
    const happened: string[] = [];
    const run = async () => happened.push('tick');
    const starting = startHere({
      tasks: {
        publishing: { run, consumer: { ...nothingClaimed, recover: () => recovery } },
        ingestion: { run: async () => null, consumer: nothingClaimed },
        imports: { run: async () => null, consumer: nothingClaimed },
        enrichment: { run: async () => null, consumer: nothingClaimed },
      },
    });
    // Another process runs ticks meanwhile, so there are some to be taken.
    const other = await startHere();
    await until(() => other.published.length >= 3);
    await stop(other.queues);

    happened.push('recovered');
    recover(0);
    await starting;

    await until(() => happened.length >= 2);
    expect(happened[0]).toBe('recovered');
  });

  it('ends a start that still waits when the process is to stop', async () => {
    const stopping = new AbortController();
    const starting = startHere({
      signal: stopping.signal,
      tasks: {
        publishing: {
          run: async () => null,
          consumer: { ...nothingClaimed, recover: () => new Promise(() => {}) },
        },
        ingestion: { run: async () => null, consumer: nothingClaimed },
        imports: { run: async () => null, consumer: nothingClaimed },
        enrichment: { run: async () => null, consumer: nothingClaimed },
      },
    });

    stopping.abort(new Error('told to stop'));

    await expect(starting).rejects.toThrow('told to stop');
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

    await stop(queues);

    expect(lines).toEqual([]);
  });
});

describe.skipIf(!hasRedisServer())('startQueues on a Redis of its own', () => {
  it('ticks again after FLUSHALL', async () => {
    const redis = await startPrivateRedis();
    const { published, queues } = await start(
      { kind: 'redis', url: redis.url },
      { limits: reconciledEvery(100) },
    );
    await until(() => published.length >= 2);

    await redis.client.flushall();
    const before = published.length;

    await until(() => published.length >= before + 3);
    await stop(queues);
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
      { limits: reconciledEvery(100) },
    );
    expect(queues.status()).toMatchObject({
      reconciledAt: null,
      problem: expect.stringContaining('ECONNREFUSED'),
    });

    await link.mend();

    await until(() => published.length >= 2);
    expect(queues.status()).toMatchObject({ reconciledAt: expect.any(Date), problem: null });
    expect(lines.filter(line => line.msg.includes('ECONNREFUSED'))).toHaveLength(1);
    await stop(queues);
    await link.cut();
    await redis.stop();
  });

  it('bears a Redis without memory: told in few lines, shown, and over when there is room', async () => {
    const redis = await startPrivateRedis();
    const store = { kind: 'redis', url: redis.url } as const;
    const { published, queues, lines } = await start(store, {
      // A tick that was taken, and whose successor could not be written, has to stall first.
      limits: { ...reconciledEvery(100), queueStalledMs: 1_000 },
    });
    await until(() => published.length >= 2);
    await redis.client.config('SET', 'maxmemory', '1mb');
    const problem = await until(() => queues.status().problem);
    const errorsBefore = await errorsOf(redis.client);
    await until(async () => (await errorsOf(redis.client)) > errorsBefore + 20);
    const told = lines.length;

    await redis.client.config('SET', 'maxmemory', '0');
    const before = published.length;

    await until(() => published.length >= before + 2);
    await until(() => queues.status().problem === null);
    // After some calm: each of the connections comes back by itself.
    const recovered = () => lines.filter(({ msg }) => msg === 'queue store recovered');
    await until(() => recovered().length > 0);
    expect(problem).toContain('OOM command not allowed');
    expect(told).toBeLessThan(10);
    expect(recovered()).toHaveLength(1);
    await stop(queues);
    await redis.stop();
  });

  it('stops in bounded time although Redis was killed under a running tick', async () => {
    const redis = await startPrivateRedis();
    const { queues } = await start(
      { kind: 'redis', url: redis.url },
      {
        tasks: {
          publishing: { run: () => new Promise(() => {}), consumer: nothingClaimed },
          ingestion: { run: async () => null, consumer: nothingClaimed },
          imports: { run: async () => null, consumer: nothingClaimed },
          enrichment: { run: async () => null, consumer: nothingClaimed },
        },
      },
    );
    await until(() => queues.status().running === 1);
    await redis.stop();
    const begin = performance.now();

    await stop(queues, 300);

    expect(performance.now() - begin).toBeLessThan(300 + 3_000 + 1_000);
  });
});

/** How many commands Redis has refused since it started. */
async function errorsOf(client: PrivateRedis['client']): Promise<number> {
  return Number(/total_error_replies:(\d+)/.exec(await client.info('stats'))?.[1]);
}

describe('startQueues without a PostgreSQL', () => {
  it('rejects, since the application has no database either', async () => {
    const starting = start({ kind: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' });

    await expect(starting).rejects.toThrow('ECONNREFUSED');
  });
});
