import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Limits } from '../../../src/limits.ts';
import { type RunningHeadway, watchHeadway } from '../../support/runningHeadway.ts';
import { until } from '../../support/until.ts';
import type { Fault } from './Fault.ts';
import { limitSettings, signalLimitMs } from './realTime.ts';

/** The built program in a process of its own, with whatever is to befall it. */
export type Worker = RunningHeadway & {
  readonly pid: number;
  readonly isRunning: boolean;
  /** Kills it with -9; resolves when it has ended. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM; resolves when it has ended, with how long that took. */
  stop(): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null; tookMs: number }>;
  /** Resolves with the saboteur's lines once there are `count` of them. */
  struck(count?: number): Promise<readonly string[]>;
  /** Resolves with the log lines of this text once there are `count` of them. */
  loggedTimes(msg: string, count: number): Promise<readonly RunningHeadway['lines'][number][]>;
  /** Shifts its clock, in milliseconds from the real time; resolves once it is. Needs `clockOffsetMs`. */
  shiftClock(offsetMs: number): Promise<void>;
};

export type WorkerOptions = {
  command?: 'start' | 'work' | 'serve';
  /** Where the built program is: `programFolder` of the global set-up. */
  programFolder: string;
  databaseUrl: string;
  /** Default: the queues are in PostgreSQL. */
  redisUrl?: string | null;
  faults?: readonly Fault[];
  /** Limits other than those of this run. */
  limits?: Partial<Limits>;
  /** Megabytes of heap: a small one dies soon of `oom`. */
  heapMb?: number;
  /** How far its clock is from the real time at first: makes `shiftClock` possible. */
  clockOffsetMs?: number;
  env?: Readonly<Record<string, string>>;
};

const saboteur = new URL('./saboteur.mjs', import.meta.url).href;
const secretKey = '5c'.repeat(32);
const shiftedTo = (offsetMs: number) => `clock: shifted to ${offsetMs} ms`;

/** Starts the program. Who starts it ends it: `kill()` also where it has ended by itself. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { command = 'work', programFolder, heapMb, clockOffsetMs, env = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), 'headway-worker-'));
  const clockFile = join(folder, 'clock');
  await setClock(clockFile, clockOffsetMs ?? 0);
  const nodeOptions = [`--import=${saboteur}`, heapMb === undefined ? '' : `--max-old-space-size=${heapMb}`];
  const child = spawn(process.execPath, [join(programFolder, 'dist/main.js'), command], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: nodeOptions.join(' ').trim(),
      DATABASE_URL: options.databaseUrl,
      ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
      ...(options.faults ? { FAULT: JSON.stringify(options.faults) } : {}),
      ...(clockOffsetMs === undefined ? {} : { FAULT_CLOCK: clockFile }),
      HEADWAY_DATA_DIR: join(folder, 'data'),
      HEADWAY_SECRET_KEY: secretKey,
      HEADWAY_ALLOW_NETWORKS: '127.0.0.0/8',
      PORT: '0',
      ...limitSettings(options.limits),
      ...env,
    },
  });
  child.once('exit', () => void rm(folder, { recursive: true, force: true }));
  return watch(child, clockFile);
}

function watch(child: ChildProcess, clockFile: string): Worker {
  const running = watchHeadway(child);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const strikes = () => running.stderr.split('\n').filter(line => line.startsWith('saboteur: '));
  const gathered = async <Line>(what: string, lines: () => readonly Line[], count: number) => {
    await until(() => lines().length >= count, { timeoutMs: signalLimitMs }).catch(cause => {
      throw new Error(`not ${count} times: ${what}, but:\n${running.stderr}`, { cause });
    });
    return lines();
  };

  const more: Omit<Worker, keyof RunningHeadway | 'isRunning'> = {
    pid: child.pid ?? 0,
    async kill() {
      if (!isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      const toldMs = performance.now();
      child.kill('SIGTERM');
      const end = await running.ended();
      return { ...end, tookMs: performance.now() - toldMs };
    },
    struck: (count = 1) => gathered('a strike', strikes, count),
    loggedTimes: (msg, count) => gathered(msg, () => running.lines.filter(line => line.msg === msg), count),
    async shiftClock(offsetMs) {
      const shifts = () => running.stderr.split('\n').filter(line => line === shiftedTo(offsetMs));
      const count = shifts().length + 1;
      await setClock(clockFile, offsetMs);
      await gathered('a shift of the clock', shifts, count);
    },
  };
  // Not spread: what it reads along is behind getters.
  return Object.defineProperty(Object.assign(running, { ...more, isRunning: true }), 'isRunning', {
    get: isRunning,
  });
}

// Renamed into place: it is read at any moment, and never half of it.
async function setClock(clockFile: string, offsetMs: number): Promise<void> {
  await writeFile(`${clockFile}.new`, String(offsetMs));
  await rename(`${clockFile}.new`, clockFile);
}
