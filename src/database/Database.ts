import knex, { type Knex } from 'knex';
import pg from 'pg';
import { defaultLimits, type Limits } from '../limits.ts';

/** A pool of connections or a transaction on one: models take either. */
export type Database = Knex;

/** One connection, in a transaction whose statements are sent at once: see `inOneFlight`. */
export type Flight = { send(config: pg.QueryConfig): Promise<pg.QueryResult> };

/** Statement names are unique in the program: the server keeps one plan for each. */
export type Statement = { name: string; text: string };

const poolLimits = { min: 0, max: 16 };
const int8 = 20;

// Instants are bound as parameters, so the generic plan is forced: it is the one that uses the partial
// indexes, whose predicates are written as literals. A tick must not become slow by statistics that are old
// or missing: where few rows are expected the planner would rather read the whole of a queue, or of the
// table, than walk the head of an index. So both other ways are made its last choice.
const session = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'timezone=UTC',
  'jit=off',
];

export type DatabaseOptions = {
  /** Connections of the pool. Default 16. */
  maxConnections?: number;
  limits?: Pick<Limits, 'databaseConnectMs' | 'databaseAnswerMs'>;
};

/** Opens a pool of named, prepared statements. Nothing on it waits for ever, whatever the network does. */
export function openDatabase(
  url: string,
  { maxConnections = poolLimits.max, limits = defaultLimits }: DatabaseOptions = {},
): Database {
  const { databaseConnectMs, databaseAnswerMs } = limits;
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: 'headway',
      options: session.map(setting => `-c ${setting}`).join(' '),
      connectionTimeoutMillis: databaseConnectMs,
      statement_timeout: databaseAnswerMs,
      idle_in_transaction_session_timeout: databaseAnswerMs,
      query_timeout: silenceLimitMs(databaseAnswerMs),
      keepAlive: true,
      // Lets the statements of `inOneFlight` travel together; others wait for each other anyway. And with it
      // a statement that runs into `query_timeout` ends its connection, which could not be used any more.
      pipeline: true,
      types: { getTypeParser },
    } as Knex.PgConnectionConfig,
    pool: { min: poolLimits.min, max: maxConnections, validate: isUsable },
    acquireConnectionTimeout: 1.5 * databaseConnectMs,
    // Knex prints to standard output by itself, into the middle of what a command prints as JSON.
    // Every error that it tells of there is thrown as well.
    log: { warn: quiet, error: quiet, debug: quiet, deprecate: quiet },
  });
}

/**
 * How long a connection is waited for that says nothing at all: the server's own limit on a statement comes
 * first, so that only a server that vanished, or a network that swallows what is sent, gets here.
 */
export function silenceLimitMs(answerMs: number): number {
  return Math.round(1.1 * answerMs);
}

/** Options of a statement that may take as long as it wants. */
export const withoutLimit = { query_timeout: 2 ** 31 - 1 };

// A connection that was ended because of its silence goes back to the pool before its end is an event.
function isUsable(connection: pg.Client): boolean {
  return !connection.connection.stream.destroyed;
}

function quiet(): void {}

/** Runs one named, prepared statement with `$1`-style parameters and returns its rows. */
export async function query<Row>(
  db: Database | Flight,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await run(db, statement, values)).rows as Row[];
}

/** As `query`, for a statement that changes rows: how many it changed. */
export async function execute(
  db: Database,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<number> {
  return (await run(db, statement, values)).rowCount ?? 0;
}

function run(
  db: Database | Flight,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  if ('send' in db) return db.send({ name, text, values: [...values] });
  return db.raw(text).options({ name, values });
}

/**
 * A transaction whose statements may be sent before the ones in front of them are answered, `begin` and
 * `commit` included: the server runs them in order, each with a snapshot of its own, and only the round
 * trips are saved. `commit` may go out beside the last statement; if that fails, nothing is kept.
 * `work` awaits all that it sends. Where it does not commit, everything is rolled back.
 */
export async function inOneFlight<Result>(
  db: Database,
  work: (flight: Flight, commit: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const connection: pg.Client = await db.client.acquireConnection();
  const flight: Flight = { send: config => connection.query(config) };
  let isCommitted = false;
  const commit = async () => {
    await flight.send({ text: 'commit' });
    isCommitted = true;
  };
  // Whatever made it fail makes the next statement fail, and is told by that.
  const begun = flight.send({ text: 'begin' }).catch(() => {});
  try {
    return await work(flight, commit);
  } finally {
    await begun;
    // It fails only with its connection, and then the server has rolled back.
    if (!isCommitted) await flight.send({ text: 'rollback' }).catch(() => {});
    await db.client.releaseConnection(connection);
  }
}

/** The name of the constraint that a statement violated, or null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return null;
  return error.constraint ?? null;
}

// Ids and counts stay far below 2^53; everything else is read as pg does.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8) return Number;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}
