import { type Database, query } from './Database.ts';

/**
 * Runs `work` while no other process runs any under the same key; waits for its turn, at most the
 * connection's statement limit. The lock belongs to a transaction, so it ends with the connection.
 */
export async function withAdvisoryLock<Result>(
  db: Database,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return db.transaction(async trx => {
    await query(trx, takeLock, [key]);
    return work();
  });
}

const takeLock = {
  name: 'take-advisory-lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};
