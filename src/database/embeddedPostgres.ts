import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import {
  announceGuest,
  createDatabase,
  hasGuests,
  ownedBy,
  ownerOfServer,
  serverUrl,
} from './embeddedServer.ts';
import { ClusterBusyError, type LaunchOptions } from './launchPostgres.ts';
import { findPostgresBinaries, usableBinaries } from './postgresBinaries.ts';
import { clusterMajor, createCluster } from './postgresCluster.ts';
import {
  isAlive,
  type Postmaster,
  removeStaleLockFile,
  runningPostmaster,
  signalIfAlive,
} from './postmaster.ts';
import { type SupervisedPostgres, superviseLaunch } from './superviseLaunch.ts';
import { unprivilegedUser } from './unprivilegedUser.ts';

/** `isOwner`: this process started the server and stops it; otherwise `stop` only takes leave of it. */
export type EmbeddedPostgres = { url: string; isOwner: boolean; stop(): Promise<void> };

export type EmbeddedPostgresOptions = {
  /** The data lies in `postgres` below it. */
  dataDir: string;
  /** Created when it is missing. */
  database: string;
  logger: Logger;
  /** Use the server of another live Headway on the same folder instead of refusing. Default false. */
  attach?: boolean;
  /** Server settings on top of the default ones; tests turn fsync off. */
  serverSettings?: Readonly<Record<string, string>>;
};

/** The folder's server belongs to another live process. */
export class EmbeddedPostgresInUseError extends Error {
  override name = 'EmbeddedPostgresInUseError';
}

const busyLimitMs = 30_000;
const guestsMayTakeMs = 90_000;
const defaultSettings = { max_connections: '100', timezone: 'UTC', log_min_messages: 'warning' };
// The folders whose server this very process started: its id alone may be that of a predecessor.
const ownedHere = new Set<string>();

/**
 * Starts the PostgreSQL that comes with Headway, with its data in `<dataDir>/postgres`, and creates the
 * database. The server ends with this process, even after kill -9; one that was left behind all the same is
 * shut down first. Throws `EmbeddedPostgresInUseError` when another live Headway has the folder (unless
 * `attach`), and an `Error` that says what to do when no server can be run here.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = path.resolve(options.dataDir, 'postgres');
  const cluster = path.join(home, 'cluster');
  const deadline = performance.now() + busyLimitMs;
  for (;;) {
    const running = runningPostmaster(cluster);
    try {
      const server =
        running === null ? await start(home, cluster, options) : await join(cluster, running, options);
      if (server !== null) return server;
    } catch (error) {
      if (!(error instanceof ClusterBusyError) || performance.now() > deadline) throw error;
    }
    if (performance.now() > deadline) throw noAnswer(home, running);
    await sleep(50);
  }
}

async function start(
  home: string,
  cluster: string,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { logger, database } = options;
  fs.mkdirSync(home, { recursive: true, mode: 0o755 });
  refuseForeignCluster(cluster);
  const user = unprivilegedUser(cluster);
  const binaries = usableBinaries(findPostgresBinaries(clusterMajor(cluster)), { home, user });
  if (clusterMajor(cluster) === null) await createCluster(cluster, { binaries, user });
  // Between the two checks another process may have started one.
  if (runningPostmaster(cluster) !== null) throw new ClusterBusyError(`${home} was taken`);
  removeStaleLockFile(cluster);
  const settings = { ...defaultSettings, ...options.serverSettings, ...ownedBy(process.pid) };
  ownedHere.add(cluster);
  const server = await launchWithDatabase({ cluster, binaries, user, settings, logger }, database).catch(
    error => {
      ownedHere.delete(cluster);
      throw error;
    },
  );
  logger.info({ folder: home, port: server.port, version: binaries.major }, 'embedded PostgreSQL started');
  return {
    url: serverUrl(cluster, server.port, database),
    isOwner: true,
    async stop() {
      if (options.attach) await guestsGone(cluster, server.port);
      await server.stop();
      ownedHere.delete(cluster);
    },
  };
}

// A one-shot command that came first must not end the server under those that came after it.
async function guestsGone(cluster: string, port: number): Promise<void> {
  const deadline = performance.now() + guestsMayTakeMs;
  while (performance.now() < deadline && (await hasGuests(cluster, port))) await sleep(100);
}

async function launchWithDatabase(launch: LaunchOptions, database: string): Promise<SupervisedPostgres> {
  const server = await superviseLaunch(launch);
  try {
    await createDatabase(launch.cluster, server.port, database);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Null: the server went away, or was an orphan that has been told to; look again. */
async function join(
  cluster: string,
  running: Postmaster,
  { attach = false, database, logger }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres | null> {
  if (!running.isReady) return null;
  const owner = await ownerOfServer(cluster, running.port);
  if (owner === null) return null;
  const isOwned = owner === process.pid ? ownedHere.has(cluster) : isAlive(owner);
  if (!isOwned) {
    logger.warn({ pid: running.pid }, 'embedded PostgreSQL of an ended process shut down');
    signalIfAlive(running.pid, 'SIGINT');
    return null;
  }
  if (!attach) throw inUse(path.dirname(cluster), owner);
  // Its owner may be only on the way there, or already on its way out.
  const guest = await createDatabase(cluster, running.port, database)
    .then(() => announceGuest(cluster, running.port, database))
    .catch(cause => {
      throw new ClusterBusyError('the server was about to stop', { cause });
    });
  return {
    url: serverUrl(cluster, running.port, database),
    isOwner: false,
    stop: () => guest.end().catch(() => undefined),
  };
}

function refuseForeignCluster(cluster: string): void {
  const stat = fs.statSync(cluster, { throwIfNoEntry: false });
  const self = process.getuid?.() ?? 0;
  if (stat === undefined || self === 0 || stat.uid === self) return;
  throw new Error(
    `the embedded PostgreSQL's data in ${cluster} belongs to user ${stat.uid}, but Headway runs as user ${self}: ` +
      'run it as that user or as root, or set HEADWAY_DATA_DIR or DATABASE_URL',
  );
}

function inUse(home: string, owner: number): Error {
  return new EmbeddedPostgresInUseError(
    `the database in ${home} is in use by Headway process ${owner}: stop it, or set HEADWAY_DATA_DIR or DATABASE_URL`,
  );
}

function noAnswer(home: string, running: Postmaster | null): Error {
  return new Error(
    `PostgreSQL process ${running?.pid} holds ${home} and does not answer: ` +
      'stop it, or set HEADWAY_DATA_DIR or DATABASE_URL',
  );
}
