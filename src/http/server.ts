import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import type { Logger } from '../logger.ts';
import { type AdminAccess, adminArea, type OpenArea, openArea } from './adminArea.ts';
import { healthRoutes, type Readiness } from './health.ts';

export type ServerOptions = {
  /** 0: any free port. */
  port: number;
  host: string;
  /** Answers `/readyz`; one that takes longer than 2 s counts as not ready. */
  readiness: Readiness;
  logger: Logger;
};

export type HttpServer = {
  port: number;
  /** Opens the pages behind the login; until then they answer 503. */
  openAdminArea(access: AdminAccess): void;
  /** Stops listening and drops the connections that are open. */
  close(): Promise<void>;
};

/**
 * Starts to listen, before the database or anything else is there: whoever watches the process must be
 * able to ask it why it is not ready. Rejects if the port is taken.
 */
export async function startServer({ port, host, readiness, logger }: ServerOptions): Promise<HttpServer> {
  let area: OpenArea | null = null;
  const app = composeApp({ readiness, logger, area: () => area });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, host);
  await once(server, 'listening');

  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    openAdminArea(access) {
      area = openArea(access);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

function composeApp({
  readiness,
  logger,
  area,
}: Pick<ServerOptions, 'readiness' | 'logger'> & { area: () => OpenArea | null }): Hono {
  const app = new Hono();
  app.use(secureHeaders(headers));
  app.get('/', context => context.redirect('/queues'));
  app.route('/', healthRoutes(readiness, logger));
  app.route('/', adminArea(area));
  app.notFound(context => context.json({ error: 'not found' }, 404));
  app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    logger.error({ err: error, path: context.req.path }, 'request failed');
    return context.json({ error: 'internal error' }, 500);
  });
  return app;
}

const headers: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: {
    defaultSrc: ["'self'"],
    // Bull Board styles inline. It asks Google for fonts too, which stays refused: nothing that an
    // operator looks at is told to a third party.
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'", 'data:'],
    objectSrc: ["'none'"],
    baseUri: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  // Without a referrer at all, older browsers send no origin with a form either, and CSRF checks it.
  referrerPolicy: 'same-origin',
  // Whether a domain and all below it speak TLS is for the proxy in front to say.
  strictTransportSecurity: false,
};
