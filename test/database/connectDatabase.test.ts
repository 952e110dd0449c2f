import { once } from 'node:events';
import fs from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/database/connectDatabase.ts';
import { DatabaseUnreachableError } from '../../src/database/reachDatabase.ts';
import { withAdmin } from '../support/admin.ts';
import { useDatabase } from '../support/database.ts';
import { recordingLogger } from '../support/recordingLogger.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const { logger, lines } = recordingLogger();
const password = 's3cret-word';

let closers: (() => Promise<void>)[];

beforeEach(() => {
  lines.length = 0;
  closers = [];
});

afterEach(async () => {
  for (const close of closers) await close();
});

describe('connectDatabase', () => {
  it('opens a database that can be reached', async () => {
    const { db } = await connect({ databaseUrl: database.url });

    const { rows } = await db.raw('select 1 as one');

    expect(rows).toEqual([{ one: 1 }]);
    expect(lines).toEqual([]);
  });

  it('waits for a server that comes up later, and warns once for each reason', async () => {
    const url = new URL(database.url);
    const port = await closedPort();
    url.host = `127.0.0.1:${port}`;
    const connecting = connect({ databaseUrl: url.href });
    await until(() => lines.length > 0);

    await forward(port, new URL(database.url));
    await connecting;

    expect(lines.filter(({ level }) => level === 40)).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({ msg: 'database reached', host: '127.0.0.1', port });
  });

  it('gives up after its limit, naming host, port, database, reason and setting, but no password', async () => {
    const port = await closedPort();

    const error = await failure({ databaseUrl: urlAt(port), giveUpAfterMs: 500 });

    expect(error).toBeInstanceOf(DatabaseUnreachableError);
    expect(error.message).toBe(
      `cannot reach the database "app" at 127.0.0.1:${port}: ` +
        `connect ECONNREFUSED 127.0.0.1:${port}: check DATABASE_URL`,
    );
    expect(JSON.stringify(lines)).not.toContain(password);
  });

  it('says why for a host with several addresses', async () => {
    const port = await closedPort();

    const error = await failure({
      databaseUrl: urlAt(port).replace('127.0.0.1', 'localhost'),
      giveUpAfterMs: 300,
    });

    expect(error.message).toContain('ECONNREFUSED');
  });

  it('reports a wrong password without it', async () => {
    const url = new URL(database.url);
    url.password = password;

    const error = await failure({ databaseUrl: url.href, giveUpAfterMs: 300 });

    expect(error.message).toMatch(/password authentication failed for user .*: check DATABASE_URL/);
    expect(error.message).not.toContain(password);
  });

  it('reports a missing database', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';

    const error = await failure({ databaseUrl: url.href, giveUpAfterMs: 300 });

    expect(error.message).toMatch(/database "nowhere" .*does not exist: check DATABASE_URL/);
  });

  it('refuses what is no URL without repeating it', async () => {
    const error = await failure({
      databaseUrl: `postgres://app:${password}@host:port/app`,
      giveUpAfterMs: null,
    });

    expect(error.message).toMatch(/^DATABASE_URL is no PostgreSQL URL/);
    expect(error.message).not.toContain(password);
  });

  it('stops waiting at once when it is told to', async () => {
    const stop = new AbortController();
    const connecting = connect({ databaseUrl: urlAt(await closedPort()), signal: stop.signal });
    await until(() => lines.length > 0);

    stop.abort(new Error('stopping'));

    await expect(connecting).rejects.toThrow('stopping');
  });

  it('survives the end of idle connections', async () => {
    const { db } = await connect({ databaseUrl: database.url });
    const { rows } = await db.raw('select pg_backend_pid() as pid');
    await withAdmin(database.url, admin => admin.query('select pg_terminate_backend($1)', [rows[0].pid]));

    const answer = await until(async () => (await db.raw('select 1 as one')).rows);

    expect(answer).toEqual([{ one: 1 }]);
  });

  it('starts the embedded database without a URL, and stops it at the end', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-connect-'));
    fs.chmodSync(folder, 0o755);
    const embedded = await connect({ databaseUrl: null, dataDir: folder });
    const { rows } = await embedded.db.raw('select current_database() as name');

    await embedded.close();

    expect(rows).toEqual([{ name: 'headway' }]);
    expect(fs.existsSync(path.join(folder, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
    fs.rmSync(folder, { recursive: true });
  });
});

type Overrides = Partial<Parameters<typeof connectDatabase>[0]>;

async function connect(overrides: Overrides) {
  const { signal } = new AbortController();
  const connected = await connectDatabase({
    databaseUrl: null,
    dataDir: '/nonexistent',
    logger,
    signal,
    giveUpAfterMs: null,
    attach: false,
    ...overrides,
  });
  closers.push(connected.close);
  return connected;
}

async function failure(overrides: Overrides): Promise<Error> {
  const outcome = await connect(overrides).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome;
  throw new Error('it connected');
}

function urlAt(port: number): string {
  return `postgres://app:${password}@127.0.0.1:${port}/app`;
}

/** A server that comes up on `port`: in truth a way to the one that is there. */
async function forward(port: number, { hostname, port: realPort }: URL): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const upstream = createConnection(Number(realPort || 5432), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
