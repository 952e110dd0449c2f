import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { Consumers } from '../../src/queue/Consumers.ts';
import type { QueueTasks } from '../../src/queue/queueTasks.ts';
import { type OpenQueue, openQueue, type QueueStore } from '../../src/queue/store.ts';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import type { UnitConsumer } from '../../src/unitConsumer.ts';
import { until } from '../support/until.ts';
import { collectingLogger } from './logLines.ts';
import { useStore } from './stores.ts';

// The rules are ours, whatever the store: the one that is there everywhere is enough.
const testStore = useStore('postgres');
const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const nothingClaimed: UnitConsumer = { recover: async () => 0, giveBack: async () => 0 };

let store: QueueStore;
let publishing: OpenQueue;
let opened: Consumers[];

beforeEach(async () => {
  store = await testStore.open();
  opened = [];
  publishing = openQueue(store, 'publishing', createStoreErrors(collectingLogger().logger));
  await publishing.queue.waitUntilReady();
});

afterEach(async () => {
  for (const consumers of opened) {
    await consumers.drain(0);
    await consumers.close();
  }
  await publishing.close(1_000);
});

function open(consumer: Partial<UnitConsumer>, run: QueueTasks['publishing']['run'] = async () => null) {
  const { logger, lines } = collectingLogger();
  const health = createDatabaseHealth(logger);
  const consumers = new Consumers({
    store,
    tasks: {
      publishing: { run, consumer: { ...nothingClaimed, ...consumer } },
      ingestion: { run: async () => null, consumer: nothingClaimed },
      imports: { run: async () => null, consumer: nothingClaimed },
      enrichment: { run: async () => null, consumer: nothingClaimed },
    },
    limits: defaultLimits,
    errors: createStoreErrors(logger),
    health,
    clock: systemClock,
    logger,
  });
  opened.push(consumers);
  return { consumers, lines, health };
}

const add = () => publishing.queue.add('publish-next-article', { workspaceId: 7 });
const told = (lines: readonly { msg: string }[]) => lines.map(({ msg }) => msg);

/** Answers the first `times` calls with an error, then works. */
function failing(times: number, error: Error, result: number) {
  let calls = 0;
  const work = async () => {
    calls += 1;
    if (calls <= times) throw error;
    return result;
  };
  return { work, calls: () => calls };
}

/** Runs until it is aborted, and then until it is let go: a send that is under way. */
function openSend() {
  const happened: string[] = [];
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  const run: QueueTasks['publishing']['run'] = async (_payload, signal) => {
    happened.push('sending');
    signal.addEventListener('abort', () => happened.push('aborted'));
    await released;
    happened.push('sent');
    return null;
  };
  return { run, happened, release };
}

describe('the recovery before the first claim', () => {
  it('waits for a database that is away, and tells of it once', async () => {
    const recovery = failing(3, away, 2);
    const { consumers, lines } = open({ recover: recovery.work });

    await consumers.recover();

    expect(recovery.calls()).toBe(4);
    expect(told(lines)).toEqual([
      'database lost: connect ECONNREFUSED 127.0.0.1:5432',
      'work of ended processes recovered',
    ]);
    expect(lines.at(-1)).toMatchObject({ queue: 'publishing', recovered: 2 });
  });

  it('lets ticks be taken although it failed by a fault of ours, which it tells', async () => {
    const recovery = failing(1, new Error('relation "x" does not exist'), 0);
    const { consumers, lines } = open({ recover: recovery.work });

    await consumers.recover();

    expect(recovery.calls()).toBe(1);
    expect(lines).toMatchObject([{ msg: 'recovery failed', queue: 'publishing', level: 50 }]);
  });

  it('ends with the stop of the process', async () => {
    const { consumers, lines } = open({ recover: failing(Infinity, away, 0).work });
    const recovering = consumers.recover();
    await until(() => lines.length > 0);

    await consumers.drain(0);

    await recovering;
    expect(told(lines)).toEqual(['database lost: connect ECONNREFUSED 127.0.0.1:5432']);
  });
});

describe('the stop of the consumers', () => {
  it('aborts, gives back at once, and waits for what has begun', async () => {
    const send = openSend();
    const giveBack = async () => {
      send.happened.push('given back');
      return 1;
    };
    const { consumers, lines } = open({ giveBack }, send.run);
    await consumers.start();
    await add();
    await until(() => consumers.running === 1);

    const draining = consumers.drain(5_000);
    await until(() => send.happened.includes('given back'));
    send.release();
    await draining;

    expect(send.happened).toEqual(['sending', 'aborted', 'given back', 'sent']);
    expect(lines).toMatchObject([{ msg: 'claims given back', queue: 'publishing', givenBack: 1 }]);
    expect(await publishing.queue.getCompletedCount()).toBe(1);
  });

  it('starts nothing that was already on its way', async () => {
    const ran: number[] = [];
    const { consumers } = open({}, async ({ workspaceId }) => ran.push(workspaceId));
    await consumers.start();

    await consumers.drain(1_000);
    await add();
    await consumers.close();

    expect(ran).toEqual([]);
    expect(await publishing.queue.getWaitingCount()).toBe(1);
  });

  it.each([
    ['is away', async () => Promise.reject(away)],
    ['does not answer', () => new Promise<number>(() => {})],
  ])('ends in time although the database %s for the give-back', async (_what, giveBack) => {
    const { consumers, lines } = open({ giveBack });
    await consumers.start();
    const begin = performance.now();

    await consumers.drain(500);
    await consumers.close();

    expect(performance.now() - begin).toBeLessThan(3_500);
    expect(told(lines)).toEqual([expect.stringMatching(/^database lost: /)]);
  });
});

describe('the loss of the locks', () => {
  it('gives back as soon as the database is there again', async () => {
    const giveBack = failing(2, away, 3);
    const { consumers, lines } = open({ giveBack: giveBack.work });

    await consumers.giveBackLost();

    expect(giveBack.calls()).toBe(3);
    expect(told(lines)).toEqual(['database lost: connect ECONNREFUSED 127.0.0.1:5432', 'claims given back']);
  });

  it('gives back nothing more once the process stops', async () => {
    const giveBack = failing(Infinity, away, 0);
    const { consumers } = open({ giveBack: giveBack.work });
    const givingBack = consumers.giveBackLost();
    await until(() => giveBack.calls() > 0);

    await consumers.drain(0);

    await givingBack;
  });
});
