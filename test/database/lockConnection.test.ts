import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { UnitLocks, type UnitLocksOptions } from '../../src/database/lockConnection.ts';
import { defaultLimits } from '../../src/limits.ts';
import { withAdmin } from '../support/admin.ts';
import { useDatabase } from '../support/database.ts';
import { recordingLogger } from '../support/recordingLogger.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const { logger, lines } = recordingLogger();
const opened: UnitLocks[] = [];

afterEach(async () => {
  for (const locks of opened.splice(0)) await locks.close();
});

describe('UnitLocks', () => {
  it('gives a unit to one process at a time, and to the next once it is released', async () => {
    const [one, other] = [open(), open()];

    const lock = await one.tryLock('workspace:1');
    const meanwhile = await other.tryLock('workspace:1');
    await lock?.release();
    const afterwards = await other.tryLock('workspace:1');

    expect(lock?.unit).toBe('workspace:1');
    expect(meanwhile).toBeNull();
    expect(afterwards).not.toBeNull();
  });

  it('gives a unit once within a process, though its session could take it twice', async () => {
    const locks = open();

    const taken = await Promise.all([locks.tryLock('workspace:1'), locks.tryLock('workspace:1')]);

    expect(taken.filter(lock => lock !== null)).toHaveLength(1);
  });

  it('keeps units apart', async () => {
    const [one, other] = [open(), open()];

    const taken = await Promise.all([one.tryLock('workspace:1'), other.tryLock('workspace:2')]);

    expect(taken).not.toContain(null);
  });

  it('takes and releases many units at once over its one connection', async () => {
    const [one, other] = [open(), open()];
    const units = Array.from({ length: 200 }, (_, index) => `workspace:${index}`);

    const taken = await Promise.all(units.map(unit => one.tryLock(unit)));
    const meanwhile = await Promise.all(units.map(unit => other.tryLock(unit)));
    await Promise.all(taken.map(lock => lock?.release()));
    const afterwards = await Promise.all(units.map(unit => other.tryLock(unit)));

    expect(taken).not.toContain(null);
    expect(meanwhile.every(lock => lock === null)).toBe(true);
    expect(afterwards).not.toContain(null);
    expect(await lockSessions()).toHaveLength(2);
  });

  it('gives the unit away once, however often it is released', async () => {
    const locks = open();
    const lock = await locks.tryLock('workspace:1');
    await lock?.release();
    await locks.tryLock('workspace:1');

    await lock?.release();

    expect(await locks.tryLock('workspace:1')).toBeNull();
  });

  it('aborts its locks when the connection is lost, and connects again for the next', async () => {
    const locks = open();
    const lock = await locks.tryLock('workspace:1');
    const lost = once(lock?.signal ?? new EventTarget(), 'abort');

    await terminateSessions();
    await lost;
    const next = await locks.tryLock('workspace:2');

    expect(lock?.signal.reason).toMatchObject({ message: 'the lock connection was lost' });
    expect(next?.signal.aborted).toBe(false);
    expect(lines).toContainEqual(expect.objectContaining({ level: 40, msg: 'lock connection lost' }));
  });

  it('takes no unit again before the loss was dealt with, of which it tells once', async () => {
    lines.length = 0;
    const locks = open();
    const happened: string[] = [];
    let dealWith = () => {};
    const dealtWith = new Promise<void>(resolve => {
      dealWith = resolve;
    });
    const lock = await locks.tryLock('workspace:1');
    lock?.signal.addEventListener('abort', () => happened.push('aborted'));
    locks.onLost(() => {
      happened.push('told');
      return dealtWith;
    });
    await terminateSessions();
    await until(() => happened.length === 2);

    const taking = locks.tryLock('workspace:2').then(next => {
      happened.push('taken');
      return next;
    });
    happened.push('dealt with');
    dealWith();
    const next = await taking;

    expect(happened).toEqual(['aborted', 'told', 'dealt with', 'taken']);
    expect(next?.unit).toBe('workspace:2');
    expect(lines.map(({ msg }) => msg)).toEqual(['lock connection lost']);
  });

  it('waits no longer for that than for an answer', async () => {
    const locks = open({ limits: { ...defaultLimits, lockAnswerMs: 100 } });
    const lock = await locks.tryLock('workspace:1');
    locks.onLost(() => new Promise(() => {}));
    await terminateSessions();
    await until(() => lock?.signal.aborted);

    expect(await locks.tryLock('workspace:2')).not.toBeNull();
  });

  it('calls its own end no loss', async () => {
    const locks = open();
    let losses = 0;
    locks.onLost(async () => {
      losses += 1;
    });
    await locks.tryLock('workspace:1');

    await locks.close();

    expect(losses).toBe(0);
  });

  it('keeps a unit from its own process until a lost lock is released', async () => {
    const locks = open();
    const lock = await locks.tryLock('workspace:1');
    await terminateSessions();
    await until(() => lock?.signal.aborted);

    const early = await locks.tryLock('workspace:1');
    await lock?.release();
    const late = await locks.tryLock('workspace:1');

    expect(early).toBeNull();
    expect(late).not.toBeNull();
  });

  it('lets the server end the session of a process that asks nothing for too long', async () => {
    const [frozen, other] = [
      open({ limits: { ...defaultLimits, lockAskMs: 60_000, lockIdleMs: 300 } }),
      open(),
    ];
    await frozen.tryLock('workspace:1');

    const taken = await until(() => other.tryLock('workspace:1'));

    expect(taken.unit).toBe('workspace:1');
  });

  it('has its keep-alive settings accepted by the server', async () => {
    lines.length = 0;

    await open().tryLock('workspace:1');

    expect(lines).toEqual([]);
  });

  it('asks the server something now and then, so that its session is not idle', async () => {
    const locks = open({ limits: { ...defaultLimits, lockAskMs: 50 } });
    await locks.tryLock('workspace:1');
    const [first] = await lockSessions();

    const later = await until(async () => {
      const [session] = await lockSessions();
      return session?.query === 'select 1' && session.changedAt > (first?.changedAt ?? 0) ? session : null;
    });

    expect(later.pid).toBe(first?.pid);
  });

  it('frees every unit when it is closed, and gives none after', async () => {
    const [one, other] = [open(), open()];
    const lock = await one.tryLock('workspace:1');

    await one.close();
    const taken = await until(() => other.tryLock('workspace:1'));

    expect(lock?.signal.aborted).toBe(true);
    expect(taken.unit).toBe('workspace:1');
    await expect(one.tryLock('workspace:2')).rejects.toThrow('the locks were closed');
  });

  it('throws when the server cannot be reached, and tries anew the next time', async () => {
    const locks = open({ url: 'postgres://app@127.0.0.1:1/app' });

    const tries = await Promise.allSettled([locks.tryLock('workspace:1'), locks.tryLock('workspace:2')]);
    const again = locks.tryLock('workspace:1');

    expect(tries.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(again).rejects.toThrow(/the lock of workspace:1 could not be asked for: .*ECONNREFUSED/);
  });
});

function open(options: Partial<UnitLocksOptions> = {}): UnitLocks {
  const locks = new UnitLocks({ url: database.url, logger, ...options });
  opened.push(locks);
  return locks;
}

type Session = { pid: number; query: string; changedAt: number };

function lockSessions(): Promise<Session[]> {
  return withAdmin(database.url, async admin => {
    const { rows } = await admin.query<Session>(
      `select pid, query, extract(epoch from state_change)::float8 as "changedAt" from pg_stat_activity
       where application_name = 'headway locks' and datname = current_database() order by pid`,
    );
    return rows;
  });
}

async function terminateSessions(): Promise<void> {
  const sessions = await lockSessions();
  await withAdmin(database.url, async admin => {
    for (const { pid } of sessions) await admin.query('select pg_terminate_backend($1)', [pid]);
  });
}
