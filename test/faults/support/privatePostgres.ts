import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '../../../src/database/Database.ts';
import { serverUrl } from '../../../src/database/embeddedServer.ts';
import { type LaunchedPostgres, launchPostgres } from '../../../src/database/launchPostgres.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { findPostgresBinaries, usableBinaries } from '../../../src/database/postgresBinaries.ts';
import { createCluster } from '../../../src/database/postgresCluster.ts';
import { runningPostmaster } from '../../../src/database/postmaster.ts';
import { unprivilegedUser } from '../../../src/database/unprivilegedUser.ts';
import { createLogger } from '../../../src/logger.ts';
import { withAdmin } from '../../support/admin.ts';
import { until } from '../../support/until.ts';
import { freePort } from './freePort.ts';

/** A PostgreSQL of a test's own, which it may stop, starve and start again on the same port. */
export type PrivatePostgres = {
  /** The migrated database of the program. */
  readonly url: string;
  /** A pool on it; it survives a stop, its connections do not. */
  readonly db: Database;
  /** Ends it at once, as a crash does: nothing is flushed, nobody is told. */
  stopAtOnce(): Promise<void>;
  /**
   * Starts it again, with `settings` on top of those from before. `maxFileBytes`, at least a WAL segment's
   * 16 MB, lets no file grow beyond it, as if the disk were full; it ends with the next start.
   */
  start(settings?: Settings, limits?: { maxFileBytes?: number }): Promise<void>;
  /** Changes a setting of the running server, for new statements of all sessions. */
  set(name: string, value: string): Promise<void>;
  /** Refuses writes, as a standby and a full disk's emergency brake do, or takes them again. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Stops it and deletes its data. */
  close(): Promise<void>;
};

type Settings = Readonly<Record<string, string>>;

const logger = createLogger('silent');
const database = 'postgres';

/** Starts a new server with a migrated database. Durable, unlike the shared one: its crashes are the point. */
export async function startPrivatePostgres(settings: Settings = {}): Promise<PrivatePostgres> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-postgres-'));
  fs.chmodSync(folder, 0o755);
  const cluster = path.join(folder, 'cluster');
  const user = unprivilegedUser(cluster);
  const binaries = usableBinaries(findPostgresBinaries(null), { home: folder, user });
  await createCluster(cluster, { binaries, user });
  const limited = { ...binaries, postgres: path.join(folder, 'postgres') };
  const port = await freePort();
  let current: Settings = { timezone: 'UTC', ...settings };
  let server: LaunchedPostgres | null = await launch();
  const url = serverUrl(cluster, port, database);
  const db = openDatabase(url);
  await migrate(db, logger);

  function launch({ maxFileBytes }: { maxFileBytes?: number } = {}): Promise<LaunchedPostgres> {
    const options = { cluster, binaries, user, settings: current, logger };
    if (maxFileBytes === undefined) return launchPostgres(options, port);
    fs.writeFileSync(limited.postgres, limitedServer(binaries.postgres, maxFileBytes), { mode: 0o755 });
    return launchPostgres({ ...options, binaries: limited }, port);
  }

  async function set(name: string, value: string): Promise<void> {
    await withAdmin(url, async admin => {
      await admin.query('set default_transaction_read_only = off');
      await admin.query(`alter system set ${name} = ${admin.escapeLiteral(value)}`);
      await admin.query('select pg_reload_conf()');
    });
  }

  return {
    url,
    db,
    async stopAtOnce() {
      const ended = server?.ended;
      const postmaster = runningPostmaster(cluster);
      if (postmaster) process.kill(postmaster.pid, 'SIGQUIT');
      await ended;
      server = null;
    },
    async start(more = {}, limits = {}) {
      current = { ...current, ...more };
      // What it left behind takes a moment to end.
      server = await until(() => launch(limits), { timeoutMs: 60_000 });
    },
    set,
    setReadOnly: isReadOnly => set('default_transaction_read_only', isReadOnly ? 'on' : 'off'),
    async close() {
      await db.destroy();
      await server?.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

// A limit of the system's, which the shell counts in blocks of 512 bytes and the server inherits.
function limitedServer(postgres: string, maxFileBytes: number): string {
  return `#!/bin/sh\nulimit -f ${Math.floor(maxFileBytes / 512)}\nexec '${postgres}' "$@"\n`;
}
