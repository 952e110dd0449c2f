import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The server process of a cluster, as its lock file tells. */
export type Postmaster = { pid: number; port: number; isReady: boolean };

/**
 * The server that runs on a cluster, or null when none does. A lock file whose process is gone does not
 * count, nor one whose process id now belongs to something else: after a container's restart the same few
 * ids come back, and PostgreSQL alone would take any of them for a running server.
 */
export function runningPostmaster(cluster: string): Postmaster | null {
  const postmaster = readLockFile(lockFileOf(cluster));
  return postmaster !== null && isAlive(postmaster.pid) && isServer(postmaster) ? postmaster : null;
}

/** Removes the lock file that PostgreSQL would not get past: its id belongs to a process that is no server. */
export function removeStaleLockFile(cluster: string): void {
  const postmaster = readLockFile(lockFileOf(cluster));
  if (postmaster !== null && isAlive(postmaster.pid) && !isServer(postmaster)) fs.rmSync(lockFileOf(cluster));
}

/** Whether a process with this id exists, ours or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Sends a signal; a process that has ended in the meantime is what was wanted. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}

function lockFileOf(cluster: string): string {
  return path.join(cluster, 'postmaster.pid');
}

// https://www.postgresql.org/docs/18/storage-file-layout.html: pid, folder, start, port, …, status.
function readLockFile(file: string): Postmaster | null {
  if (!fs.existsSync(file)) return null;
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number.isInteger(port) ? port : 0, isReady: lines[7]?.trim() === 'ready' };
}

function isServer({ pid, port }: Postmaster): boolean {
  const command = commandOf(pid);
  if (command === null) return true;
  // A server writes its port a moment after its id; until then the program's name has to do.
  return port === 0 ? command.includes('postgres') : command.split(/[\0 ]/).includes(String(port));
}

/** The command line of a process; null where the system does not tell. */
function commandOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('/bin/ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return null;
  }
}
