import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TestDatabase } from '../support/database.ts';
import { truncateAll } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type PrivatePostgres, startPrivatePostgres } from './support/privatePostgres.ts';
import { scaledMs, signalLimitMs } from './support/realTime.ts';
import { type FindsOut, useFaultScene } from './support/scene.ts';
import { letTicksPass, pass } from './support/ticks.ts';
import type { Worker } from './support/worker.ts';

const maxConnections = 60;
const segmentBytes = 16 * 1024 * 1024;
const halfPageBytes = 4096;
const awayMs = scaledMs(30_000);
/** Of an outage: how it began, a few kinds of trouble, and one of each tick meanwhile. */
const fewLines = 12 + awayMs / 1_000;
const readyz = z.object({ reasons: z.array(z.string()) });
let postgres: PrivatePostgres;

const database: TestDatabase = {
  get db() {
    return postgres.db;
  },
  get url() {
    return postgres.url;
  },
};

beforeAll(async () => {
  postgres = await startPrivatePostgres({ max_connections: String(maxConnections) });
});

beforeEach(() => truncateAll(postgres.db));

const scene = useFaultScene(database);

afterAll(() => postgres.close());

async function openNews(findsOut: FindsOut = 'by_repeat') {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news', { findsOut }) };
}

/** Resolves with why the worker is not ready, once one of the reasons says `what`. */
async function saysWhy(worker: Worker, what: RegExp): Promise<readonly string[]> {
  let reasons: readonly string[] = [];
  const says = async () => {
    reasons = await reasonsOf(worker);
    return reasons.some(reason => what.test(reason));
  };
  await until(says, { timeoutMs: signalLimitMs }).catch(cause => {
    const why = reasons.join('; ');
    throw new Error(`not ready because of ${why}, and not of ${what}:\n${worker.stderr}`, { cause });
  });
  return reasons;
}

async function isReady(worker: Worker): Promise<void> {
  await until(async () => (await reasonsOf(worker)).length === 0, { timeoutMs: signalLimitMs });
}

async function reasonsOf(worker: Worker): Promise<readonly string[]> {
  const { reasons } = readyz.parse(await (await worker.ask('/readyz')).json());
  return reasons;
}

/** What the worker has logged since there were `before` lines. */
function linesSince(worker: Worker, before: number): readonly string[] {
  return worker.lines.slice(before).map(({ msg }) => String(msg));
}

describe('a PostgreSQL that stops at once in mid-send', () => {
  it('F39 and is back later: the answer is kept, and recorded', async () => {
    const { news } = await openNews('not_at_all');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const [id, next] = [await scene.article(news), await scene.article(news)];
    const worker = await scene.worker({ command: 'start', limits: { sendAnswerMs: 4 * awayMs } });
    await scene.publisher.accepted('news', 1);
    const before = worker.lines.length;

    await postgres.stopAtOnce();
    scene.publisher.release('news');
    await saysWhy(worker, /the database cannot be used/);
    await pass(awayMs);
    await postgres.start();
    const published = await scene.reached(id, 'published');
    await scene.reached(next, 'published');

    expect(published.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(scene.publisher.posts).toHaveLength(2);
    await isReady(worker);
    expect(linesSince(worker, before).length, linesSince(worker, before).join('\n')).toBeLessThan(fewLines);
    await scene.expectInvariants();
  });

  it('F39 with an answer that was lost meanwhile: it becomes unknown', async () => {
    const { news } = await openNews('not_at_all');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    await scene.worker({ limits: { sendAnswerMs: 4 * awayMs } });
    await scene.publisher.accepted('news', 1);

    await postgres.stopAtOnce();
    scene.publisher.dropHeld('news');
    await pass(awayMs);
    await postgres.start();
    const unknown = await scene.reached(id, 'unknown');

    expect(unknown.publish_attempts).toBe(1);
    expect(scene.publisher.posts).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F39 under a worker that dies with it: it becomes unknown', async () => {
    const { news } = await openNews('not_at_all');
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const id = await scene.article(news);
    const killed = await scene.worker({ limits: { sendAnswerMs: 4 * awayMs } });
    await scene.publisher.accepted('news', 1);

    await postgres.stopAtOnce();
    await killed.kill();
    await scene.worker();
    await postgres.start();
    await scene.reached(id, 'unknown');

    expect(await scene.tried(id, 'unknown')).toEqual(['unknown']);
    await scene.expectInvariants();
  });
});

describe('a PostgreSQL that cannot serve', () => {
  it('F43 since every connection of the pool waits: waits are bounded, and it says why', async () => {
    const ids: number[] = [];
    for (let made = 0; made < 24; made += 1) {
      const { news } = await openNews();
      ids.push(await scene.article(news));
    }
    const held = await postgres.db.transaction();
    await held.raw('lock table publications in access exclusive mode');
    const worker = await scene.worker({ command: 'start' });

    const reasons = saysWhy(worker, /the database cannot be used/);
    await reasons.finally(() => held.rollback());
    for (const id of ids) await scene.reached(id, 'published');

    await isReady(worker);
    expect(worker.lines.filter(({ msg }) => String(msg).startsWith('database lost'))).toHaveLength(1);
    expect(scene.publisher.posts).toHaveLength(ids.length);
    await scene.expectInvariants();
  });

  it('F43 since there are too many connections: it says so, and goes on when there are fewer', async () => {
    const { workspaceId, news } = await openNews();
    const worker = await scene.worker({ command: 'start' });
    await letTicksPass(scene.db, workspaceId, 0);
    const before = worker.lines.length;

    const hoard = await takeAllConnections();
    await saysWhy(worker, /too many|remaining connection slots|reserved/).finally(() => pass(awayMs));
    const during = linesSince(worker, before);
    await Promise.all(hoard.map(client => client.end()));
    const id = await scene.article(news);
    await scene.reached(id, 'published');

    await isReady(worker);
    expect(during.length, during.join('\n')).toBeLessThan(fewLines);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });

  it('F43 since it is read-only: it says so, and goes on when it is not', async () => {
    const { news } = await openNews();
    const worker = await scene.worker({ command: 'start' });
    const first = await scene.article(news);
    await scene.reached(first, 'published');
    const before = worker.lines.length;

    const id = await scene.article(news, { approval_status: 'pending' });
    await scene.db('route_articles').where({ id }).update({ approval_status: 'approved' });
    await postgres.setReadOnly(true);
    const saysSo = saysWhy(worker, /read-only/).then(() => pass(awayMs));
    await saysSo.finally(() => postgres.setReadOnly(false));
    const during = linesSince(worker, before);
    await scene.reached(id, 'published');

    await isReady(worker);
    expect(during.length, during.join('\n')).toBeLessThan(fewLines);
    expect(worker.isRunning).toBe(true);
    await scene.expectInvariants();
  });

  const tables = [
    ['at the gate', 'publications', 0],
    ['at the record', 'attempts', 1],
  ] as const;

  it.for(tables)(
    'F43 since the disk is full %s: it says so, and goes on when there is room',
    async ([, table, accepted]) => {
      // What is on the disk need not be written again, beyond a limit that was not there before.
      await postgres.db.raw('checkpoint');
      await postgres.stopAtOnce();
      await postgres.start({}, { maxFileBytes: segmentBytes + halfPageBytes });
      const { news } = await openNews('not_at_all');
      const id = await scene.article(news);
      await fill(table);
      const worker = await scene.worker({ command: 'start' });

      await saysWhy(worker, /could not extend|disk full|No space/).then(() => pass(awayMs));
      const during = linesSince(worker, 0);
      const acceptedThen = scene.publisher.posts.length;
      await postgres.stopAtOnce();
      await postgres.start();
      await empty(table);
      const published = await scene.reached(id, 'published');

      expect(acceptedThen).toBe(accepted);
      expect(published.publish_attempts).toBe(1);
      expect(during.length, during.join('\n')).toBeLessThan(fewLines);
      expect(scene.publisher.posts).toHaveLength(1);
      await isReady(worker);
      await scene.expectInvariants();
    },
  );
});

/** Opens connections until the server has no other ones. */
async function takeAllConnections(): Promise<readonly pg.Client[]> {
  const hoard: pg.Client[] = [];
  const others = `pid <> pg_backend_pid() and datname = current_database() and application_name <> 'hoard'`;
  const isComplete = async () => {
    const client = new pg.Client({ connectionString: postgres.url, application_name: 'hoard' });
    client.on('error', () => {});
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    );
    if (isOpen) hoard.push(client);
    else await hoard[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
    return hoard.length >= maxConnections;
  };
  await until(isComplete, { timeoutMs: signalLimitMs, intervalMs: 0 });
  return hoard;
}

const fillings = {
  publications: `
    insert into publications (workspace_id, channel_id, route_article_id, url_key, generation, state, post,
                              counted_at, sending_at, send_by, published_at)
    select 0, 0, 0, gen_random_uuid(), 1, 'published', jsonb_build_object('postKey', left(repeat(md5(n::text), 40), ?)),
           '-infinity', '-infinity', '-infinity', '-infinity' from generate_series(1, ?) n`,
  attempts: `
    insert into attempts (workspace_id, channel_id, route_article_id, attempt, outcome, detail, attempted_at, duration_ms)
    select 0, 0, 0, 1, 'published', left(repeat(md5(n::text), 40), ?), '-infinity', 0 from generate_series(1, ?) n`,
};

/** Fills a table until it cannot grow, to its last gaps; whom its rows belong to nobody asks. */
async function fill(table: keyof typeof fillings): Promise<void> {
  await postgres.db.transaction(async trx => {
    await trx.raw('set session_replication_role = replica');
    for (const [bytes, rows] of [
      [1_000, 500],
      [1_000, 20],
      [0, 20],
      [0, 1],
    ] as const) {
      let isFull = false;
      while (!isFull) {
        await trx
          .transaction(inner => inner.raw(fillings[table], [bytes, rows]))
          .catch(error => {
            if (!String(error).includes('could not extend')) throw error;
            isFull = true;
          });
      }
    }
    await trx.raw('set session_replication_role = default');
  });
}

async function empty(table: keyof typeof fillings): Promise<void> {
  await until(() => postgres.db(table).where({ workspace_id: 0 }).delete());
}
