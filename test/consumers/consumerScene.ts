import { afterEach, expect } from 'vitest';
import type { Database } from '../../src/database/Database.ts';
import { useDatabase } from '../support/database.ts';
import type { LogLine } from '../support/recordingLogger.ts';
import { until } from '../support/until.ts';
import type { ConsumerHarness, Row, RowState, Work, Worker, WorkerOptions } from './ConsumerHarness.ts';

/** When each test of the suite happens. */
export const now = new Date('2026-09-07T12:00:00Z');
/** Of what is never told to stop. */
export const { signal } = new AbortController();
const warn = 40;

/** A harness, with what its tests share. */
export type ConsumerScene = ConsumerHarness & {
  readonly db: Database;
  open(options?: WorkerOptions): Worker;
  row(id: number): Promise<Row>;
  state(id: number): Promise<RowState>;
  effects(id: number): Promise<number>;
};

/** Gives a suite a database, and closes the workers that its tests open. */
export function useConsumers(harness: ConsumerHarness): ConsumerScene {
  const database = useDatabase();
  const workers: Worker[] = [];

  afterEach(async () => {
    await Promise.all(workers.splice(0).map(worker => worker.close()));
  });

  return {
    ...harness,
    get db() {
      return database.db;
    },
    open(options = {}) {
      const worker = harness.openWorker(database, options);
      workers.push(worker);
      return worker;
    },
    row: id => rowOf(database.db, harness.table, id),
    state: async id => harness.stateOf(await rowOf(database.db, harness.table, id)),
    effects: id => harness.effectsOf(database.db, id),
  };
}

/** The row as stored, all but the instant of its last change. */
async function rowOf(db: Database, table: string, id: number): Promise<Row> {
  const { updated_at: _, ...row } = await db(table).where({ id }).first();
  return row;
}

/** Lets work go on to its end, which is never an exception: what meets another process is no fault of ours. */
export async function finish(work: Work, how: 'well' | 'badly'): Promise<void> {
  await work.finish(how);
  expect(await work.ended).not.toBeInstanceOf(Error);
}

/** What a worker has said that operators see. */
export function complaints({ lines }: Worker): LogLine[] {
  return lines.filter(({ level }) => level >= warn);
}

/** Every row of every table, to the last column. */
export async function everything(db: Database): Promise<Record<string, unknown>> {
  const { rows } = await db.raw(
    "select tablename from pg_tables where schemaname = 'public' and tablename not like 'migrations%'",
  );
  const tables: Record<string, unknown> = {};
  for (const { tablename } of rows) {
    tables[tablename] = (await db.raw(`select to_jsonb(t) as row from ${tablename} t order by 1`)).rows;
  }
  return tables;
}

/** Runs what meets at a row one behind the other: each waits for the row before the next begins. */
export async function inTurnFor(
  { db, table }: ConsumerScene,
  id: number,
  steps: readonly (() => Promise<unknown>)[],
) {
  const runs: Promise<unknown>[] = [];
  await db.transaction(async trx => {
    await trx(table).where({ id }).forUpdate();
    for (const step of steps) {
      const run = step();
      run.catch(() => undefined);
      runs.push(run);
      await until(async () => (await countWaiting(db)) === runs.length);
    }
  });
  await Promise.all(runs);
}

async function countWaiting(db: Database): Promise<number> {
  const { rows } = await db.raw(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
}
