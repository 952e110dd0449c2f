import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../../support/until.ts';
import { freePort } from './freePort.ts';

/** A Redis of a test's own that can be killed and started again, on its port. */
export type RestartableRedis = {
  readonly url: string;
  readonly client: Redis;
  /** With -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Starts it. `isPersistent`: what it has answered is on the disk, and there again after a kill. */
export async function startRestartableRedis({
  isPersistent,
}: {
  isPersistent: boolean;
}): Promise<RestartableRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'headway-redis-'));
  const port = await freePort();
  const keeping = isPersistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...keeping];
  const client = new Redis(`redis://127.0.0.1:${port}`, { retryStrategy: () => 20, lazyConnect: true });
  client.on('error', () => {});
  let server: ChildProcess | null = null;

  async function start() {
    server = spawn('redis-server', [...options, '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' });
    if (client.status === 'wait') void client.connect().catch(() => undefined);
    await until(async () => client.status === 'ready' && (await client.ping()) === 'PONG');
  }

  async function kill() {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    await until(() => client.status !== 'ready');
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    client,
    kill,
    start,
    async close() {
      client.disconnect();
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
