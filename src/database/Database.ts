import knex, { type Knex } from 'knex';
import pg from 'pg';

/** A pool of connections or a transaction on one: models take either. */
export type Database = Knex;

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

/** Opens a pool of named, prepared statements. */
export function openDatabase(url: string, { maxConnections = poolLimits.max } = {}): Database {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: 'headway',
      options: session.map(setting => `-c ${setting}`).join(' '),
      connectionTimeoutMillis: 10_000,
      statement_timeout: 60_000,
      idle_in_transaction_session_timeout: 60_000,
      keepAlive: true,
      types: { getTypeParser },
    } as Knex.PgConnectionConfig,
    pool: { min: poolLimits.min, max: maxConnections },
    acquireConnectionTimeout: 15_000,
    // Knex prints to standard output by itself, into the middle of what a command prints as JSON.
    // Every error that it tells of there is thrown as well.
    log: { warn: quiet, error: quiet, debug: quiet, deprecate: quiet },
  });
}

function quiet(): void {}

/** Runs one named, prepared statement with `$1`-style parameters and returns its rows. */
export async function query<Row>(db: Database, { name, text }: Statement, values: readonly unknown[] = []) {
  const result = await db.raw(text).options({ name, values });
  return result.rows as Row[];
}

/** As `query`, for a statement that changes rows: how many it changed. */
export async function execute(db: Database, { name, text }: Statement, values: readonly unknown[] = []) {
  const result = await db.raw(text).options({ name, values });
  return result.rowCount as number;
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
