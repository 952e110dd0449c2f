import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LaunchedPostgres, type LaunchOptions, launchPostgres } from './launchPostgres.ts';

/** A server that is started again when it ends by itself, on the same port. `stop` is safe to call twice. */
export type SupervisedPostgres = { port: number; stop(): Promise<void> };

const firstWaitMs = 200;
const longestWaitMs = 5_000;

/**
 * Starts a server on a free port and keeps it running: one that is killed (out of memory, say) must not leave
 * this process alive without a database. Throws what `launchPostgres` throws for the first start; later ones
 * are tried until they succeed or `stop` is called.
 */
export async function superviseLaunch(options: LaunchOptions): Promise<SupervisedPostgres> {
  const port = await freePort();
  const stopping = new AbortController();
  let server = await launchPostgres(options, port);
  const supervising = supervise();
  return {
    port,
    async stop() {
      stopping.abort();
      await server.stop();
      await supervising;
      await server.stop();
    },
  };

  async function supervise(): Promise<void> {
    for (;;) {
      await server.ended;
      if (stopping.signal.aborted) return;
      options.logger.error('embedded PostgreSQL ended by itself: starting it again');
      const next = await relaunch(options, port, stopping.signal);
      if (next === null) return;
      server = next;
      options.logger.info({ port }, 'embedded PostgreSQL started again');
    }
  }
}

/** Null: told to stop first. */
async function relaunch(
  options: LaunchOptions,
  port: number,
  signal: AbortSignal,
): Promise<LaunchedPostgres | null> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await launchPostgres(options, port);
    } catch (error) {
      options.logger.warn({ err: error }, 'embedded PostgreSQL not started: trying again');
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
