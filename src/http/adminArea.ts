import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { timeout } from 'hono/timeout';
import type { TickQueue } from '../queue/store.ts';
import type { LoginAttempt, LoginVerdict } from './adminPassword.ts';
import { bullBoard } from './bullBoard.ts';

/** What the area behind the login needs and has only once the database and the queues are there. */
export type AdminAccess = {
  queues: readonly TickQueue[];
  checkLogin(attempt: LoginAttempt): Promise<LoginVerdict>;
};

/** The area once it is open. */
export type OpenArea = { board: Hono; checkLogin: AdminAccess['checkLogin'] };

const boardPath = '/queues';
// A page must not hang on a queue store that is down.
const answerLimitMs = 15_000;

/** Makes the pages, to be served by `adminArea`. */
export function openArea({ queues, checkLogin }: AdminAccess): OpenArea {
  return { board: bullBoard(queues, boardPath), checkLogin };
}

/** The pages behind the login; all answer 503 as long as `area` says null. */
export function adminArea(area: () => OpenArea | null): Hono {
  const app = new Hono();
  // This pattern matches the board's own path too.
  app.use(`${boardPath}/*`, csrf(), async (_context, next) => {
    if (area() === null) throw refusal(503, 'starting');
    await next();
  });
  app.use(`${boardPath}/*`, basicAuth({ realm: 'Headway', verifyUser: verifier(area) }));
  // The board answers only without the slash.
  app.get(`${boardPath}/`, context => context.redirect(boardPath));
  app.use(`${boardPath}/*`, timeout(answerLimitMs));
  app.all(`${boardPath}/*`, context => {
    const open = area();
    if (open === null) throw refusal(503, 'starting');
    return open.board.fetch(context.req.raw, context.env);
  });
  return app;
}

function verifier(area: () => OpenArea | null) {
  return async (user: string, password: string, context: Context) => {
    const address = getConnInfo(context).remote.address ?? 'unknown';
    const verdict = await area()?.checkLogin({ user, password, address });
    if (verdict === 'throttled') throw refusal(429, 'too many failed log-ins, try again in a minute');
    return verdict === 'accepted';
  };
}

function refusal(status: 429 | 503, error: string) {
  const headers = { 'Content-Type': 'application/json', 'Retry-After': status === 429 ? '60' : '5' };
  return new HTTPException(status, { res: new Response(JSON.stringify({ error }), { status, headers }) });
}
