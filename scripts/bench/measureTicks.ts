import type { Clock } from '../../src/clock.ts';
import { type Database, execute, query } from '../../src/database/Database.ts';
import type { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { TickResult } from '../../src/publishing/tickResult.ts';
import { composeJob } from './composeJob.ts';
import { createScene } from './createScene.ts';
import { addHistory, addReadyArticles } from './loadArticles.ts';
import type { Scene } from './shapes.ts';
import type { BenchServer } from './startBenchServer.ts';
import { median, medianRatio, timeInRounds } from './timing.ts';

export type TickReport = {
  /** An idle tick's time, as a multiple of one `SELECT 1`. */
  idleTick: { ms: number; ratioToSelect1: number };
  /** A publishing tick's time, as a multiple of as many one-row commits as it makes. */
  publishingTick: { ms: number; commits: number; ratioToCommits: number };
};

const startAt = new Date('2026-11-01T12:00:00Z');
const tickIntervalMs = 300_000;
const idleRuns = 50;
// One of each in turn: in a row of its own the floor would find the processor wide awake.
const publishingRuns = 1;
const publishingRoundsPerRound = 10;
const commitProbes = 5;

/** Measures whole ticks, `handle()` of the job, through the product's own pool. */
export async function measureTicks(server: BenchServer, rounds: number): Promise<TickReport> {
  const { db } = await server.createDatabase('ticks');
  const job = composeJob(db);
  const idleTick = await measureIdleTick(db, job, rounds);
  const publishingTick = await measurePublishingTick(db, job, rounds);
  return { idleTick, publishingTick };
}

async function measureIdleTick(
  db: Database,
  job: PublishNextArticleJob,
  rounds: number,
): Promise<TickReport['idleTick']> {
  const scene = await createScene(db, startAt);
  await addHistory(scene, tickIntervalMs);
  const tick = ticker(job, scene, 'nothing_due');
  const selectOne = () => query(db, { name: 'bench-select-1', text: 'select 1' });
  const [ticks = [], floor = []] = await timeInRounds([tick, selectOne], { rounds, runs: idleRuns });
  return { ms: median(ticks.flat()), ratioToSelect1: medianRatio(ticks, floor) };
}

async function measurePublishingTick(
  db: Database,
  job: PublishNextArticleJob,
  rounds: number,
): Promise<TickReport['publishingTick']> {
  const scene = await createScene(db, startAt);
  const turns = rounds * publishingRoundsPerRound;
  await addReadyArticles(scene, commitProbes + (turns + 1) * publishingRuns);
  const tick = ticker(job, scene, null);
  const commits = await countCommits(db, tick);
  const commitRows = async () => {
    for (let commit = 0; commit < commits; commit += 1) {
      await execute(db, updateOneRow, [scene.workspaceId, startAt]);
    }
  };
  const subjects = [tick, commitRows];
  const [ticks = [], floor = []] = await timeInRounds(subjects, { rounds: turns, runs: publishingRuns });
  return { ms: median(ticks.flat()), commits, ratioToCommits: medianRatio(ticks, floor) };
}

// The floor: what one durable change costs here.
const updateOneRow = {
  name: 'bench-update-one-row',
  text: 'update workspaces set live_since = $2 where id = $1',
};

/** Every tick five minutes after the one before, so that each has a slot of its own. Throws when one ends otherwise. */
function ticker(job: PublishNextArticleJob, { workspaceId, at }: Scene, reason: TickResult['reason']) {
  let now = at;
  const clock: Clock = { now: () => now };
  const { signal } = new AbortController();
  return async () => {
    now = new Date(now.getTime() + tickIntervalMs);
    const result = await job.handle({ workspaceId }, { clock, signal });
    if (result.reason !== reason) throw new Error(`a tick ended with ${result.reason} instead of ${reason}`);
  };
}

/**
 * Counts the commits of a tick that wait for the disk: the claim, the gate, the outcome. Each takes one
 * transaction id, and reads take none. Whoever else writes on this server only adds some: the least counts.
 */
async function countCommits(db: Database, tick: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let probe = 0; probe < commitProbes; probe += 1) {
    const before = await nextTransactionId(db);
    await tick();
    least = Math.min(least, (await nextTransactionId(db)) - before);
  }
  return least;
}

async function nextTransactionId(db: Database): Promise<number> {
  const [row] = await query<{ id: number }>(db, selectNextTransactionId);
  return row?.id ?? 0;
}

const selectNextTransactionId = {
  name: 'bench-next-transaction-id',
  text: 'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as id',
};
