import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { LogLine } from './recordingLogger.ts';
import { until } from './until.ts';

/** A server of ours in a process of its own. */
export type RunningHeadway = {
  readonly stdout: string;
  readonly stderr: string;
  /** Its log so far. */
  readonly lines: readonly LogLine[];
  /** The first log line with this text, once it is there; throws with the whole log if it never comes. */
  logged(msg: string): Promise<LogLine>;
  /** Asks its web side, once that listens. */
  ask(path: string, request?: RequestInit): Promise<Response>;
  signal(signal: NodeJS.Signals): void;
  /** How it ended, once it has. */
  ended(): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>;
};

const startLimitMs = 20_000;

/** Reads along with a child process that is to run for a while. */
export function watchHeadway(child: ChildProcess): RunningHeadway {
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  const closed = once(child, 'close');

  const running: RunningHeadway = {
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    get lines() {
      return stderr().split('\n').slice(0, -1).flatMap(parseLine);
    },
    async logged(msg) {
      const find = () => running.lines.find(line => line.msg === msg);
      const isOver = () => child.exitCode !== null || child.signalCode !== null;
      await until(() => find() !== undefined || isOver(), { timeoutMs: startLimitMs }).catch(() => {});
      const found = find();
      if (!found) throw new Error(`never logged "${msg}", but:\n${stdout()}${stderr()}`);
      return found;
    },
    async ask(path, request = {}) {
      const { port } = await running.logged('web side started');
      return fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...request });
    },
    signal: signal => void child.kill(signal),
    async ended() {
      const [exitCode, signal] = await closed;
      return { exitCode, signal };
    },
  };
  return running;
}

function gather(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', chunk => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

// What is no log line is for people.
function parseLine(line: string): LogLine[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
