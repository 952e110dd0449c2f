import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { TickQueue } from '../queue/store.ts';

/**
 * Bull Board at `basePath`, without any protection of its own. Read only: its buttons bypass our rules (a
 * retried tick is a tick out of turn, a promoted one eats the next slot).
 */
export function bullBoard(queues: readonly TickQueue[], basePath: string): Hono {
  const adapter = new HonoAdapter(serveStatic);
  adapter.setBasePath(basePath);
  createBullBoard({
    queues: queues.map(queue => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Headway' } },
  });
  return new Hono().route(basePath, adapter.registerPlugin());
}
