import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { PostgresBinaries } from './postgresBinaries.ts';
import { withServerPaths } from './serverPaths.ts';
import type { ServerUser } from './unprivilegedUser.ts';

/** The name of the one database role. */
export const superuser = 'postgres';

/**
 * The environment of every server process: nothing of ours, so that neither an empty environment nor a
 * stray `PGDATA` or `LANG` changes what is started. Windows programs need theirs.
 */
export const serverEnvironment =
  process.platform === 'win32' ? undefined : { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** The major version that wrote a cluster, or null when there is no cluster yet. */
export function clusterMajor(cluster: string): number | null {
  const file = path.join(cluster, 'PG_VERSION');
  return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : null;
}

/** The password that `createCluster` made. */
export function clusterPassword(cluster: string): string {
  return fs.readFileSync(passwordFileOf(cluster), 'utf8').trim();
}

/**
 * Creates a cluster, UTF-8 and with a random password that lies in it. It is made aside and renamed: a crash
 * never leaves half of one, and of two processes that do it at once the first wins.
 */
export async function createCluster(
  cluster: string,
  { binaries, user }: { binaries: PostgresBinaries; user: ServerUser | null },
): Promise<void> {
  const aside = fs.mkdtempSync(`${cluster}.new-`);
  const passwordFile = `${aside}.password`;
  try {
    fs.writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (user !== null) for (const made of [aside, passwordFile]) fs.chownSync(made, user.uid, user.gid);
    await runInitdb({ aside, passwordFile, binaries, user });
    fs.renameSync(passwordFile, passwordFileOf(aside));
    fs.renameSync(aside, cluster);
  } catch (error) {
    if (clusterMajor(cluster) === null) throw error;
  } finally {
    for (const left of [aside, passwordFile]) fs.rmSync(left, { recursive: true, force: true });
  }
}

function passwordFileOf(cluster: string): string {
  return path.join(cluster, 'headway.password');
}

type Initdb = { aside: string; passwordFile: string; binaries: PostgresBinaries; user: ServerUser | null };

function runInitdb({ aside, passwordFile, binaries, user }: Initdb): Promise<void> {
  return withServerPaths([aside, passwordFile], user, async ([folder, password], descriptors) => {
    const options = [
      ...['-D', `${folder}`, `--pwfile=${password}`, '-U', superuser, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-instructions'],
    ];
    await finished(
      spawn(binaries.initdb, options, {
        ...user,
        cwd: '/',
        env: serverEnvironment,
        stdio: ['ignore', 'ignore', 'pipe', ...descriptors],
        windowsHide: true,
      }),
    );
  });
}

function finished(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr?.on('data', text => {
      complaint += text;
    });
    child.once('error', cause => {
      const problem = `the PostgreSQL binaries cannot be run here (${cause.message}): set DATABASE_URL to a server of your own`;
      reject(new Error(problem, { cause }));
    });
    child.once('close', code => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`creating the embedded PostgreSQL's data failed (exit ${code}): ${complaint.trim()}`),
        );
    });
  });
}
