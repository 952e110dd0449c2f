import fs from 'node:fs';
import { canReach, type ServerUser } from './unprivilegedUser.ts';

const firstExtraDescriptor = 3;

/**
 * Hands paths to a child that runs as `user` (null: as this process). Below a folder that this user may not
 * enter (root's home, say) the child gets an open descriptor and the name that Linux gives it, so that the
 * data stays where the operator put it. `run` spawns the child with `descriptors` from number 3 on.
 * Throws where the path is out of reach and the system has no such names.
 */
export async function withServerPaths<Result>(
  paths: readonly string[],
  user: ServerUser | null,
  run: (paths: readonly string[], descriptors: number[]) => Promise<Result>,
): Promise<Result> {
  const descriptors: number[] = [];
  try {
    const reachable = paths.map(path => {
      if (user === null || canReach(user, path)) return path;
      if (process.platform !== 'linux') throw unreachable(path, user);
      return `/proc/self/fd/${firstExtraDescriptor + descriptors.push(fs.openSync(path, 'r')) - 1}`;
    });
    return await run(reachable, descriptors);
  } finally {
    for (const descriptor of descriptors) fs.closeSync(descriptor);
  }
}

function unreachable(path: string, user: ServerUser): Error {
  return new Error(
    `the embedded PostgreSQL runs as user ${user.uid}, who may not enter a folder above ${path}: ` +
      'run Headway as an ordinary user, or set HEADWAY_DATA_DIR or DATABASE_URL',
  );
}
