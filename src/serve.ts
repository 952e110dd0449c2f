import { type App, openApp } from './app.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { withAdvisoryLock } from './database/withAdvisoryLock.ts';
import { openAdminPassword } from './http/adminPassword.ts';
import type { Readiness } from './http/health.ts';
import { type HttpServer, startServer } from './http/server.ts';
import type { Logger } from './logger.ts';
import { listWorkspaces } from './models/workspaces.ts';
import { WorkspaceGoneError } from './publishing/PublishNextArticleJob.ts';
import { TickJournal } from './publishing/TickJournal.ts';
import type { TickResult } from './publishing/tickResult.ts';
import { type Queues, startQueues } from './queue/startQueues.ts';
import type { QueueStore } from './queue/store.ts';
import { findObstacles } from './readiness.ts';

/** The last part of the grace, for what follows the sends: writing their outcomes, closing connections. */
const afterSendsMs = 3_000;

export type ServeOptions = {
  config: Config;
  logger: Logger;
  isWorker: boolean;
  hasWeb: boolean;
  /** Aborted by the first signal to stop. */
  stopping: AbortSignal;
  /** Tells a person something once, such as a generated password. */
  announce: (text: string) => void;
  /** Called with what each tick of this process did. */
  onTick?: (result: TickResult) => void;
  /** Called when everything runs. */
  onRunning?: (running: { app: App; queues: Queues; web: HttpServer | null }) => void | Promise<void>;
};

type Running = { app: App; queues: Queues | null; journal: TickJournal };

/**
 * Runs Headway until it is told to stop, then stops it in order: no new claims, sends that are under way
 * may end, locks, queues, database. The web side listens first, so that it can say why the rest is not
 * there yet. Rejects when it cannot run at all (a port that is taken, a database that is newer).
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, logger, hasWeb, stopping } = options;
  let running: Running | null = null;
  const readiness = async () => {
    if (!running) return ['starting: the database is not there yet'];
    return findObstacles({ db: running.app.db, queues: running.queues }, systemClock.now());
  };
  const web = hasWeb ? await openWeb(config, logger, readiness) : null;
  const cutOff = new AbortController();
  try {
    const app = await openApp({ config, logger, signal: stopping, giveUpAfterMs: null, attach: false });
    const journal = new TickJournal(app.db, logger);
    running = { app, queues: null, journal };
    running.queues = await openQueues(options, running, cutOff.signal);
    if (web) await openAdmin(options, app, running.queues, web);
    logger.info({ store: running.queues.status().store, isWorker: options.isWorker }, 'started');
    await options.onRunning?.({ app, queues: running.queues, web });
    await aborted(stopping);
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    await stop(config, logger, { running, web, cutOff });
  }
}

async function openWeb({ host, port }: Config, logger: Logger, readiness: Readiness): Promise<HttpServer> {
  try {
    const web = await startServer({ host, port, readiness, logger });
    logger.info({ host, port: web.port }, 'web side started');
    return web;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'set PORT to one that is free and HEADWAY_HOST to an address of this machine';
    throw new Error(`The web side cannot listen on port ${port} of ${host} (${reason}): ${advice}.`, {
      cause,
    });
  }
}

async function openQueues(
  { config, logger, isWorker, stopping, onTick }: ServeOptions,
  { app, journal }: Running,
  cutOff: AbortSignal,
): Promise<Queues> {
  const store: QueueStore = config.redisUrl
    ? { kind: 'redis', url: config.redisUrl }
    : { kind: 'postgres', url: app.databaseUrl };
  const clock = systemClock;
  journal.start();
  return startQueues({
    store,
    jobs: {
      publish: async (workspaceId, signal) => {
        const context = { clock, signal: AbortSignal.any([signal, stopping]), cutOff };
        const result = await app.publishNextArticle.handle({ workspaceId }, context).catch(gone);
        if (!result) return { workspaceId, outcome: 'gone' };
        journal.note(workspaceId, clock.now());
        onTick?.(result);
        return result;
      },
      ingest: signal => app.ingestFeeds.handle({}, { clock, signal: AbortSignal.any([signal, stopping]) }),
    },
    listTicking: () => listWorkspaces(app.db),
    withLock: (key, work) => withAdvisoryLock(app.db, key, work),
    logger,
    clock,
    ingestEveryMs: config.ingestEveryMs,
    isWorker,
  });
}

// Archived or deleted while its tick waited: no fault, and the next reconciliation ends its scheduler.
function gone(error: unknown): null {
  if (error instanceof WorkspaceGoneError) return null;
  throw error;
}

async function openAdmin({ config, announce }: ServeOptions, app: App, queues: Queues, web: HttpServer) {
  const login = await openAdminPassword({ db: app.db, configured: config.adminPassword, clock: systemClock });
  if (login.generated) {
    announce(`The password of "admin" is ${login.generated}\nIt is kept hashed and not shown again.`);
  }
  web.openAdminArea({ queues: queues.queues, checkLogin: login.check });
}

type Parts = { running: Running | null; web: HttpServer | null; cutOff: AbortController };

async function stop(config: Config, logger: Logger, { running, web, cutOff }: Parts): Promise<void> {
  logger.info('stopping');
  const sendsMayTakeMs = Math.max(0, config.shutdownGraceMs - afterSendsMs);
  const limit = setTimeout(() => cutOff.abort(), sendsMayTakeMs);
  await running?.queues?.stop(config.shutdownGraceMs);
  clearTimeout(limit);
  await running?.journal.stop();
  await web?.close();
  await running?.app.close();
  logger.info('stopped');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
