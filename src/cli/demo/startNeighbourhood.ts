import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The same depth from src/cli/demo/ and from dist/cli/demo/.
const folder = fileURLToPath(new URL('../../../scripts/demo/', import.meta.url));
const feedTypes: Readonly<Record<string, string>> = {
  'harbour-gazette.xml': 'application/rss+xml; charset=utf-8',
  'northshore-wire.atom': 'application/atom+xml; charset=utf-8',
  'makers-notebook.json': 'application/feed+json; charset=utf-8',
};
const failingOnce = 'Storm warning lifted along the north shore';

/** The demo's outside world. */
export type Neighbourhood = {
  url: string;
  /** Titles that the receiver has taken, in their order. */
  received: readonly string[];
  close(): Promise<void>;
};

/**
 * Serves the demo's feeds and receives its webhooks, on a free loopback port: `/hook` takes them (but one
 * story fails once), `/busy` answers 429 for an hour.
 */
export async function startNeighbourhood(): Promise<Neighbourhood> {
  const received: string[] = [];
  const server = serve({ fetch: routes(received).fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise<void>(resolve => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: async () => {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  };
}

function routes(received: string[]): Hono {
  const failed = new Set<string>();
  return new Hono()
    .get('/feeds/:name', async context => {
      const name = context.req.param('name');
      const type = feedTypes[name];
      if (!type) return context.notFound();
      return context.body(await readFile(`${folder}${name}`, 'utf8'), 200, { 'content-type': type });
    })
    .post('/busy', context => context.text('come back in an hour', 429, { 'retry-after': '3600' }))
    .post('/partner', context => context.body(null, 204))
    .post('/hook', async context => {
      const { title } = (await context.req.json()).data;
      if (title === failingOnce && !failed.has(title)) {
        failed.add(title);
        return context.text('out of paper', 500);
      }
      received.push(title);
      return context.body(null, 204);
    });
}
