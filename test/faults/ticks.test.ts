import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { hasRedisServer, type PrivateRedis, startPrivateRedis } from '../queue/privateRedis.ts';
import type { TestDatabase } from '../support/database.ts';
import { truncateAll } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type PrivatePostgres, startPrivatePostgres } from './support/privatePostgres.ts';
import { useFaultScene } from './support/scene.ts';
import type { Worker } from './support/worker.ts';

const processes = 50;
const waveLimitMs = 60_000;
const bootAtOnce = 5;
const bootLimitMs = 240_000;
let postgres: PrivatePostgres | null = null;
let redis: PrivateRedis | null = null;
const hasRedis = hasRedisServer();

// Fifty workers have more connections than the shared server takes.
const database: TestDatabase = {
  get db() {
    if (postgres === null) throw new Error('the server exists only inside hooks and tests');
    return postgres.db;
  },
  get url() {
    return postgres?.url ?? '';
  },
};

beforeAll(async () => {
  postgres = await startPrivatePostgres({ max_connections: '1200', fsync: 'off' });
  if (hasRedis) redis = await startPrivateRedis();
});

beforeEach(async () => {
  await truncateAll(database.db);
  await database.db.raw('drop schema if exists bullmq cascade');
});

const scene = useFaultScene(database);

afterAll(async () => {
  await redis?.stop();
  await postgres?.close();
});

const stores = {
  PostgreSQL: {
    redisUrl: () => null,
    schedulers: () => count('bullmq.scheduler'),
    ticks: () => count('bullmq.job'),
  },
  Redis: {
    redisUrl: () => redis?.url ?? null,
    schedulers: () => zcard('repeat'),
    ticks: () => zcard('delayed'),
  },
};

async function count(table: string): Promise<number> {
  const { rows } = await database.db.raw(`select count(*) from ${table} where queue = 'publishing'`);
  return Number(rows[0].count);
}

async function zcard(key: string): Promise<number> {
  return (await redis?.client.zcard(`bull:publishing:${key}`)) ?? 0;
}

describe('many processes at once', () => {
  const kinds = hasRedis ? (['PostgreSQL', 'Redis'] as const) : (['PostgreSQL'] as const);

  it.each(kinds)(
    'F34 50 of them that register the same schedulers make one of each, with %s',
    { timeout: bootLimitMs },
    async kind => {
      const store = stores[kind];
      const workspaces = 3;
      for (let made = 0; made < workspaces; made += 1) await scene.workspace({ tick_interval_ms: 3_600_000 });
      // Held here until all have come, they then go on in the same instant.
      const gate = await database.db.transaction();
      await gate.raw('lock table workspaces in access exclusive mode');
      const workers: Worker[] = [];
      await fillUp(workers, store.redisUrl()).finally(() => gate.rollback());

      for (const worker of workers) await worker.logged('started');

      expect(await store.schedulers()).toBe(workspaces);
      expect(await store.ticks()).toBe(workspaces);
      await scene.expectInvariants();
    },
  );
});

// A few at a time: two cores are busy enough with that, and other tests run beside this one.
async function fillUp(workers: Worker[], redisUrl: string | null): Promise<void> {
  const limits = { ...defaultLimits, databaseAnswerMs: bootLimitMs };
  while (workers.length < processes) {
    const wave = Array.from({ length: bootAtOnce }, () => scene.worker({ redisUrl, limits }));
    workers.push(...(await Promise.all(wave)));
    const isThere = async () => (await waitingAtGate()) >= workers.length;
    await until(isThere, { timeoutMs: waveLimitMs }).catch(cause => {
      const logs = workers.slice(-bootAtOnce).map(({ stderr }) => stderr);
      throw new Error(`of ${workers.length} workers not all came to the gate:\n${logs.join('\n')}`, {
        cause,
      });
    });
  }
}

async function waitingAtGate(): Promise<number> {
  const { rows } = await database.db.raw(
    "select count(distinct pid) from pg_stat_activity where wait_event_type = 'Lock' and wait_event = 'relation'",
  );
  return Number(rows[0].count);
}
