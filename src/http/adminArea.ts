import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { timeout } from 'hono/timeout';
import type { Database } from '../database/Database.ts';
import type { TickQueue } from '../queue/store.ts';
import type { LoginAttempt, LoginVerdict } from './adminPassword.ts';
import { bullBoard } from './bullBoard.ts';
import { importsApi } from './importsApi.ts';

/** What the area behind the login needs and has only once the database and the queues are there. */
export type AdminAccess = {
  db: Database;
  queues: readonly TickQueue[];
  checkLogin(attempt: LoginAttempt): Promise<LoginVerdict>;
};

/** The area once it is open. */
export type OpenArea = { pages: Hono; checkLogin: AdminAccess['checkLogin'] };

const boardPath = '/queues';
const apiPath = '/api/v1';
// A page must not hang on a queue store that is down.
const answerLimitMs = 15_000;

/** Makes the pages, to be served by `adminArea`. */
export function openArea({ db, queues, checkLogin }: AdminAccess): OpenArea {
  const pages = new Hono().route('/', bullBoard(queues, boardPath)).route('/', importsApi(db, apiPath));
  return { pages, checkLogin };
}

/** The pages behind the login; all answer 503 as long as `area` says null. */
export function adminArea(area: () => OpenArea | null): Hono {
  const app = new Hono();
  // These patterns match the paths before the slash too.
  for (const paths of [`${boardPath}/*`, `${apiPath}/*`]) {
    app.use(paths, csrf(), async (_context, next) => {
      if (area() === null) throw refusal(503, 'starting');
      await next();
    });
    app.use(paths, basicAuth({ realm: 'Headway', verifyUser: verifier(area) }), timeout(answerLimitMs));
    // The board answers only without the slash.
    app.get(`${boardPath}/`, context => context.redirect(boardPath));
    app.all(paths, context => {
      const open = area();
      if (open === null) throw refusal(503, 'starting');
      return open.pages.fetch(context.req.raw, context.env);
    });
  }
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
