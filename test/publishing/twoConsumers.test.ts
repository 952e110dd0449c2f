import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { UnitLocks } from '../../src/database/lockConnection.ts';
import { createLogger } from '../../src/logger.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { publishingTools, succeeded } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';
import type { TickOrder, TickReport } from '../support/tickProcess.ts';
import { until } from '../support/until.ts';

const scene = useScene();
const script = fileURLToPath(new URL('../support/tickProcess.ts', import.meta.url));
const stops: (() => Promise<unknown>)[] = [];
/** Without the lock the server ends the second of two claims, and one of two that meet in recovery (a deadlock). */
const endedByServer = ['route_articles_in_flight', '40P01'];

afterEach(async () => {
  await Promise.all(stops.splice(0).map(stop => stop()));
});

/** Starts a process that ticks on demand, ready to do so at once. */
async function startConsumer(): Promise<(order: TickOrder) => Promise<TickReport>> {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', script, scene.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the consumer has no pipes');
  const exited = once(child, 'exit');
  stops.push(async () => {
    stdin.end();
    await exited;
  });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return async order => {
    stdin.write(`${JSON.stringify(order)}\n`);
    return JSON.parse(String((await lines.next()).value));
  };
}

function openLocks(): UnitLocks {
  const locks = new UnitLocks({ url: scene.url, logger: createLogger('silent') });
  stops.push(() => locks.close());
  return locks;
}

/** Lets nobody through before `count` have come. */
function barrier(count: number): () => Promise<void> {
  let arrived = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return () => {
    if (++arrived >= count) open();
    return opened;
  };
}

function tickWith(workspaceId: number, lock: LockUnit) {
  const job = new PublishNextArticleJob(publishingTools(scene.db, scene.platform), lock);
  return job.handle({ workspaceId }, { clock: scene.clock, signal: new AbortController().signal });
}

async function crowdedWorkspace(columns: Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace(columns);
  const hourly = await scene.channel(workspaceId, { publish_interval_ms: 3_600_000 });
  const quick = await scene.channel(workspaceId, { publish_interval_ms: 600_000 });
  for (let n = 0; n < 30; n++)
    for (const channelId of [hourly, quick]) await scene.article(workspaceId, channelId);
  return { workspaceId, hourly, quick };
}

/** What must hold whatever ran side by side: one a slot, intervals kept, one attempt each. */
async function expectPromisesKept(sent: number) {
  const publications = await scene.db('publications').orderBy('counted_at');
  const attempts = await scene.db('attempts').select('route_article_id', 'outcome');
  expect(publications).toHaveLength(sent);
  expect(publications.every(({ state }) => state === 'published')).toBe(true);
  expect(new Set(publications.map(({ slot_at }) => +slot_at)).size).toBe(sent);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(publications.map(() => 'published'));
  expect(new Set(attempts.map(({ route_article_id }) => route_article_id)).size).toBe(sent);
  const channels = await scene.db('channels').select('id', 'publish_interval_ms');
  for (const { id, publish_interval_ms: interval } of channels) {
    const instants = publications
      .filter(({ channel_id }) => channel_id === id)
      .map(({ counted_at }) => +counted_at);
    const gaps = instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
    expect(gaps.every(gap => gap >= interval)).toBe(true);
  }
  expect(await scene.db('route_articles').where({ queue_state: 3 })).toEqual([]);
}

describe('two ticks of a workspace in one process', () => {
  it('publish one article when both have found it due before either claims it', async () => {
    const workspaceId = await scene.workspace();
    await scene.article(workspaceId, await scene.channel(workspaceId));
    const locks = openLocks();
    const meet = barrier(2);
    const lock: LockUnit = async unit => {
      await meet();
      return locks.tryLock(unit);
    };

    const results = await Promise.all([tickWith(workspaceId, lock), tickWith(workspaceId, lock)]);

    expect(results.map(({ reason }) => reason).sort()).toEqual(['busy', null]);
    expect(scene.platform.posts).toHaveLength(1);
    await expectPromisesKept(1);
  });

  it('publish one article when the second gets the lock after the first is done', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    for (let n = 0; n < 2; n++) await scene.article(workspaceId, channelId);
    const locks = openLocks();
    let firstIsDone: () => void = () => undefined;
    const done = new Promise<void>(resolve => {
      firstIsDone = resolve;
    });

    const second = tickWith(workspaceId, async unit => {
      await done;
      return locks.tryLock(unit);
    });
    const first = await tickWith(workspaceId, unit => locks.tryLock(unit));
    firstIsDone();

    expect(first.outcome).toBe('published');
    expect(await second).toMatchObject({ outcome: 'idle', reason: 'slot_used', tried: [] });
    await expectPromisesKept(1);
  });

  it('never send twice, and keep every promise, even with a lock that excludes nobody', async () => {
    const { workspaceId } = await crowdedWorkspace();
    const noLock: LockUnit = async () => ({
      signal: new AbortController().signal,
      release: async () => undefined,
    });
    const problems = new Set<string>();

    for (let round = 0; round < 15; round++) {
      const meet = barrier(3);
      const lock: LockUnit = async unit => {
        await meet();
        return noLock(unit);
      };
      const ticks = await Promise.allSettled(Array.from({ length: 3 }, () => tickWith(workspaceId, lock)));
      for (const tick of ticks)
        if (tick.status === 'rejected') problems.add(tick.reason.constraint ?? tick.reason.code);
      scene.clock.advance({ minutes: 5 });
    }

    const keys = scene.platform.posts.map(({ postKey }) => postKey);
    const slots = await scene.db('publications').select('slot_at');
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(slots.map(({ slot_at }) => +slot_at)).size).toBe(slots.length);
    expect([...problems].filter(problem => !endedByServer.includes(problem))).toEqual([]);
  });
});

describe('two processes', () => {
  it('publish one article per slot when their ticks start at the same instant', async () => {
    const { workspaceId } = await crowdedWorkspace();
    const consumers = await Promise.all([startConsumer(), startConsumer()]);
    const reports: TickReport[] = [];

    for (let round = 0; round < 12; round++) {
      // Two ticks in each: doubled in a process, and doubled across processes.
      const instants = [scene.clock.now().toISOString(), scene.clock.now().toISOString()];
      const order = { workspaceId, instants, sendTakesMs: round % 3 };
      reports.push(...(await Promise.all(consumers.map(tick => tick(order)))));
      scene.clock.advance({ minutes: 10 });
    }

    const posts = reports.flatMap(report => report.posts);
    expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
    expect(posts).toHaveLength(12);
    expect(new Set(posts).size).toBe(12);
    await expectPromisesKept(12);
  }, 60_000);

  it('keep cap and intervals when they tick in neighbouring slots at once', async () => {
    const { workspaceId } = await crowdedWorkspace({ daily_cap: 7 });
    const [one, other] = await Promise.all([startConsumer(), startConsumer()]);
    const reports: TickReport[] = [];

    for (let round = 0; round < 14; round++) {
      const now = scene.clock.now().toISOString();
      scene.clock.advance({ minutes: 5 });
      const next = scene.clock.now().toISOString();
      const order = { workspaceId, sendTakesMs: round % 2 };
      reports.push(
        ...(await Promise.all([
          one({ ...order, instants: [now, next] }),
          other({ ...order, instants: [next, now] }),
        ])),
      );
    }

    expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
    expect(reports.flatMap(({ posts }) => posts)).toHaveLength(7);
    await expectPromisesKept(7);
  }, 60_000);

  it('recover what a killed process was sending as unknown, and publish on', async () => {
    const { workspaceId, quick } = await crowdedWorkspace();
    const doomed = spawn(process.execPath, ['--import', 'tsx', script, scene.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(doomed, 'exit');
    await once(doomed.stdout, 'data');
    const instants = [scene.clock.now().toISOString()];
    doomed.stdin.write(`${JSON.stringify({ workspaceId, instants, sendTakesMs: 60_000 })}\n`);
    await until(() => scene.db('publications').where({ state: 'sending' }).first());
    const locks = openLocks();
    scene.platform.publish = () => succeeded;

    expect(await tickWith(workspaceId, unit => locks.tryLock(unit))).toMatchObject({
      reason: 'busy',
      tried: [],
    });
    doomed.kill('SIGKILL');
    await exited;
    scene.clock.advance({ minutes: 5 });
    const result = await until(async () => {
      const tick = await tickWith(workspaceId, unit => locks.tryLock(unit));
      return tick.reason !== 'busy' && tick;
    });

    expect(result).toMatchObject({ outcome: 'published' });
    expect(await scene.db('publications').select('state').orderBy('id')).toEqual([
      { state: 'unknown' },
      { state: 'published' },
    ]);
    expect(await scene.db('publications').where({ state: 'published' })).toMatchObject([
      { channel_id: quick },
    ]);
  }, 60_000);
});
