import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../test/faults/support/freePort.ts';
import { until } from '../../test/support/until.ts';

/** A Redis to be stopped, emptied and killed. It keeps nothing on disk. */
export type RedisServer = {
  readonly url: string;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Empties it; one that is just being started again is waited for, and is empty anyway. */
  flush(): Promise<void>;
  kill(): Promise<void>;
  /** Starts it, empty, on its port, unless it runs. */
  start(): Promise<void>;
};

/** Starts a Redis; null where the machine has none. */
export async function startRedisServer(): Promise<RedisServer | null> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null;
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  let child: ChildProcess | null = null;

  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async flush() {
      const isDone = async () => (await command(port, 'FLUSHALL').catch(() => '')).startsWith('+OK');
      await until(isDone, { timeoutMs: answerLimitMs });
    },
    async kill() {
      const killed = child;
      child = null;
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return;
      const ended = once(killed, 'exit');
      killed.kill('SIGKILL');
      await ended;
    },
    async start() {
      child ??= spawn('redis-server', [...options, '--maxmemory-policy', 'noeviction', '--dir', '/'], {
        stdio: 'ignore',
      });
      await until(async () => (await command(port, 'PING')).startsWith('+PONG'));
    },
  };
  await server.start();
  return server;
}

const answerLimitMs = 20_000;

async function command(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(`${text}\r\n`));
  try {
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(answerLimitMs) });
    return String(answer);
  } finally {
    socket.destroy();
  }
}
