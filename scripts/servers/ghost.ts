import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Installer } from './Installer.ts';
import { run } from './run.ts';

const version = '5.130.6';
const minute = 60_000;
const manifest = z.record(z.string(), z.unknown());

/** Ghost, the last version that runs on Node 20. Two of its parts are compiled, which takes most of its time. */
export const ghostInstaller: Installer = {
  name: 'ghost',
  edition: `${version}-node${process.versions.modules}-${process.arch}`,
  system: null,
  async install(folder) {
    // As a dependency it cannot be installed: it names parts by paths inside its own package.
    await run(['npm', 'pack', '--silent', `ghost@${version}`], { cwd: folder, limitMs: 5 * minute });
    const archive = join(folder, `ghost-${version}.tgz`);
    await run(['tar', '-xzf', archive, '--strip-components=1'], { cwd: folder, limitMs: minute });
    await rm(archive);
    await leaveOutDevelopment(folder);
    await run(['npm', 'install', '--legacy-peer-deps', '--omit=dev', '--no-audit', '--no-fund'], {
      cwd: folder,
      limitMs: 40 * minute,
    });
    await mkdir(join(folder, 'content/logs'), { recursive: true });
  },
};

// Parts of its development come from GitHub, and its lock file is Yarn's.
async function leaveOutDevelopment(folder: string): Promise<void> {
  const path = join(folder, 'package.json');
  const { devDependencies, resolutions, ...rest } = manifest.parse(JSON.parse(await readFile(path, 'utf8')));
  await writeFile(path, JSON.stringify(rest));
  await rm(join(folder, 'yarn.lock'), { force: true });
}
