import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackages } from './apt.ts';
import { ghostInstaller } from './ghost.ts';
import type { Installer } from './Installer.ts';
import { withLock } from './lock.ts';
import { pdsInstaller } from './pds.ts';
import type { Server, Servers } from './servers.ts';
import { snacInstaller } from './snac.ts';
import { wordpressInstaller } from './wordpress.ts';

export type InstallOptions = {
  /** The cache: one folder per server and edition. */
  folder: string;
  /** Ghost takes minutes to install, up to 11 on a slow machine. */
  withGhost: boolean;
  say(line: string): void;
};

const ghostLeftOut: Server = {
  kind: 'not_asked_for',
  reason: 'HEADWAY_SERVERS_GHOST=1 installs it, which takes 3 to 11 minutes',
};

/** Installs what is not there yet, the quick ones first. What cannot be installed is missing, with the reason. */
export async function installServers(options: InstallOptions): Promise<Servers> {
  return {
    snac: await installServer(snacInstaller, options),
    wordpress: await installServer(wordpressInstaller, options),
    pds: await installServer(pdsInstaller, options),
    ghost: options.withGhost ? await installServer(ghostInstaller, options) : ghostLeftOut,
  };
}

async function installServer(installer: Installer, { folder, say }: InstallOptions): Promise<Server> {
  const target = join(folder, `${installer.name}-${installer.edition}`);
  try {
    if (await isInstalled(installer, target)) return { kind: 'installed', folder: target };
    await withLock(join(folder, 'lock'), {
      work: () => installInto(target, { installer, say }),
      onWait: () => say(`${installer.name}: waiting for another run that is installing`),
    });
    return { kind: 'installed', folder: target };
  } catch (error) {
    return { kind: 'missing', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function isInstalled({ system }: Installer, target: string): Promise<boolean> {
  return existsSync(target) && (system === null || (await system.arePresent()));
}

async function installInto(
  target: string,
  { installer, say }: { installer: Installer; say: (line: string) => void },
): Promise<void> {
  // Whoever held the lock before may have done it.
  if (await isInstalled(installer, target)) return;
  const startedAt = performance.now();
  say(`${installer.name}: installing`);
  const { system } = installer;
  if (system !== null && !(await system.arePresent())) await installPackages(system.packages);
  if (!existsSync(target)) await fill(target, installer);
  say(`${installer.name}: installed in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

// Filled beside its place and moved there when complete: what is there can be used, whatever was interrupted.
async function fill(target: string, installer: Installer): Promise<void> {
  const folder = join(target, '..');
  await mkdir(folder, { recursive: true });
  const unfinished = '.unfinished-';
  for (const name of await readdir(folder)) {
    if (name.startsWith(unfinished)) await rm(join(folder, name), { recursive: true, force: true });
  }
  const place = await mkdtemp(join(folder, unfinished));
  try {
    await installer.install(place);
    await rename(place, target);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
