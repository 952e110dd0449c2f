import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

const minute = 60_000;

/** Installs Debian packages into the system: as root, or with a sudo that asks for no password. */
export async function installPackages(packages: readonly string[]): Promise<void> {
  const asRoot = process.getuid?.() === 0 ? (['env'] as const) : (['sudo', '-n', 'env'] as const);
  const apt = [...asRoot, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300'];
  const command = ['apt-get', 'install', '--no-install-recommends', ...packages].join(' ');
  try {
    await run(['apt-get', '--version'], { limitMs: minute });
    await run(started(apt, ['update']), { limitMs: 5 * minute });
    await run(started(apt, ['install', '-y', '--no-install-recommends', ...packages]), {
      limitMs: 15 * minute,
    });
  } catch (error) {
    throw new Error(`it needs \`${command}\`, and ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Downloads Debian packages and unpacks them into `folder`, without installing them and without being root: apt
 * works on lists of its own there. `sources` are lines for sources.list; null means the machine's own.
 */
export async function unpackPackages(
  packages: readonly string[],
  { folder, sources }: { folder: string; sources: string | null },
): Promise<void> {
  const own = join(folder, '.apt');
  for (const path of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
    await mkdir(join(own, path), { recursive: true });
  }
  const options = [
    `Dir::State=${own}/state`,
    `Dir::Cache=${own}/cache`,
    'Dir::State::status=/var/lib/dpkg/status',
  ];
  if (sources !== null) {
    await writeFile(join(own, 'sources.list'), `${sources}\n`);
    options.push(`Dir::Etc::sourcelist=${own}/sources.list`, 'Dir::Etc::sourceparts=/dev/null');
  }
  const apt = ['apt-get', '-q', ...options.flatMap(option => ['-o', option])];
  await run(started(apt, ['update']), { limitMs: 5 * minute });
  const cwd = join(own, 'downloads');
  await run(started(apt, ['download', ...packages]), { limitMs: 5 * minute, cwd });
  for (const name of await readdir(cwd)) {
    await run(['dpkg-deb', '-x', join(cwd, name), folder], { limitMs: 2 * minute });
  }
  await rm(own, { recursive: true });
}

function started(apt: readonly string[], args: readonly string[]): [string, ...string[]] {
  const [command = 'apt-get', ...rest] = [...apt, ...args];
  return [command, ...rest];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
