import pg from 'pg';
import { clusterPassword, superuser } from './postgresCluster.ts';

const connectLimitMs = 5_000;
const ownerPrefix = 'headway-';
const guestName = 'headway guest';
const alreadyThere = ['42P04', '23505'];

/** The setting that names a server's owner: it lives in the server, where no file can outlast or precede it. */
export function ownedBy(pid: number): { cluster_name: string } {
  return { cluster_name: `${ownerPrefix}${pid}` };
}

/** The process that started a server; null when it does not answer (it starts, or stops). */
export async function ownerOfServer(cluster: string, port: number): Promise<number | null> {
  const url = serverUrl(cluster, port, 'postgres');
  try {
    return await withClient(url, async client => {
      const { rows } = await client.query<{ cluster_name: string }>('show cluster_name');
      return Number(rows[0]?.cluster_name.replace(ownerPrefix, ''));
    });
  } catch {
    return null;
  }
}

/** Creates a database unless it is there, or another process is just creating it. */
export async function createDatabase(cluster: string, port: number, database: string): Promise<void> {
  await withClient(serverUrl(cluster, port, 'postgres'), async client => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  }).catch(error => {
    if (!(error instanceof pg.DatabaseError) || !alreadyThere.includes(error.code ?? '')) throw error;
  });
}

/** A connection that only says "somebody is here": the owner of the server waits for it before it stops. */
export async function announceGuest(cluster: string, port: number, database: string): Promise<pg.Client> {
  const connectionString = serverUrl(cluster, port, database);
  const limits = { connectionTimeoutMillis: connectLimitMs, keepAlive: true };
  const guest = new pg.Client({ connectionString, application_name: guestName, ...limits });
  guest.on('error', () => undefined);
  await guest.connect();
  return guest;
}

/** Whether other processes work on this server; false when it does not answer. */
export async function hasGuests(cluster: string, port: number): Promise<boolean> {
  try {
    return await withClient(serverUrl(cluster, port, 'postgres'), async client => {
      const { rowCount } = await client.query('select from pg_stat_activity where application_name = $1', [
        guestName,
      ]);
      return (rowCount ?? 0) > 0;
    });
  } catch {
    return false;
  }
}

/** Throws when the cluster's password may not be read. */
export function serverUrl(cluster: string, port: number, database: string): string {
  return `postgres://${superuser}:${clusterPassword(cluster)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

async function withClient<Result>(url: string, ask: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectLimitMs });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}
