import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../src/database/embeddedPostgres.ts';
import { ownedBy } from '../../src/database/embeddedServer.ts';
import { launchPostgres } from '../../src/database/launchPostgres.ts';
import { findPostgresBinaries } from '../../src/database/postgresBinaries.ts';
import { createCluster } from '../../src/database/postgresCluster.ts';
import { runningPostmaster } from '../../src/database/postmaster.ts';
import { canReach, unprivilegedUser } from '../../src/database/unprivilegedUser.ts';
import { createLogger } from '../../src/logger.ts';
import { type EmbeddedProcess, startEmbeddedProcess } from '../support/embeddedPostgresProcess.ts';
import { until } from '../support/until.ts';

const logger = createLogger('silent');
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

let folder: string;
let dataDir: string;
let cluster: string;
let started: EmbeddedProcess[];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-embedded-'));
  fs.chmodSync(folder, 0o755);
  dataDir = path.join(folder, 'data');
  cluster = path.join(dataDir, 'postgres', 'cluster');
  started = [];
});

afterEach(async () => {
  for (const process of started) signalIfThere(process);
  await until(() => runningPostmaster(cluster) === null);
  fs.rmSync(folder, { recursive: true, force: true });
});

describe('startEmbeddedPostgres', () => {
  it('keeps what was written from one start to the next', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    await ask(first.url, 'create table kept as select 42 as answer');
    await first.stop();

    const second = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    const rows = await ask(second.url, 'select answer from kept');
    await second.stop();

    expect(rows).toEqual([{ answer: 42 }]);
  });

  it('makes a UTF-8 database whose writes are durable', async () => {
    const server = await startEmbeddedPostgres({ dataDir, database: 'app', logger });

    const rows = await ask(
      server.url,
      "select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync, " +
        "current_setting('synchronous_commit') as commit, current_setting('timezone') as timezone",
    );
    await server.stop();

    expect(rows).toEqual([{ encoding: 'UTF8', fsync: 'on', commit: 'on', timezone: 'UTC' }]);
  });

  it('lets a process drain with the database on SIGTERM and leaves no server behind', async () => {
    const process = start({ dataDir });
    await process.nextLine();

    process.signal('SIGTERM');

    expect(await process.nextLine()).toEqual({ drained: 1 });
    expect(await process.exitCode()).toBe(0);
    expect(runningPostmaster(cluster)).toBeNull();
  });

  it('lets a process drain with the database on Ctrl-C, which reaches its whole group', async () => {
    const process = start({ dataDir });
    await process.nextLine();

    process.signal('SIGINT', 'group');

    expect(await process.nextLine()).toEqual({ drained: 1 });
    expect(await process.exitCode()).toBe(0);
  });

  it('leaves no server behind when its process is killed with -9', async () => {
    const process = start({ dataDir });
    await process.nextLine();
    expect(runningPostmaster(cluster)).not.toBeNull();

    process.signal('SIGKILL');

    await until(() => runningPostmaster(cluster) === null);
  });

  it('starts a server again that was killed with -9 while its process lives on', async () => {
    const server = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    await ask(server.url, 'create table kept as select 42 as answer');

    process.kill(runningPostmaster(cluster)?.pid ?? 0, 'SIGKILL');
    const rows = await until(() => ask(server.url, 'select answer from kept'));
    await server.stop();

    expect(rows).toEqual([{ answer: 42 }]);
    expect(runningPostmaster(cluster)).toBeNull();
  });

  it('recovers what was committed after the server was killed with -9', async () => {
    const process = start({ dataDir });
    const { url } = await process.nextLine();
    await ask(String(url), 'create table kept as select 42 as answer');

    globalThis.process.kill(runningPostmaster(cluster)?.pid ?? 0, 'SIGKILL');
    process.signal('SIGKILL');
    const again = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    const rows = await ask(again.url, 'select answer from kept');
    await again.stop();

    expect(rows).toEqual([{ answer: 42 }]);
  });

  it('refuses a second instance, naming the folder, the owner and the ways out', async () => {
    const owner = start({ dataDir });
    await owner.nextLine();

    const refused = startEmbeddedPostgres({ dataDir, database: 'app', logger });

    await expect(refused).rejects.toThrow(
      `the database in ${path.join(dataDir, 'postgres')} is in use by Headway process ${owner.pid}: ` +
        'stop it, or set HEADWAY_DATA_DIR or DATABASE_URL',
    );
  });

  it('refuses a second instance in the same process', async () => {
    const owner = await startEmbeddedPostgres({ dataDir, database: 'app', logger });

    const refused = startEmbeddedPostgres({ dataDir, database: 'app', logger });

    await expect(refused).rejects.toThrow(`in use by Headway process ${process.pid}`);
    await owner.stop();
  });

  it('attaches to the server of a live owner and leaves it running', async () => {
    const owner = start({ dataDir });
    const { url } = await owner.nextLine();

    const guest = await startEmbeddedPostgres({ dataDir, database: 'app', logger, attach: true });
    await guest.stop();

    expect(guest).toMatchObject({ url, isOwner: false });
    expect(await ask(guest.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('lets the guests of a one-shot owner finish before it stops the server', async () => {
    const owner = await startEmbeddedPostgres({ dataDir, database: 'app', logger, attach: true });
    const guest = await startEmbeddedPostgres({ dataDir, database: 'app', logger, attach: true });
    let isStopped = false;
    const stopped = owner.stop().then(() => {
      isStopped = true;
    });

    // Longer than a server takes that nobody uses.
    await ask(guest.url, 'select pg_sleep(1)');
    expect(await ask(guest.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(isStopped).toBe(false);

    await guest.stop();
    await stopped;
    await expect(ask(guest.url, 'select 1 as one')).rejects.toThrow('ECONNREFUSED');
  });

  it('gives two processes that start at once on an empty folder one server', async () => {
    const processes = [start({ dataDir, attach: true }), start({ dataDir, attach: true })];

    const [one, other] = await Promise.all(processes.map(process => process.nextLine()));

    expect(one?.url).toBe(other?.url);
    expect([one?.isOwner, other?.isOwner].sort()).toEqual([false, true]);
  });

  it('starts although the lock file names a process id that something else has now', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    await first.stop();
    fs.writeFileSync(
      path.join(cluster, 'postmaster.pid'),
      `${process.pid}\n${cluster}\n1\n5999\n\n127.0.0.1\n`,
    );

    const second = await startEmbeddedPostgres({ dataDir, database: 'app', logger });

    expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  it('shuts down the server of an owner that ended, and starts its own', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    await first.stop();
    const endedPid = 4_194_305;
    const binaries = findPostgresBinaries(null);
    const user = unprivilegedUser(cluster);
    const orphan = await launchPostgres(
      { cluster, binaries, user, settings: ownedBy(endedPid), logger },
      Number(new URL(first.url).port),
    );

    const second = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
    await orphan.ended;

    expect(second.isOwner).toBe(true);
    expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  it('starts with an empty environment', async () => {
    const process = start({ dataDir, env: {} });

    const line = await process.nextLine();

    expect(line).toMatchObject({ isOwner: true });
  });

  it('refuses data that another version of PostgreSQL wrote, naming that version', async () => {
    fs.mkdirSync(cluster, { recursive: true });
    fs.writeFileSync(path.join(cluster, 'PG_VERSION'), '9\n');

    const refused = startEmbeddedPostgres({ dataDir, database: 'app', logger });

    await expect(refused).rejects.toThrow(/no PostgreSQL 9 to run .*set DATABASE_URL/);
  });

  const debian = fs.existsSync('/usr/lib/postgresql');
  it.skipIf(!debian)(
    because(debian, 'runs the binaries of the system', 'no PostgreSQL in /usr/lib/postgresql'),
    async () => {
      const [installed] = fs.readdirSync('/usr/lib/postgresql').map(Number);
      const binaries = findPostgresBinaries(installed ?? null);
      fs.mkdirSync(path.dirname(cluster), { recursive: true });
      await createCluster(cluster, { binaries, user: unprivilegedUser(cluster) });

      const server = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
      const [row] = await ask(
        server.url,
        "select current_setting('server_version_num')::int / 10000 as major",
      );
      await server.stop();

      expect(row).toEqual({ major: installed });
    },
  );

  it.skipIf(!isRoot)(
    because(isRoot, 'runs as root below a folder that only root may enter', 'not root'),
    async () => {
      fs.chmodSync(folder, 0o700);

      const server = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
      const rows = await ask(server.url, 'select 1 as one');
      await server.stop();

      expect(rows).toEqual([{ one: 1 }]);
      expect(fs.existsSync(path.join(cluster, 'PG_VERSION'))).toBe(true);
    },
  );

  const canDrop = isRoot && canReach({ uid: nobody, gid: nobody }, path.resolve('package.json'));
  describe('as an ordinary user', () => {
    it.skipIf(!canDrop)(
      because(
        canDrop,
        'owns its data',
        'not root, so that every other case shows it, or the checkout is private',
      ),
      async () => {
        fs.mkdirSync(dataDir);
        fs.chownSync(dataDir, nobody, nobody);
        const process = start({ dataDir, uid: nobody });

        await process.nextLine();

        expect(fs.statSync(cluster).uid).toBe(nobody);
      },
    );

    it.skipIf(!canDrop)(
      because(canDrop, 'refuses data of someone else, naming them', 'not root, or the checkout is private'),
      async () => {
        const root = await startEmbeddedPostgres({ dataDir, database: 'app', logger });
        await root.stop();
        fs.chownSync(path.join(dataDir, 'postgres'), nobody, nobody);
        fs.chownSync(cluster, 1, 1);

        const refused = start({ dataDir, uid: nobody }).nextLine();

        await expect(refused).rejects.toThrow(/belongs to user 1, but Headway runs as user 65534/);
      },
    );
  });
});

function start(options: Parameters<typeof startEmbeddedProcess>[0]): EmbeddedProcess {
  const process = startEmbeddedProcess(options);
  started.push(process);
  return process;
}

function signalIfThere(process: EmbeddedProcess) {
  try {
    process.signal('SIGKILL');
  } catch {
    // It has ended.
  }
}

const askLimitMs = 2_000;

async function ask(url: string, sql: string): Promise<unknown[]> {
  // A server that is just dying accepts, and says nothing.
  const limits = { connectionTimeoutMillis: askLimitMs, query_timeout: askLimitMs };
  const client = new pg.Client({ connectionString: url, ...limits });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await Promise.race([client.end(), sleep(askLimitMs, undefined, { ref: false })]);
  }
}

/** The name of a case; prints why when it has to be skipped. */
function because(isPossible: boolean, name: string, reason: string): string {
  if (!isPossible) process.stderr.write(`skipped: ${name} (${reason})\n`);
  return name;
}
