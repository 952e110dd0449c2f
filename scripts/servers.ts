import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installServers } from './servers/installServers.ts';
import { type Servers, serverNames, serversVariable } from './servers/servers.ts';

// npm run test:servers [-- what Vitest takes, such as a file or -t revoked]
//
// Installs the servers that are not there yet, then runs the tests against them.
//   HEADWAY_SERVERS_DIR          where they are installed; default node_modules/.cache/headway-servers
//   HEADWAY_SERVERS_GHOST=1      Ghost too, which takes 3 to 11 minutes to install
//   HEADWAY_SERVERS_REQUIRED=1   a server that cannot be installed is a failure; otherwise its tests are skipped

const ownFolder = fileURLToPath(new URL('../node_modules/.cache/headway-servers', import.meta.url));

await main();

async function main(): Promise<void> {
  const { HEADWAY_SERVERS_DIR: folder = '', HEADWAY_SERVERS_GHOST, HEADWAY_SERVERS_REQUIRED } = process.env;
  const servers = await installServers({
    folder: folder === '' ? ownFolder : resolve(folder),
    withGhost: HEADWAY_SERVERS_GHOST === '1',
    say: line => console.log(line),
  });
  const missing = tellWhatIsLeftOut(servers);
  if (missing && HEADWAY_SERVERS_REQUIRED === '1') {
    console.error('HEADWAY_SERVERS_REQUIRED=1: no server may be missing');
    process.exitCode = 1;
    return;
  }
  runTests(servers);
}

/** Says of each server that is left out why, once. Answers whether one is missing that was asked for. */
function tellWhatIsLeftOut(servers: Servers): boolean {
  let isOneMissing = false;
  for (const name of serverNames) {
    const server = servers[name];
    if (server.kind === 'installed') continue;
    console.log(`${name} is left out, its tests are skipped: ${server.reason}`);
    isOneMissing ||= server.kind === 'missing';
  }
  return isOneMissing;
}

function runTests(servers: Servers): void {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const args = [vitest, 'run', '--project', 'servers', ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, [serversVariable]: JSON.stringify(servers) },
  });
  child.on('exit', code => {
    process.exitCode = code ?? 1;
  });
}
