import { join } from 'node:path';
import { unpackPackages } from './apt.ts';
import type { Installer } from './Installer.ts';
import { run } from './run.ts';

// Debian 13 has the version that our tests know; it also runs on Debian 12, which has none.
const sources =
  'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main';

/** snac2, a small server that speaks Mastodon's API. */
export const snacInstaller: Installer = {
  name: 'snac',
  edition: `trixie-${process.arch}`,
  system: null,
  async install(folder) {
    await unpackPackages(['snac2'], { folder, sources });
    const libraries = await run(['ldd', snacProgram(folder)], { limitMs: 10_000 });
    const missing = libraries.split('\n').filter(line => line.includes('not found'));
    if (missing.length > 0)
      throw new Error(`it needs libraries: ${missing.map(line => line.trim()).join(', ')}`);
  },
};

export function snacProgram(folder: string): string {
  return join(folder, 'usr/bin/snac');
}
