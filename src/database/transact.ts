import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './Database.ts';

const maxTries = 3;
const longestFirstWaitMs = 50;

/** Serialisation failure and deadlock: the server took back all of it, and the same may succeed now. */
const tryAgainCodes: readonly string[] = ['40001', '40P01'];

/**
 * Runs `work` in one transaction, at most three times if the server broke it off in favour of another one:
 * so `work` does nothing but SQL. Within a transaction it runs once, since the whole of that one is gone.
 * Throws what the last try threw. A connection that is lost is never tried again here: whether the commit
 * went through is then not known.
 */
export async function transact<Result>(
  db: Database,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? db.transaction(work) : unlessBrokenOff(() => db.transaction(work));
}

/** Whether the server took back a whole transaction in favour of another one: all of it is to be tried again. */
export function isBrokenOff(error: unknown): boolean {
  return tryAgainCodes.includes(codeOf(error));
}

/** As `transact`, for a statement that is a transaction of its own. */
export async function unlessBrokenOff<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBrokenOff(error) || tries === maxTries) throw error;
      await sleep(longestFirstWaitMs * 2 ** (tries - 1) * Math.random());
    }
  }
}

/**
 * Whether an error means that the database could not be reached or could not serve (down, full, out of
 * connections, read-only, no answer in time), and not that something is wrong with what it was asked. Looks
 * through the causes of an error. What was asked may have been done all the same.
 */
export function isDatabaseAway(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < maxDepth; at = at.cause, depth += 1) {
    if (isAway(at)) return true;
    // A host with several addresses fails with one error for each.
    if (at instanceof AggregateError && at.errors.some(isDatabaseAway)) return true;
  }
  return false;
}

const maxDepth = 5;

const networkCodes: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
];

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const serverCodes: readonly string[] = [
  '25006', // read-only: a standby, or a server whose disk is nearly full
  '25P03', // it ended a session that was idle in a transaction
  '3D000', // no such database: being restored
  '57014', // cancelled, by the statement limit as a rule
  '57P01', // shutting down, or the session was terminated
  '57P02', // crashed
  '57P03', // starting up
  '57P05', // it ended an idle session
  '58030', // input or output error
];
const serverClasses: readonly string[] = [
  '08', // connection
  '28', // not let in
  '53', // disk full, out of memory, too many connections
];

/**
 * Whether the server could not make a file longer. It has a code for a full disk alone, and gives none to a quota
 * or a limit on the size of a file.
 */
export function isOutOfRoom(error: Error): boolean {
  return codeOf(error) === '53100' || outOfRoom.test(error.message);
}

const outOfRoom = /(^| - )could not (extend|write to) file /;

// Neither pg nor knex gives these a code; knex puts the statement in front.
const driverMessages: readonly RegExp[] = [
  /(^| - )Connection terminated/,
  /(^| - )timeout expired$/,
  /(^| - )timeout exceeded when trying to connect$/,
  /(^| - )Query read timeout$/,
  / is not queryable$/,
  /^the lock connection was lost$/,
];

function isAway(error: Error): boolean {
  const code = codeOf(error);
  if (isOutOfRoom(error) || networkCodes.includes(code) || serverCodes.includes(code)) return true;
  if (code.length === 5 && serverClasses.includes(code.slice(0, 2))) return true;
  // The socket file of a server that is down.
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return error.name === 'KnexTimeoutError' || driverMessages.some(message => message.test(error.message));
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
