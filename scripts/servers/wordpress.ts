import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPackages } from './apt.ts';
import { hashOf } from './hashOf.ts';
import type { Installer } from './Installer.ts';
import { run } from './run.ts';

const phpModules = ['curl', 'mbstring', 'mysqli', 'xml'];
const configuration = fileURLToPath(new URL('./wordpress/wp-config.php', import.meta.url));

/**
 * Debian's WordPress with PHP and MariaDB. The package itself is unpacked and not installed, since it would bring
 * a web server that starts with the machine; with it come the packages that its symbolic links lead to.
 */
export const wordpressInstaller: Installer = {
  name: 'wordpress',
  edition: `debian-${hashOf(configuration)}`,
  system: {
    packages: [
      'php-cli',
      'php-mysql',
      'php-xml',
      'php-mbstring',
      'php-curl',
      'mariadb-server-core',
      'mariadb-client-core',
    ],
    arePresent: async () => mariadbProgram() !== null && (await hasPhp()),
  },
  async install(folder) {
    const packages = ['wordpress', 'php-getid3', 'libjs-cropper', 'libjs-underscore'];
    await unpackPackages(packages, { folder, sources: null });
    await copyFile(configuration, join(wordpressFolder(folder), 'wp-config.php'));
  },
};

/** Where WordPress's own files are; nothing writes there while it runs. */
export function wordpressFolder(folder: string): string {
  return join(folder, 'usr/share/wordpress');
}

/** MariaDB's server, which is not on the PATH of everybody; null where there is none. */
export function mariadbProgram(): string | null {
  return ['/usr/sbin/mariadbd', '/usr/bin/mariadbd'].find(existsSync) ?? null;
}

async function hasPhp(): Promise<boolean> {
  const modules = await run(['php', '-m'], { limitMs: 10_000 }).catch(() => '');
  const present = new Set(modules.split('\n'));
  return phpModules.every(name => present.has(name));
}
