import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type RunningHeadway, watchHeadway } from './runningHeadway.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Environment = Readonly<Record<string, string>>;
type RunOptions = { env?: Environment; cwd?: string };

/** What a command did. */
export type Ran = {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** Its standard output, read as one JSON document. */
  json: () => ReturnType<typeof JSON.parse>;
};

/** The real program, in processes of its own; what a test starts ends with it. */
export type Headway = {
  /** A folder of the test file's own: the working directory, and the data folder in it. */
  readonly folder: string;
  /** Runs one command to its end. */
  headway(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Starts what goes on for a while (`start`, `work`, `serve` …); killed after the test if it still runs. */
  startHeadway(command: string, options?: RunOptions): RunningHeadway;
  /** Writes a file into the folder and returns its path. */
  write(name: string, text: string): Promise<string>;
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const secretKey = '5c'.repeat(32);

/**
 * Builds the program once for a test file and runs it with `database`, without anything of this process's
 * environment. Loopback is allowed; the clock is the system's.
 */
export function useHeadway({ databaseUrl }: { databaseUrl: () => string }): Headway {
  let folder = '';
  const running = new Set<Child>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headway-cli-'));
    await build(folder);
  });

  afterEach(async () => {
    for (const child of running) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  function launch(args: readonly string[], { env = {}, cwd = folder }: RunOptions): Child {
    const child = spawn(process.execPath, [join(folder, 'dist/main.js'), ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: databaseUrl(),
        HEADWAY_DATA_DIR: join(folder, 'data'),
        HEADWAY_SECRET_KEY: secretKey,
        HEADWAY_ALLOW_NETWORKS: '127.0.0.0/8',
        PORT: '0',
        ...env,
      },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  return {
    get folder() {
      return folder;
    },
    async headway(args, options = {}) {
      const child = launch(args, options);
      const closed = once(child, 'close');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [exitCode] = await closed;
      return { exitCode, stdout, stderr, json: () => parse(stdout, stderr) };
    },
    startHeadway: (command, options = {}) => watchHeadway(launch(command.split(' '), options)),
    async write(name, text) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
  };
}

function parse(stdout: string, stderr: string) {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`not JSON:\n${stdout}\n${stderr}`);
  }
}

/**
 * Builds the program into a folder, as `dist/`: a start of the built program costs half of one through a
 * loader. What it reads beside itself (migrations, its version, packages) is linked into place.
 */
export async function build(folder: string): Promise<void> {
  for (const name of ['migrations', 'node_modules', 'package.json', 'scripts']) {
    await symlink(join(root, name), join(folder, name));
  }
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const outDir = join(folder, 'dist');
  const args = [
    compiler,
    '-p',
    join(root, 'tsconfig.build.json'),
    '--outDir',
    outDir,
    '--sourceMap',
    'false',
  ];
  await promisify(execFile)(process.execPath, args).catch((error: Error) => {
    // It builds in spite of an error of types, which is the type check's to report.
    if (!existsSync(join(outDir, 'main.js'))) throw error;
  });
}
