import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoginAttempt } from '../../src/http/adminPassword.ts';
import type { Readiness } from '../../src/http/health.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { type OpenQueue, openQueue } from '../../src/queue/store.ts';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import { collectingLogger } from '../queue/logLines.ts';
import { storeKinds, useStore } from '../queue/stores.ts';
import { useDatabase } from '../support/database.ts';

const password = 'correct horse';
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
const loggedIn = { headers: { authorization } };

const servers: HttpServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start({ readiness = async () => [] }: { readiness?: Readiness } = {}) {
  const { logger, lines } = collectingLogger();
  const server = await startServer({ port: 0, host: '127.0.0.1', readiness, logger });
  servers.push(server);
  const origin = `http://127.0.0.1:${server.port}`;
  const ask = (path: string, request: RequestInit = {}) =>
    fetch(`${origin}${path}`, { redirect: 'manual', ...request });
  return { server, origin, ask, lines };
}

const checkLogin = async ({ user, password: given }: LoginAttempt) =>
  user === 'admin' && given === password ? 'accepted' : 'refused';

describe('startServer', () => {
  it('says that the process lives, without a login', async () => {
    const { ask } = await start({ readiness: async () => ['database not reachable'] });

    const answer = await ask('/healthz');

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ok' });
  });

  it('is ready when there is no reason not to be', async () => {
    const { ask } = await start();

    const answer = await ask('/readyz');

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ready: true, reasons: [] });
  });

  it('says why it is not ready', async () => {
    const reasons = ['no tick since 2026-09-07T08:30:00.000Z (workspace default)', 'database not reachable'];
    const { ask } = await start({ readiness: async () => reasons });

    const answer = await ask('/readyz');

    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ ready: false, reasons });
  });

  it('is not ready while the check hangs, and asks only once for all probes', async () => {
    let asked = 0;
    const { ask } = await start({
      readiness: () => {
        asked += 1;
        return new Promise(() => {});
      },
    });

    const answers = await Promise.all([ask('/readyz'), ask('/readyz'), ask('/readyz')]);

    expect(answers.map(answer => answer.status)).toEqual([503, 503, 503]);
    expect(await answers[0]?.json()).toEqual({
      ready: false,
      reasons: ['readiness check did not end within 2000 ms'],
    });
    expect(asked).toBe(1);
  });

  it('is not ready when the check fails, and logs why without telling strangers', async () => {
    const { ask, lines } = await start({
      readiness: async () => {
        throw new Error('password authentication failed for user "headway"');
      },
    });

    const answer = await ask('/readyz');

    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ ready: false, reasons: ['readiness check failed'] });
    expect(lines[0]?.err?.message).toContain('headway');
  });

  it('leads from the root to the queues', async () => {
    const { ask } = await start();

    const answer = await ask('/');

    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/queues']);
  });

  it('answers what it does not know with JSON', async () => {
    const { ask } = await start();

    const answer = await ask('/nowhere');

    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: 'not found' });
  });

  it.each(['/queues', '/api/v1/imports'])(
    'answers 503 for %s as long as that area is not open',
    async path => {
      const { ask } = await start();

      const answer = await ask(path, loggedIn);

      expect(answer.status).toBe(503);
      expect(await answer.json()).toEqual({ error: 'starting' });
    },
  );

  it('rejects when its port is taken', async () => {
    const { server } = await start();
    const { logger } = collectingLogger();

    const second = startServer({ port: server.port, host: '127.0.0.1', readiness: async () => [], logger });

    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe.each(storeKinds)('the admin area over queues on %s', kind => {
  const database = useDatabase();
  const testStore = useStore(kind);
  let publishing: OpenQueue;
  let failedJobId: string;

  beforeEach(async () => {
    const store = await testStore.open();
    publishing = openQueue(store, 'publishing', createStoreErrors(collectingLogger().logger));
    await publishing.queue.waitUntilReady();
    failedJobId = String((await publishing.queue.add('publish-next-article', { workspaceId: 1 })).id);
  });

  afterEach(async () => {
    await publishing.close(1_000);
  });

  async function startOpen() {
    const started = await start();
    started.server.openAdminArea({ db: database.db, queues: [publishing.queue], checkLogin });
    return started;
  }

  it.each(['/queues', '/queues/', '/queues/api/queues', '/queues/static/images/logo.svg', '/api/v1/imports'])(
    'asks for a login before %s',
    async path => {
      const { ask } = await startOpen();

      const stranger = await ask(path);
      const mistaken = await ask(path, {
        headers: { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` },
      });

      expect([stranger.status, mistaken.status]).toEqual([401, 401]);
      expect(stranger.headers.get('www-authenticate')).toContain('Basic');
    },
  );

  it('shows the board, with headers that let its own scripts run and no others', async () => {
    const { ask } = await startOpen();

    const page = await ask('/queues', loggedIn);

    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('<base href="/queues/"');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const inline = [...html.matchAll(/<script(?![^>]*(src=|application\/json))/g)];
    expect(inline).toEqual([]);
    const script = /src="(static\/js\/[^"]+)"/.exec(html)?.[1];
    const answer = await ask(`/queues/${script}`, loggedIn);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('javascript'),
    ]);
  });

  it('leads from the slash to the board', async () => {
    const { ask } = await startOpen();

    const answer = await ask('/queues/', loggedIn);

    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/queues']);
  });

  it('lists the queues as read only, with their jobs', async () => {
    const { ask } = await startOpen();

    const answer = await ask(
      '/queues/api/queues?activeQueue=publishing&status=latest&page=1&jobsPerPage=10',
      loggedIn,
    );

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      queues: [
        { name: 'publishing', readOnlyMode: true, jobs: [{ id: failedJobId, data: { workspaceId: 1 } }] },
      ],
    });
  });

  it.each([
    ['PUT', (id: string) => `/queues/api/queues/publishing/${id}/retry`],
    ['PUT', (id: string) => `/queues/api/queues/publishing/${id}/promote`],
    ['PUT', (id: string) => `/queues/api/queues/publishing/${id}/clean`],
    ['PUT', () => '/queues/api/queues/publishing/retry/failed'],
    ['PUT', () => '/queues/api/queues/publishing/promote'],
    ['PUT', () => '/queues/api/queues/publishing/pause'],
    ['PUT', () => '/queues/api/queues/publishing/empty'],
    ['PUT', () => '/queues/api/queues/publishing/obliterate'],
    ['PUT', () => '/queues/api/queues/publishing/job-schedulers/publish-next-article:1/run'],
    ['PUT', () => '/queues/api/queues/publishing/job-schedulers/publish-next-article:1/remove'],
    ['POST', () => '/queues/api/queues/publishing/add'],
  ])('refuses %s %s: the queues are read only', async (method, path) => {
    const { ask, origin } = await startOpen();
    const headers = { ...loggedIn.headers, origin, 'content-type': 'application/json' };

    const answer = await ask(path(failedJobId), { method, headers, body: '{}' });

    expect(answer.status).toBe(405);
    expect(await publishing.queue.getJobCounts('waiting')).toEqual({ waiting: 1 });
  });

  it('refuses a form that another site posts with the operator logged in', async () => {
    const { ask } = await startOpen();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const headers = {
      ...loggedIn.headers,
      ...form,
      origin: 'https://evil.test',
      'sec-fetch-site': 'cross-site',
    };

    const answer = await ask('/queues/api/queues/publishing/add', {
      method: 'POST',
      headers,
      body: 'name=x',
    });

    expect(answer.status).toBe(403);
  });

  it('tells an address that failed too often to wait', async () => {
    const { server, ask } = await start();
    server.openAdminArea({
      db: database.db,
      queues: [publishing.queue],
      checkLogin: async () => 'throttled',
    });

    const answer = await ask('/queues', loggedIn);

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
  });

  it('checks a login with the address that it came from', async () => {
    const attempts: LoginAttempt[] = [];
    const { server, ask } = await start();
    server.openAdminArea({
      db: database.db,
      queues: [publishing.queue],
      checkLogin: async attempt => {
        attempts.push(attempt);
        return 'accepted';
      },
    });

    await ask('/queues', loggedIn);

    expect(attempts).toEqual([{ user: 'admin', password, address: '127.0.0.1' }]);
  });
});
