import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, inject } from 'vitest';
import type { Database } from '../../src/database/Database.ts';
import type { WithLock } from '../../src/queue/reconcileSchedules.ts';
import type { QueueStore } from '../../src/queue/store.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import '../support/provided.ts';

export type StoreKind = QueueStore['kind'];

/** Both stores, or PostgreSQL alone where there is no Redis; the global set-up printed why. */
export const storeKinds: readonly StoreKind[] =
  inject('redisUrl') === null ? ['postgres'] : ['redis', 'postgres'];

/** A queue store of the test file's own, and ways to damage it behind BullMQ's back. */
export type TestStore = {
  /** Empty, for one test. */
  open(): Promise<QueueStore>;
  withLock: WithLock;
  /** Deletes everything, as a flush or an empty restart does. */
  wipe(): Promise<void>;
  /** Deletes the job of a tick and leaves its scheduler. */
  loseTick(jobId: string): Promise<void>;
  /** Adds a second delayed tick of the same scheduler. */
  doubleTick(jobId: string, secondId: string): Promise<void>;
};

export function useStore(kind: StoreKind): TestStore {
  const database = useDatabase();
  return kind === 'redis' ? redisStore(database) : postgresStore(database);
}

function redisStore(database: TestDatabase): TestStore {
  const url = inject('redisUrl') ?? '';
  const redis = new Redis(url, { lazyConnect: true });
  const prefixes: string[] = [];
  const key = (rest: string) => `${prefixes.at(-1)}:publishing:${rest}`;

  async function deleteAll(prefix: string) {
    const keys = await redis.keys(`${prefix}:*`);
    if (keys.length > 0) await redis.del(...keys);
  }

  afterAll(async () => {
    for (const prefix of prefixes) await deleteAll(prefix);
    await redis.quit();
  });

  return {
    async open() {
      const prefix = `headway-test-${randomBytes(6).toString('hex')}`;
      prefixes.push(prefix);
      return { kind: 'redis', url, prefix };
    },
    withLock: advisoryLock(() => database.db),
    wipe: () => deleteAll(prefixes.at(-1) ?? ''),
    async loseTick(jobId) {
      await redis.zrem(key('delayed'), jobId);
      await redis.del(key(jobId));
    },
    async doubleTick(jobId, secondId) {
      await redis.copy(key(jobId), key(secondId));
      const score = await redis.zscore(key('delayed'), jobId);
      await redis.zadd(key('delayed'), Number(score), secondId);
    },
  };
}

function postgresStore(database: TestDatabase): TestStore {
  const raw = (sql: string, values: readonly string[] = []) => database.db.raw(sql, values);
  return {
    async open() {
      await raw('drop schema if exists bullmq cascade');
      return { kind: 'postgres', url: database.url };
    },
    withLock: advisoryLock(() => database.db),
    async wipe() {
      for (const table of ['job', 'scheduler', 'meta']) await raw(`delete from bullmq.${table}`);
    },
    async loseTick(jobId) {
      await raw('delete from bullmq.job where id = ?', [jobId]);
    },
    async doubleTick(jobId, secondId) {
      await raw(
        `insert into bullmq.job
         select (jsonb_populate_record(job, jsonb_build_object('id', ?::text))).* from bullmq.job where id = ?`,
        [secondId, jobId],
      );
    },
  };
}

/** The lock that the application injects, in its simplest form. */
export function advisoryLock(db: () => Database): WithLock {
  return (key, work) =>
    db().transaction(async trx => {
      await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);
      return work();
    });
}
