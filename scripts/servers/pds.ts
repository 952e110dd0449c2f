import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf } from './hashOf.ts';
import type { Installer } from './Installer.ts';
import { run } from './run.ts';

const manifest = fileURLToPath(new URL('./pds/', import.meta.url));
const files = ['package.json', 'package-lock.json'];

/** A Bluesky PDS and the directory of identities (PLC) that it registers accounts with. */
export const pdsInstaller: Installer = {
  name: 'pds',
  // Its SQLite is compiled for one version of Node's binary interface.
  edition: `${hashOf(join(manifest, 'package-lock.json'))}-node${process.versions.modules}-${process.arch}`,
  system: null,
  async install(folder) {
    for (const name of files) await copyFile(join(manifest, name), join(folder, name));
    await run(['npm', 'ci', '--no-audit', '--no-fund', '--strict-peer-deps=false'], {
      cwd: folder,
      limitMs: 20 * 60_000,
    });
    await run([process.execPath, '-e', 'new (require("better-sqlite3"))(":memory:")'], {
      cwd: folder,
      limitMs: 30_000,
    });
  },
};
