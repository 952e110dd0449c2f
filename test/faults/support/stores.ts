import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Database } from '../../../src/database/Database.ts';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from '../../queue/privateRedis.ts';

export type StoreKind = 'Redis' | 'PostgreSQL';

/** Both stores, or PostgreSQL alone where there is no Redis; why was printed. */
export const storeKinds: readonly StoreKind[] = hasRedisServer() ? ['Redis', 'PostgreSQL'] : ['PostgreSQL'];

/** What holds the queues of a fault test, and what is in it. */
export type FaultStore = {
  redisUrl: string | null;
  /** Deletes everything, as a flush or an empty restart does. */
  flush(): Promise<unknown>;
  /** The ids of the publishing schedulers. */
  schedulers(): Promise<readonly string[]>;
  /** The publishing ticks that wait for a worker. */
  waiting(): Promise<number>;
  /** When the publishing ticks that wait for their time are due, in milliseconds since the epoch. */
  nextTicks(): Promise<readonly number[]>;
};

/**
 * Gives a test file both stores, each empty before every test: a Redis of its own, and the tables in its
 * database. Ask for them inside tests only.
 */
export function useFaultStores(database: { readonly db: Database }): (kind: StoreKind) => FaultStore {
  let redis: PrivateRedis | null = null;

  beforeAll(async () => {
    if (storeKinds.includes('Redis')) redis = await startPrivateRedis();
  });

  beforeEach(async () => {
    await redis?.client.flushall();
    await database.db.raw('drop schema if exists bullmq cascade');
  });

  afterAll(() => redis?.stop());

  return kind => (kind === 'Redis' && redis ? redisStore(redis) : postgresStore(database.db));
}

/** The queues are in Redis. */
function redisStore({ url, client }: Pick<PrivateRedis, 'url' | 'client'>): FaultStore {
  const key = (name: string) => `bull:publishing:${name}`;
  return {
    redisUrl: url,
    flush: () => client.flushall(),
    schedulers: () => client.zrange(key('repeat'), 0, '-1'),
    waiting: () => client.llen(key('wait')),
    nextTicks: async () => (await client.zrange(key('delayed'), 0, '-1')).map(slotIn).sort(),
  };
}

/** The queues are in PostgreSQL. */
function postgresStore(db: Database): FaultStore {
  const publishing = { queue: 'publishing' };
  return {
    redisUrl: null,
    async flush() {
      for (const table of ['job', 'scheduler', 'meta']) await db(`bullmq.${table}`).delete();
    },
    schedulers: () => db('bullmq.scheduler').where(publishing).pluck('scheduler_id'),
    waiting: async () => (await db('bullmq.job').where({ ...publishing, state: 'waiting' })).length,
    async nextTicks() {
      const ids: string[] = await db('bullmq.job')
        .where({ ...publishing, state: 'delayed' })
        .pluck('id');
      return ids.map(slotIn).sort();
    },
  };
}

// The id of a tick is repeat:<scheduler>:<slot>.
function slotIn(tickId: string): number {
  return Number(tickId.split(':').at(-1));
}
