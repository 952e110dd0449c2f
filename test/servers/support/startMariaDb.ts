import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keep } from '../../../scripts/servers/keep.ts';
import { run } from '../../../scripts/servers/run.ts';
import { mariadbProgram } from '../../../scripts/servers/wordpress.ts';
import { becomesReady } from './becomesReady.ts';

export type MariaDb = { socket: string; stop(): Promise<void> };

const limitMs = 60_000;
const initialise = 'mariadb-install-db "$@" --auth-root-authentication-method=normal --skip-test-db';
const serve =
  'exec "$PROGRAM" "$@" --socket="$SOCKET" --pid-file="$SOCKET.pid" --skip-networking' +
  ' --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=0 --performance-schema=OFF';

/** Starts a MariaDB that listens on a socket only, with an empty database `wordpress` for its user `root`. */
export async function startMariaDb(): Promise<MariaDb> {
  const program = mariadbProgram();
  if (program === null) throw new Error('there is no mariadbd on this machine');
  const folder = await mkdtemp(join(tmpdir(), 'headway-mariadb-'));
  const socket = join(folder, 'socket');
  // It refuses to run as root unless told to.
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const options = ['--no-defaults', `--datadir=${join(folder, 'data')}`, ...user];
  const server = keep({
    command: 'sh',
    args: ['-c', `${initialise} && ${serve}`, 'sh', ...options],
    folder,
    // Two that initialise side by side in one folder for temporary files take each other's tables away.
    env: { PROGRAM: program, SOCKET: socket, TMPDIR: folder },
  });
  const createDatabase = ['-e', 'create database wordpress character set utf8mb4'];
  const isReady = async () => {
    await run(['mariadb', '--no-defaults', `--socket=${socket}`, '-uroot', ...createDatabase], { limitMs });
    return true;
  };
  try {
    if (!(await becomesReady(server, { isReady, limitMs }))) throw new Error(server.output());
  } catch (cause) {
    await server.stop();
    throw new Error('MariaDB did not start', { cause });
  }
  return { socket, stop: () => server.stop() };
}
