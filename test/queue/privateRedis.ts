import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { until } from '../support/until.ts';

export type PrivateRedis = { url: string; client: Redis; stop(): Promise<void> };

/** Whether tests can have a Redis to themselves; prints why not. */
export function hasRedisServer(): boolean {
  const isThere = spawnSync('redis-server', ['--version']).status === 0;
  if (!isThere)
    process.stderr.write('Tests with a Redis of their own are skipped: no redis-server on the PATH\n');
  return isThere;
}

/** Starts a Redis that a test may flush, misconfigure, and kill. */
export async function startPrivateRedis({ evictionPolicy = 'noeviction' } = {}): Promise<PrivateRedis> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...options, '--maxmemory-policy', evictionPolicy], {
    stdio: 'ignore',
  });
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 20 });
  client.on('error', () => {});
  await until(() => client.status === 'ready');
  return {
    url,
    client,
    async stop() {
      client.disconnect();
      await kill(child);
    },
  };
}

async function kill(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
