import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { ConsumerRecord, thisConsumer } from '../src/ConsumerRecord.ts';
import { type Database, openDatabase } from '../src/database/Database.ts';
import { version } from '../src/version.ts';
import { useDatabase } from './support/database.ts';
import { FakeClock } from './support/fakeClock.ts';
import { recordingLogger } from './support/recordingLogger.ts';
import { until } from './support/until.ts';

const database = useDatabase();
const startedAt = '2026-09-07T10:00:00Z';
const records: ConsumerRecord[] = [];

afterEach(async () => {
  await Promise.all(records.splice(0).map(record => record.stop()));
});

function openRecord({ db = database.db, everyMs = 10, host = 'one' } = {}) {
  const clock = new FakeClock(startedAt);
  const { logger, lines } = recordingLogger();
  const consumer = {
    id: randomUUID(),
    host,
    pid: 42,
    version: '1.0.0',
    role: 'work',
    queues: ['a', 'b'],
  } as const;
  const record = new ConsumerRecord({ db, logger, clock, everyMs, consumer });
  records.push(record);
  return { record, clock, lines, consumer };
}

const consumers = (db: Database = database.db) => db('consumers').orderBy('started_at');
const seen = async (at: string) => (await consumers()).some(({ seen_at }) => +seen_at === Date.parse(at));

describe('ConsumerRecord', () => {
  it('enters the process when it starts, and strikes it out when it stops', async () => {
    const { record, consumer } = openRecord();

    record.start();
    const [entered] = await until(async () => (await consumers()).length > 0 && consumers());
    await record.stop();

    const started = new Date(startedAt);
    expect(entered).toEqual({ ...consumer, queues: ['a', 'b'], started_at: started, seen_at: started });
    expect(await consumers()).toEqual([]);
  });

  it('says again and again that it is there', async () => {
    const { record, clock } = openRecord();
    record.start();
    await until(() => seen(startedAt));

    clock.advance({ seconds: 20 });
    await until(() => seen('2026-09-07T10:00:20Z'));

    expect(await consumers()).toMatchObject([{ started_at: new Date(startedAt) }]);
  });

  it('enters itself anew where its entry was lost', async () => {
    const { record, consumer } = openRecord();
    record.start();
    await until(() => seen(startedAt));

    await database.db('consumers').del();
    await until(() => seen(startedAt));

    expect(await consumers()).toMatchObject([{ id: consumer.id, started_at: new Date(startedAt) }]);
  });

  it('strikes out what was not seen for a day, and nothing else', async () => {
    const { record } = openRecord({ host: 'this' });
    const columns = {
      pid: 1,
      version: '1.0.0',
      role: 'start',
      queues: [],
      started_at: '2026-09-01T00:00:00Z',
    };
    await database.db('consumers').insert([
      { ...columns, id: randomUUID(), host: 'long ago', seen_at: '2026-09-06T09:59:59.999Z' },
      { ...columns, id: randomUUID(), host: 'yesterday', seen_at: '2026-09-06T10:00:00Z' },
    ]);

    record.start();
    const left = await until(async () => {
      const hosts = (await consumers()).map(({ host }) => host);
      return hosts.includes('this') && !hosts.includes('long ago') && hosts;
    });

    expect(left.sort()).toEqual(['this', 'yesterday']);
  });

  it('says nothing above debug while the database is away, and goes on when it is back', async () => {
    const { record, lines } = openRecord();
    await database.db.raw('alter table consumers rename column host to gone');
    record.start();
    await until(() => lines.length > 1);

    await database.db.raw('alter table consumers rename column gone to host');
    await until(() => seen(startedAt));

    expect(new Set(lines.map(({ level, msg }) => `${level} ${msg}`))).toEqual(
      new Set(['20 consumer was not written down']),
    );
  });

  it('stops in time although the database does not answer', async () => {
    const db = openDatabase(database.url);
    const { record } = openRecord({ db });
    record.start();
    await until(() => seen(startedAt));
    const held = await database.db.transaction();
    await held.raw('lock table consumers');

    const startMs = performance.now();
    await record.stop();
    const tookMs = performance.now() - startMs;
    await held.rollback();
    await db.destroy();

    expect(tookMs).toBeLessThan(4_000);
  });

  it('has nothing to do when it is stopped without a start', async () => {
    const { record, lines } = openRecord();

    await record.stop();

    expect(lines).toEqual([]);
  });
});

describe('thisConsumer', () => {
  it('tells processes apart that run one after the other under the same number', () => {
    const what = { role: 'start', queues: ['publishing'] } as const;

    const [one, other] = [thisConsumer(what), thisConsumer(what)];

    expect(one).toEqual({ ...what, id: one.id, host: hostname(), pid: process.pid, version });
    expect(other).toEqual({ ...one, id: other.id });
    expect(other.id).not.toBe(one.id);
  });
});
