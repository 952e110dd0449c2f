import type { Database } from '../../../src/database/Database.ts';
import { until } from '../../support/until.ts';
import { signalLimitMs } from './realTime.ts';

const lockSessions = `application_name = 'headway locks'`;
const ofThisDatabase = 'datname = current_database() and pid <> pg_backend_pid()';

/** The server processes of the lock sessions that are open now. */
export async function lockSessionPids(db: Database): Promise<number[]> {
  return pids(db, `select pid from pg_stat_activity where ${ofThisDatabase} and ${lockSessions}`);
}

/** Ends every lock session, as an operator or a failing network does. Returns how many there were. */
export async function endLockSessions(db: Database): Promise<number> {
  return (await pids(db, terminate(lockSessions))).length;
}

/** Ends the sessions whose statement waits for a lock; returns how many there were. */
export async function endWaitingSessions(db: Database): Promise<number> {
  return (await pids(db, terminate(`wait_event_type = 'Lock'`))).length;
}

/** Resolves once `count` sessions wait for a lock that another one holds. */
export async function sessionsWait(db: Database, count = 1): Promise<void> {
  const waiting = `select pid from pg_stat_activity where ${ofThisDatabase} and wait_event_type = 'Lock'`;
  await until(async () => (await pids(db, waiting)).length >= count, { timeoutMs: signalLimitMs });
}

function terminate(which: string): string {
  return `select pid, pg_terminate_backend(pid) from pg_stat_activity where ${ofThisDatabase} and ${which}`;
}

async function pids(db: Database, text: string): Promise<number[]> {
  const { rows } = await db.raw(text);
  return rows.map((row: { pid: number }) => row.pid);
}
