import { afterEach, beforeEach, inject } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { useDatabase } from '../../support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from '../../support/factories.ts';
import { until } from '../../support/until.ts';
import { endLookUpWaits, endWaits } from './endWaits.ts';
import { type FakePublisher, openFakePublisher } from './fakePublisher.ts';
import type { History } from './history.ts';
import { expectInvariants, type InvariantsRequest } from './invariants.ts';
import './provided.ts';
import { signalLimitMs } from './realTime.ts';
import { recordTransitions } from './transitions.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

type Columns = Readonly<Record<string, unknown>>;
type WorkerChoices = Partial<Omit<WorkerOptions, 'programFolder'>>;

/** How a channel finds out about a lost answer; only for `repeat` the publisher drops an id that it knows. */
export type FindsOut = 'by_repeat' | 'by_look_up' | 'not_at_all';

type ChannelOptions = { findsOut?: FindsOut; settings?: Columns; columns?: Columns };

/** What a fault test works with: everything is new for each test, and ends with it. */
export type FaultScene = {
  readonly db: Database;
  readonly url: string;
  readonly publisher: FakePublisher;
  /** Inserts a workspace that ticks every second. */
  workspace(columns?: Columns): Promise<number>;
  /**
   * Inserts a webhook channel to a path of the publisher. `findsOut`, default by a repeat, decides how it finds
   * out about a lost answer, and how the path deals with ids; `settings` come on top.
   */
  channel(workspaceId: number, path: string, options?: ChannelOptions): Promise<number>;
  /** Inserts a ready article; of those that a test inserts, the first is the oldest. */
  article(channelId: number, columns?: Columns): Promise<number>;
  /** The route article as stored, by column name. */
  row(routeArticleId: number): ReturnType<typeof routeArticle>;
  /** Resolves with the row once it has this publish status. */
  reached(routeArticleId: number, publishStatus: string): ReturnType<typeof routeArticle>;
  /** Resolves with the outcomes of all its tries, oldest first, once one of them is this. */
  tried(routeArticleId: number, outcome: string): Promise<readonly string[]>;
  /** Starts a worker of the built program; killed after the test. */
  worker(choices?: WorkerChoices): Promise<Worker>;
  /** As `reached` for an unknown outcome, whose waits for the next look-up or repeat are ended meanwhile. */
  settled(routeArticleId: number, publishStatus: string): ReturnType<typeof routeArticle>;
  /** Ends every wait, as time would. */
  endWaits(): Promise<void>;
  /** Asserts I1 to I6 of all that happened in the test. */
  expectInvariants(options?: Partial<Omit<InvariantsRequest, 'publisher'>>): Promise<History>;
};

const tickMs = 1_000;

/**
 * Gives a test file the usual scene. `database` names another one than the shared server's, such as a private
 * PostgreSQL; it is asked inside hooks and tests only.
 */
export function useFaultScene(
  database: { readonly db: Database; readonly url: string } = useDatabase(),
): FaultScene {
  const workers = new Set<Worker>();
  let publisher: FakePublisher | null = null;
  const opened = () => {
    if (publisher === null) throw new Error('the publisher exists only inside hooks and tests');
    return publisher;
  };

  beforeEach(async () => {
    publisher = await openFakePublisher();
    await recordTransitions(database.db);
  });

  afterEach(async () => {
    for (const worker of workers) await worker.kill();
    workers.clear();
    await publisher?.close();
    publisher = null;
  });

  return {
    get db() {
      return database.db;
    },
    get url() {
      return database.url;
    },
    get publisher() {
      return opened();
    },
    workspace: (columns = {}) =>
      createWorkspace(database.db, { created_at: systemClock.now(), tick_interval_ms: tickMs, ...columns }),
    channel(workspaceId, path, { findsOut = 'by_repeat', settings = {}, columns = {} } = {}) {
      const url = `${opened().url}/${path}`;
      opened().setDedupes(path, findsOut === 'by_repeat');
      return createChannel(database.db, workspaceId, {
        platform: 'webhook',
        settings: { url, ...findingOut(findsOut, url), ...settings },
        ...columns,
      });
    },
    async article(channelId, columns = {}) {
      const { workspace_id: workspaceId } = await database.db('channels').where({ id: channelId }).first();
      return createRouteArticle(database.db, { workspaceId, channelId }, columns);
    },
    row: id => routeArticle(database.db, id),
    async reached(id, publishStatus) {
      const stands = async () => {
        const row = await routeArticle(database.db, id);
        return row.publish_status === publishStatus && row;
      };
      return until(stands, { timeoutMs: signalLimitMs }).catch(async cause => {
        const row = JSON.stringify(await routeArticle(database.db, id));
        throw new Error(`route article ${id} was never ${publishStatus}: ${row}`, { cause });
      });
    },
    async settled(id, publishStatus) {
      const stands = async () => {
        const row = await routeArticle(database.db, id);
        if (row.publish_status === publishStatus) return row;
        await endLookUpWaits(database.db);
      };
      return until(stands, { timeoutMs: signalLimitMs, intervalMs: 200 });
    },
    tried(id, outcome) {
      const outcomes = () =>
        database.db('attempts').where({ route_article_id: id }).orderBy('id').pluck('outcome');
      const isThere = async () => {
        const tried: string[] = await outcomes();
        return tried.includes(outcome) && tried;
      };
      return until(isThere, { timeoutMs: signalLimitMs }).catch(async cause => {
        throw new Error(`route article ${id} was never ${outcome}, but ${await outcomes()}`, { cause });
      });
    },
    async worker(choices = {}) {
      const programFolder = inject('programFolder');
      const worker = await startWorker({ databaseUrl: database.url, ...choices, programFolder });
      workers.add(worker);
      return worker;
    },
    endWaits: () => endWaits(database.db),
    expectInvariants: (options = {}) =>
      expectInvariants({ db: database.db, publisher: opened(), ...options }),
  };
}

function findingOut(findsOut: FindsOut, url: string): Columns {
  if (findsOut === 'by_look_up') return { statusUrl: `${url}/status/{id}` };
  return findsOut === 'not_at_all' ? { ignoresIds: true } : {};
}
