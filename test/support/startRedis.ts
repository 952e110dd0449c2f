import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { until } from './until.ts';

type TestRedis = { url: string; stop(): Promise<void> };

/**
 * The Redis of TEST_REDIS_URL, or one of our own that keeps nothing on disk. Null where there is neither:
 * prints why the Redis suites are skipped.
 */
export async function startRedis(): Promise<TestRedis | null> {
  const url = process.env.TEST_REDIS_URL;
  if (url !== undefined && url !== '') return { url, stop: async () => undefined };
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...options, '--maxmemory-policy', 'noeviction', '--dir', '/'], {
    stdio: 'ignore',
  });
  if (!(await hasStarted(child))) {
    process.stderr.write(
      'Redis suites are skipped: no redis-server on the PATH and TEST_REDIS_URL is not set\n',
    );
    return null;
  }
  process.once('exit', () => child.kill('SIGKILL'));
  await until(() => answers(port));
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function hasStarted(child: ChildProcess): Promise<boolean> {
  return new Promise(resolve => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.end('PING\r\n'));
    socket.once('data', reply => resolve(String(reply).startsWith('+PONG')));
    socket.once('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
