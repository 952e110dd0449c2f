import { Hono } from 'hono';
import type { Logger } from '../logger.ts';

/** Why the process is not ready, a sentence each; none: it is. */
export type Readiness = () => Promise<readonly string[]>;

const limitMs = 2_000;

/**
 * `/healthz`: the process lives. `/readyz`: it does its work, or why not. Neither asks for a login, so
 * that whatever restarts or watches the process can read them.
 */
export function healthRoutes(readiness: Readiness, logger: Logger): Hono {
  const readReasons = shared(readiness, logger);
  const app = new Hono();
  app.get('/healthz', context => context.json({ status: 'ok' }));
  app.get('/readyz', async context => {
    const reasons = await withinLimit(readReasons());
    const isReady = reasons.length === 0;
    return context.json({ ready: isReady, reasons }, isReady ? 200 : 503);
  });
  return app;
}

// Probes that arrive while one is under way share its answer: a database that hangs must not pile them up.
function shared(readiness: Readiness, logger: Logger): Readiness {
  let underWay: Promise<readonly string[]> | null = null;

  async function read() {
    try {
      return await readiness();
    } catch (error) {
      logger.warn({ err: error }, 'readiness check failed');
      return ['readiness check failed'];
    } finally {
      underWay = null;
    }
  }

  return () => {
    underWay ??= read();
    return underWay;
  };
}

async function withinLimit(reasons: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<readonly string[]>(resolve => {
    timer = setTimeout(() => resolve([`readiness check did not end within ${limitMs} ms`]), limitMs);
  });
  try {
    return await Promise.race([reasons, limit]);
  } finally {
    clearTimeout(timer);
  }
}
