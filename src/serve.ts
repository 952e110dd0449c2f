import { type App, openApp } from './app.ts';
import { ConsumerRecord, thisConsumer } from './ConsumerRecord.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { createDatabaseHealth } from './database/DatabaseHealth.ts';
import { holdOn } from './database/holdOn.ts';
import { withAdvisoryLock } from './database/withAdvisoryLock.ts';
import { openAdminPassword } from './http/adminPassword.ts';
import type { Readiness } from './http/health.ts';
import { type HttpServer, startServer } from './http/server.ts';
import type { Logger } from './logger.ts';
import { listWorkspaces } from './models/workspaces.ts';
import { WorkspaceGoneError } from './publishing/PublishNextArticleJob.ts';
import { TickJournal } from './publishing/TickJournal.ts';
import type { TickResult } from './publishing/tickResult.ts';
import { queueNames } from './queue/schedule.ts';
import { type Queues, type QueuesOptions, startQueues } from './queue/startQueues.ts';
import type { QueueStore } from './queue/store.ts';
import { withinLimit } from './queue/withinLimit.ts';
import { findObstacles } from './readiness.ts';

/** The last part of the grace, for what follows the sends: writing their outcomes, closing connections. */
const afterSendsMs = 3_000;
/** And of that, for what follows the ticks. */
const afterTicksMs = 1_000;
/** For each thing that is stopped on the way and on which nothing depends. */
const partLimitMs = 500;

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

/** `opening`: queues that take ticks already, and are not all there yet. */
type Running = {
  app: App;
  opening: Queues | null;
  queues: Queues | null;
  journal: TickJournal;
  record: ConsumerRecord;
};

/**
 * Runs Headway until it is told to stop, then stops it in order: no new claims, what was claimed and not begun
 * is given back, sends that are under way may end, locks, queues, database. The web side listens first, so
 * that it can say why the rest is not there yet: a database or a Redis that is away is waited for, for ever.
 * Rejects when it cannot run at all (a port that is taken, a database that is newer).
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, logger, hasWeb, stopping } = options;
  const health = createDatabaseHealth(logger);
  let refusal: string | null = null;
  let running: Running | null = null;
  const readiness = async () => {
    if (stopping.aborted) return ['stopping'];
    if (!running) return [notYet(health.trouble ?? refusal)];
    const { app, queues } = running;
    const obstacles = await findObstacles({ db: app.db, health, queues }, systemClock.now());
    return queues ? obstacles : ['starting: the queues are not open yet', ...obstacles];
  };
  const web = hasWeb ? await openWeb(config, logger, readiness) : null;
  const cutOff = new AbortController();
  try {
    const waiting = { signal: stopping, giveUpAfterMs: null, attach: false };
    const onRefusal = (reason: string) => {
      refusal = reason;
    };
    const app = await openApp({ config, logger, health, onRefusal, ...waiting });
    const journal = new TickJournal(app.db, logger, health);
    const opened: Running = { app, opening: null, queues: null, journal, record: openRecord(options, app) };
    running = opened;
    const hold = { health, signal: stopping };
    const queues = await holdOn(() => openQueues(options, opened, cutOff.signal), hold);
    opened.queues = queues;
    app.onLocksLost(() => queues.giveBackLost());
    if (web) await holdOn(() => openAdmin(options, app, queues, web), hold);
    logger.info({ store: queues.status().store, isWorker: options.isWorker }, 'started');
    await options.onRunning?.({ app, queues, web });
    await aborted(stopping);
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    await stop(config, logger, { running, web, cutOff });
  }
}

function notYet(reason: string | null): string {
  return `starting: the database is not there yet${reason === null ? '' : ` (${reason})`}`;
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
  running: Running,
  cutOff: AbortSignal,
): Promise<Queues> {
  const { app, journal, record } = running;
  const store: QueueStore = config.redisUrl
    ? { kind: 'redis', url: config.redisUrl }
    : { kind: 'postgres', url: app.databaseUrl };
  const clock = systemClock;
  const publish = async ({ workspaceId }: { workspaceId: number }, signal: AbortSignal) => {
    const context = { clock, signal: AbortSignal.any([signal, stopping]), cutOff };
    const result = await app.publishNextArticle.handle({ workspaceId }, context).catch(gone);
    if (!result) return { workspaceId, outcome: 'gone' };
    journal.note(workspaceId, clock.now());
    onTick?.(result);
    return result;
  };
  const ingest = (_payload: unknown, signal: AbortSignal) => {
    return app.ingestFeeds.handle({}, { clock, signal: AbortSignal.any([signal, stopping]) });
  };
  const runImports = (_payload: unknown, signal: AbortSignal) => {
    return app.runImports.handle({}, { clock, signal: AbortSignal.any([signal, stopping]) });
  };
  const enrich = (_payload: unknown, signal: AbortSignal) => {
    return app.enrichArticles.handle({}, { clock, signal: AbortSignal.any([signal, stopping]) });
  };
  journal.start();
  if (isWorker) record.start();
  const options: QueuesOptions = {
    store,
    tasks: {
      publishing: { run: publish, consumer: app.consumers.publishing },
      ingestion: { run: ingest, consumer: app.consumers.ingestion },
      imports: { run: runImports, consumer: app.consumers.imports },
      enrichment: { run: enrich, consumer: app.consumers.enrichment },
    },
    listTicking: () => listWorkspaces(app.db),
    withLock: (key, work) => withAdvisoryLock(app.db, key, work),
    logger,
    clock,
    ingestEveryMs: config.ingestEveryMs,
    limits: config.limits,
    health: app.health,
    isWorker,
    signal: stopping,
  };
  return startQueues(options, queues => {
    running.opening = queues;
  });
}

function openRecord({ config, logger, hasWeb }: ServeOptions, { db }: App): ConsumerRecord {
  const queues = Object.values(queueNames);
  const consumer = thisConsumer({ role: hasWeb ? 'start' : 'work', queues });
  return new ConsumerRecord({ db, logger, clock: systemClock, everyMs: config.limits.lockAskMs, consumer });
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
  web.openAdminArea({ db: app.db, queues: queues.queues, checkLogin: login.check });
}

type Parts = { running: Running | null; web: HttpServer | null; cutOff: AbortController };

// Each part has a limit of its own: whatever is down, all of it ends within the grace and a few seconds.
async function stop(config: Config, logger: Logger, { running, web, cutOff }: Parts): Promise<void> {
  logger.info('stopping');
  const queues = running?.queues ?? running?.opening;
  const { shutdownGraceMs } = config;
  const limit = setTimeout(() => cutOff.abort(), Math.max(0, shutdownGraceMs - afterSendsMs));
  await queues?.drain(Math.max(0, shutdownGraceMs - afterTicksMs));
  clearTimeout(limit);
  const part = async (work: Promise<void> | undefined, what: string) => {
    if (!work) return;
    const late = (error: unknown) => logger.warn({ err: error }, 'a part was not stopped in time');
    await withinLimit(work, partLimitMs, what).catch(late);
  };
  await Promise.all([
    part(running?.journal.stop(), 'writing down the last ticks'),
    part(running?.record.stop(), 'striking this process out'),
    part(web?.close(), 'closing the web side'),
  ]);
  await running?.app.releaseLocks();
  await queues?.close();
  await running?.app.close();
  logger.info('stopped');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
