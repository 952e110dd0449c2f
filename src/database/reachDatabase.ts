import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { defaultLimits, type Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { retryWaitMs } from './retryWaitMs.ts';

export type ReachOptions = {
  url: string;
  logger: Logger;
  signal: AbortSignal;
  /** Null: never. */
  giveUpAfterMs: number | null;
  limits?: Pick<Limits, 'databaseConnectMs'>;
  /** Called with each reason, as it changes. */
  onRefusal?: (reason: string) => void;
};

/** The server did not let us in for as long as we tried. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

const shortestTryMs = 200;

/**
 * Returns once a connection could be opened. Every refusal is tried again, a wrong password or a missing
 * database too: they are mended on the server, and it may still be on its way up. Logs one warning for each
 * change of the reason. Throws `DatabaseUnreachableError`, or the signal's reason.
 */
export async function reachDatabase(options: ReachOptions): Promise<void> {
  const { url, logger, signal, giveUpAfterMs, limits = defaultLimits, onRefusal } = options;
  const target = targetOf(url);
  const startedMs = performance.now();
  let warned: string | null = null;
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const leftMs = giveUpAfterMs === null ? Infinity : giveUpAfterMs - (performance.now() - startedMs);
    const limitMs = Math.min(limits.databaseConnectMs, Math.max(leftMs, shortestTryMs));
    const refusal = await tryOnce(url, limitMs, signal);
    if (refusal === null) break;
    const reason = reasonOf(refusal, target.password);
    const waitMs = retryWaitMs(tries);
    if (giveUpAfterMs !== null && performance.now() - startedMs + waitMs > giveUpAfterMs) {
      throw unreachable(target, reason, refusal);
    }
    if (reason !== warned) {
      logger.warn({ ...target.shown, reason }, 'database not reached: trying again');
      onRefusal?.(reason);
    }
    warned = reason;
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  if (warned !== null) logger.info(target.shown, 'database reached');
}

type Target = { shown: { host: string; port: number; database: string }; password: string };

function targetOf(url: string): Target {
  try {
    const { host, port, database, password } = new pg.Client({ connectionString: url });
    return {
      shown: { host, port, database: database ?? '' },
      password: typeof password === 'string' ? password : '',
    };
  } catch {
    // The parser's own message quotes what it got, password and all.
    throw new DatabaseUnreachableError(
      'DATABASE_URL is no PostgreSQL URL: it should look like postgres://user:password@host:5432/database',
    );
  }
}

/** Null: the server let us in. */
async function tryOnce(url: string, limitMs: number, signal: AbortSignal): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: limitMs });
  client.on('error', () => undefined);
  const listening = new AbortController();
  const aborted = new Promise<unknown>(resolve => {
    signal.addEventListener('abort', () => resolve(signal.reason), { signal: listening.signal });
  });
  const connected = client.connect().then(
    () => null,
    (error: unknown) => error,
  );
  const refusal = await Promise.race([connected, aborted]);
  listening.abort();
  void client.end().catch(() => undefined);
  return refusal;
}

function reasonOf(error: unknown, password: string): string {
  // A host with several addresses fails with one error for each, and no message of its own.
  if (error instanceof AggregateError) return reasonOf(error.errors[0], password);
  const text = error instanceof Error ? error.message : String(error);
  return password === '' ? text : text.replaceAll(password, '***');
}

function unreachable({ shown }: Target, reason: string, cause: unknown): Error {
  return new DatabaseUnreachableError(
    `cannot reach the database "${shown.database}" at ${shown.host}:${shown.port}: ${reason}: check DATABASE_URL`,
    { cause },
  );
}
