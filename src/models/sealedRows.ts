import { type Database, query } from '../database/Database.ts';

// Everything that a key has sealed, whichever table it is in: what a rotation of the keys seals anew.

/** Where sealed values lie. The names are those that the values are sealed for, too. */
export const sealedPlaces = ['accounts', 'channels', 'sessions'] as const;

export type SealedPlace = (typeof sealedPlaces)[number];

export type SealedRow = {
  /** Of the account or channel. */
  id: number;
  workspaceId: number;
  workspace: string;
  name: string;
  isArchived: boolean;
  sealed: Buffer;
};

/** Another value for a sealed row; null clears it. */
export type Resealed = Pick<SealedRow, 'id' | 'sealed'> & { next: Buffer | null };

/** The sealed values of one place, archived rows included, by id. */
export async function listSealed(db: Database, place: SealedPlace): Promise<SealedRow[]> {
  return query<SealedRow>(db, selecting[place]);
}

/**
 * Writes other values in the place of sealed ones, each only where the value is still the one that was read: a
 * log-in may have written another session meanwhile. Returns the rows that it wrote.
 */
export async function replaceSealed<Row extends Resealed>(
  db: Database,
  place: SealedPlace,
  rows: readonly Row[],
): Promise<Row[]> {
  const columns = [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed), rows.map(({ next }) => next)];
  const written = await query<{ id: number }>(db, updating[place], columns);
  const ids = new Set(written.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}

const selecting = {
  accounts: {
    name: 'list-sealed-accounts',
    text: `
      select a.id, a.workspace_id as "workspaceId", w.name as workspace, a.name,
             a.archived_at is not null as "isArchived", a.secrets as sealed
      from accounts a join workspaces w on w.id = a.workspace_id
      where a.secrets is not null order by a.id`,
  },
  channels: {
    name: 'list-sealed-channels',
    text: `
      select c.id, c.workspace_id as "workspaceId", w.name as workspace, c.name,
             c.archived_at is not null as "isArchived", c.secrets as sealed
      from channels c join workspaces w on w.id = c.workspace_id
      where c.secrets is not null order by c.id`,
  },
  sessions: {
    name: 'list-sealed-sessions',
    text: `
      select a.id, a.workspace_id as "workspaceId", w.name as workspace, a.name,
             a.archived_at is not null as "isArchived", a.session as sealed
      from accounts a join workspaces w on w.id = a.workspace_id
      where a.session is not null order by a.id`,
  },
} as const;

const updating = {
  accounts: {
    name: 'replace-sealed-accounts',
    text: `
      update accounts set secrets = replaced.next
      from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as replaced (id, sealed, next)
      where accounts.id = replaced.id and accounts.secrets = replaced.sealed
      returning accounts.id`,
  },
  channels: {
    name: 'replace-sealed-channels',
    text: `
      update channels set secrets = replaced.next
      from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as replaced (id, sealed, next)
      where channels.id = replaced.id and channels.secrets = replaced.sealed
      returning channels.id`,
  },
  sessions: {
    name: 'replace-sealed-sessions',
    text: `
      update accounts
      set session = replaced.next,
          session_expires_at = case when replaced.next is not null then session_expires_at end,
          -- Sealed anew, it is the same session for those who use it; given up, it is another state.
          session_revision = session_revision + (replaced.next is null)::int
      from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as replaced (id, sealed, next)
      where accounts.id = replaced.id and accounts.session = replaced.sealed
      returning accounts.id`,
  },
} as const;
