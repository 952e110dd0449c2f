import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findPostgresBinaries,
  hydrateSymlinks,
  type PostgresBinaries,
  usableBinaries,
} from '../../src/database/postgresBinaries.ts';

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-binaries-'));
  fs.chmodSync(folder, 0o755);
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

describe('findPostgresBinaries', () => {
  it('prefers the first for a new cluster', () => {
    const found = findPostgresBinaries(null, [installed(18), installed(15)]);

    expect(found.major).toBe(18);
  });

  it('takes the version that wrote an existing cluster', () => {
    const found = findPostgresBinaries(15, [installed(18), installed(15)]);

    expect(found.major).toBe(15);
  });

  it('names DATABASE_URL when there is none', () => {
    const find = () => findPostgresBinaries(null, []);

    expect(find).toThrow(/no PostgreSQL 15 or newer to run .*found: none.*set DATABASE_URL/);
  });

  it('names the version that the data needs', () => {
    const find = () => findPostgresBinaries(16, [installed(18), installed(15)]);

    expect(find).toThrow(/no PostgreSQL 16 to run .*found: 18, 15/);
  });
});

describe('hydrateSymlinks', () => {
  it('makes the links that an install without scripts leaves out, and keeps those that are there', () => {
    const root = packageWithLinks();

    const results = [hydrateSymlinks(root), hydrateSymlinks(root)];

    expect(results).toEqual([true, true]);
    expect(fs.readFileSync(path.join(root, 'lib', 'libone.so.1'), 'utf8')).toBe('library');
  });
});

describe('usableBinaries', () => {
  it('leaves binaries that can be used where they are', () => {
    const binaries = { ...installed(18), root: packageWithLinks() };

    const usable = usableBinaries(binaries, { home: folder, user: null });

    expect(usable).toBe(binaries);
  });

  it('uses a copy with its links when the package cannot be written', () => {
    const root = packageWithLinks();
    const binaries = { ...installed(18), root, postgres: path.join(root, 'bin', 'postgres') };
    // A folder of that name stands in the link's way, as a read-only file system would, for root too.
    fs.rmSync(path.join(root, 'lib'), { recursive: true });
    fs.writeFileSync(path.join(root, 'lib'), 'no folder');

    const usable = usableBinaries(binaries, { home: path.join(folder, 'home'), user: null });

    expect(usable.postgres).toMatch(/home\/binaries-[0-9a-f]{16}\/native\/bin\/postgres$/);
    expect(fs.readFileSync(usable.postgres, 'utf8')).toBe('program');
  });
});

function installed(major: number): PostgresBinaries {
  const root = `/opt/postgresql/${major}`;
  return { root, major, initdb: `${root}/bin/initdb`, postgres: `${root}/bin/postgres` };
}

function packageWithLinks(): string {
  const root = path.join(folder, 'package', 'native');
  for (const name of ['bin', 'lib']) fs.mkdirSync(path.join(root, name), { recursive: true });
  fs.writeFileSync(path.join(root, 'bin', 'postgres'), 'program');
  fs.writeFileSync(path.join(root, 'lib', 'libone.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libone.so.1.2', target: 'native/lib/libone.so.1' }];
  fs.writeFileSync(path.join(root, 'pg-symlinks.json'), JSON.stringify(links));
  return root;
}
