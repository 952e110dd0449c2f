import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';

/** A connection with the locks that it holds. None of its methods but `tryLock` throws. */
export type LockSession = {
  /** Aborted when the connection, and every lock with it, is gone. */
  readonly lost: AbortSignal;
  tryLock(unit: string): Promise<boolean>;
  unlock(unit: string): Promise<void>;
  close(): Promise<void>;
};

const closeLimitMs = 1_000;

// The server itself ends the session of a process that vanished: that frees its locks.
const keepAliveSettings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
};

export type LockLimits = Pick<Limits, 'databaseConnectMs' | 'lockAskMs' | 'lockAnswerMs' | 'lockIdleMs'>;
export type LockSessionOptions = { url: string; logger: Logger; limits: LockLimits };

/** Opens a lock session. Throws when the server cannot be reached. */
export async function openLockSession({ url, logger, limits }: LockSessionOptions): Promise<LockSession> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'headway locks',
    connectionTimeoutMillis: limits.databaseConnectMs,
    query_timeout: limits.lockAnswerMs,
    keepAlive: true,
  });
  const lost = new AbortController();
  // Every lock listens, and there may be many.
  setMaxListeners(0, lost.signal);
  const lose = (cause: unknown) => {
    if (lost.signal.aborted) return;
    clearInterval(asking);
    lost.abort(new Error('the lock connection was lost', { cause }));
    // Nobody waits for it: a server that no longer answers would not confirm the end either.
    void client.end().catch(() => undefined);
  };
  const ask = inTurn(client, lose);
  const asking = setInterval(() => void ask('select 1').catch(() => undefined), limits.lockAskMs).unref();
  client.on('error', lose);
  client.on('end', () => lose(null));
  try {
    await client.connect();
  } catch (error) {
    lose(error);
    throw error;
  }
  // And that of one that froze.
  const settings = { ...keepAliveSettings, idle_session_timeout: `${limits.lockIdleMs}ms` };
  for (const [name, value] of Object.entries(settings)) await set(client, name, value, logger);

  return {
    lost: lost.signal,
    async tryLock(unit) {
      return (await ask('select pg_try_advisory_lock(hashtextextended($1, 0)) as answer', [unit])) === true;
    },
    async unlock(unit) {
      if (lost.signal.aborted) return;
      // It fails only with the connection, and the lock is gone with it.
      await ask('select pg_advisory_unlock(hashtextextended($1, 0)) as answer', [unit]).catch(
        () => undefined,
      );
    },
    async close() {
      clearInterval(asking);
      lost.abort(new Error('the locks were closed'));
      await Promise.race([
        client.end().catch(() => undefined),
        sleep(closeLimitMs, undefined, { ref: false }),
      ]);
      // A network that swallows the farewell must not keep the process alive.
      client.connection.stream.destroy();
    },
  };
}

// One question at a time, as pg demands of a client; any failure is taken for a loss of the connection, since
// a lock that cannot be vouched for is none.
function inTurn(client: pg.Client, lose: (cause: unknown) => void) {
  let last: Promise<unknown> = Promise.resolve();
  return (text: string, values: readonly unknown[] = []): Promise<unknown> => {
    const answer = last.then(
      async () => (await client.query<{ answer: unknown }>(text, [...values])).rows[0]?.answer,
    );
    last = answer.catch(lose);
    return answer;
  };
}

async function set(client: pg.Client, name: string, value: string, logger: Logger): Promise<void> {
  try {
    await client.query('select set_config($1, $2, false)', [name, value]);
  } catch (error) {
    // Not every system knows every one of them; the lock holds without.
    logger.debug({ setting: name, err: error }, 'lock connection setting refused');
  }
}
