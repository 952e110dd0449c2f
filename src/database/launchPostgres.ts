import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import type { PostgresBinaries } from './postgresBinaries.ts';
import { serverEnvironment } from './postgresCluster.ts';
import { runningPostmaster } from './postmaster.ts';
import { withServerPaths } from './serverPaths.ts';
import type { ServerUser } from './unprivilegedUser.ts';

export type LaunchOptions = {
  cluster: string;
  binaries: PostgresBinaries;
  user: ServerUser | null;
  settings: Readonly<Record<string, string>>;
  logger: Logger;
};

/** A server that is ready for connections. `ended` resolves with its process; `stop` is bounded. */
export type LaunchedPostgres = { ended: Promise<void>; stop(): Promise<void> };

/** Another server has the cluster, or still lets go of it, or took the port: look again. */
export class ClusterBusyError extends Error {
  override name = 'ClusterBusyError';
}

// The shell becomes the server, and before that leaves a watcher behind that outlives kill -9 of this process:
// at the end of our pipe it asks the server for a fast shutdown; a line tells it that there is nothing left
// to stop. It is nobody's child, since the server takes a child that it does not know for a crash.
const watchedServer =
  "exec 9<&0 </dev/null; ({ trap '' INT TERM HUP; read -r _ <&9 || kill -INT $$; } >/dev/null 2>&1 3<&- &); " +
  'exec "$@" 9<&-';

const recoveryLimitMs = 300_000;
const busyComplaints =
  /lock file .* already exists|shared memory block .* in use|could not bind|address already in use/i;
// Clients of other processes get a moment to finish; then sessions are ended, then the server is.
const stopSteps = [
  ['SIGTERM', 3_000],
  ['SIGINT', 8_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 1_000],
] as const;

/**
 * Starts the server on a loopback port, in a process group of its own, so that a terminal's Ctrl-C does
 * not end it before the application has drained. Throws `ClusterBusyError` when trying again may help, and an
 * `Error` with the server's own words when it does not.
 */
export async function launchPostgres(options: LaunchOptions, port: number): Promise<LaunchedPostgres> {
  const child = await spawnServer(options, port);
  const complaints: string[] = [];
  child.stderr?.on('data', text => {
    complaints.push(...String(text).trim().split('\n'));
    complaints.splice(0, complaints.length - 20);
    options.logger.debug({ output: String(text).trim() }, 'embedded PostgreSQL wrote');
  });
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => {
      child.stdin?.end('stopped\n');
      resolve();
    });
  });
  await ready(options.cluster, child, complaints);
  return { ended, stop: () => stopServer(child) };
}

function spawnServer(
  { cluster, binaries, user, settings }: LaunchOptions,
  port: number,
): Promise<ChildProcess> {
  return withServerPaths([cluster], user, async ([folder], descriptors) => {
    const server = [
      ...[binaries.postgres, '-D', `${folder}`, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const isWindows = process.platform === 'win32';
    const [program = '', ...args] = isWindows ? server : ['/bin/sh', '-c', watchedServer, 'sh', ...server];
    const child = spawn(program, args, {
      ...user,
      cwd: isWindows ? undefined : '/',
      env: serverEnvironment,
      detached: !isWindows,
      stdio: ['pipe', 'ignore', 'pipe', ...descriptors],
      windowsHide: true,
    });
    child.stdin?.on('error', () => {
      // The watcher has ended: there is nobody to tell.
    });
    await once(child, 'spawn');
    return child;
  });
}

async function ready(cluster: string, child: ChildProcess, complaints: readonly string[]): Promise<void> {
  const deadline = performance.now() + recoveryLimitMs;
  while (performance.now() < deadline) {
    if (hasEnded(child)) throw failedStart(complaints);
    const postmaster = runningPostmaster(cluster);
    if (postmaster !== null && postmaster.pid === child.pid && postmaster.isReady) return;
    await sleep(20);
  }
  await stopServer(child);
  throw new Error(
    `the embedded PostgreSQL was not ready within ${recoveryLimitMs / 1000} s: ${complaints.join(' | ')}`,
  );
}

function failedStart(complaints: readonly string[]): Error {
  const text = complaints.join(' | ');
  if (busyComplaints.test(text)) return new ClusterBusyError(text);
  return new Error(`the embedded PostgreSQL did not start: ${text || 'it said nothing'}`);
}

async function stopServer(child: ChildProcess): Promise<void> {
  for (const [signal, limitMs] of stopSteps) {
    if (hasEnded(child)) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(limitMs) });
    child.kill(signal);
    await ended.catch(() => undefined);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
