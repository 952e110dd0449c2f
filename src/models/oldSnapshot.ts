import { type Database, query } from '../database/Database.ts';

/** A transaction that has been open for long: while it is, nothing that was changed since can be cleaned up. */
export type OldSnapshot = {
  pid: number;
  /** The program that has it open, as it calls itself. */
  application: string;
  /** Such as `idle in transaction`. */
  state: string;
  since: Date;
};

/** The oldest transaction on this database, but the asker's, that began before `before`; null: there is none. */
export async function findOldSnapshot(db: Database, before: Date): Promise<OldSnapshot | null> {
  const [row] = await query<OldSnapshot>(db, selectOldest, [before]);
  return row ?? null;
}

const selectOldest = {
  name: 'find-old-snapshot',
  text: `
    select pid, coalesce(nullif(application_name, ''), 'a client') as application,
           coalesce(state, 'unknown') as state, xact_start as since
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and (backend_xmin is not null or backend_xid is not null) and xact_start < $1
    order by xact_start limit 1`,
};
