import fs from 'node:fs';
import path from 'node:path';

/** Who runs the server: ids for `spawn`. */
export type ServerUser = { uid: number; gid: number };

/**
 * PostgreSQL refuses to run as root. Answers with the user to drop to, or null when this process is not
 * root and can run the server itself. An existing cluster decides by its owner; a new one goes to the user
 * "postgres", or to "nobody" where there is none. Throws when root finds neither.
 */
export function unprivilegedUser(cluster: string): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  return ownerOf(cluster) ?? userNamed('postgres') ?? userNamed('nobody') ?? refuseRoot();
}

/** Whether `user` may enter every folder above `target`. */
export function canReach(user: ServerUser, target: string): boolean {
  const folder = path.dirname(path.resolve(target));
  if (!mayEnter(user, folder)) return false;
  return folder === path.dirname(folder) || canReach(user, folder);
}

function ownerOf(cluster: string): ServerUser | null {
  const stat = fs.statSync(cluster, { throwIfNoEntry: false });
  return stat === undefined || stat.uid === 0 ? null : { uid: stat.uid, gid: stat.gid };
}

// Read from the file rather than asked of `id`, which an empty PATH would hide.
function userNamed(name: string): ServerUser | null {
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(entry => entry.startsWith(`${name}:`));
  if (line === undefined) return null;
  const [, , uid, gid] = line.split(':');
  // Some systems write nobody's ids as -2.
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

function refuseRoot(): never {
  throw new Error(
    'the embedded PostgreSQL cannot run as root, and there is neither a user "postgres" nor "nobody" to drop to: ' +
      'run Headway as an ordinary user, or set DATABASE_URL',
  );
}

function mayEnter(user: ServerUser, folder: string): boolean {
  const { uid, gid, mode } = fs.statSync(folder);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
