import { dueForPublishing } from '../../src/models/routeArticles.ts';
import { countPages } from './countPages.ts';
import { createScene } from './createScene.ts';
import { maintain } from './loadRows.ts';
import { dueRows, type Scene, type Shape, shapes } from './shapes.ts';
import type { BenchServer } from './startBenchServer.ts';
import { median, timeInRounds } from './timing.ts';

/** `pages` and `ms` are those of every look after the first, which also marks dead index entries. */
export type CandidateRow = {
  shape: Shape['name'];
  rows: number;
  pages: number;
  ms: number;
  ratioToSmallest: number;
};

/** What dead index entries cost a look: the first one after a bulk change, the later ones, and after VACUUM. */
export type DeadEntriesRow = { rows: number; firstPages: number; laterPages: number; vacuumedPages: number };

export type CandidateReport = { candidate: CandidateRow[]; deadEntries: DeadEntriesRow[] };

type WhileShown = <Result>(what: string, work: () => Promise<Result>) => Promise<Result>;
type SizedScene = Scene & { size: number };

const tickAt = new Date('2026-11-01T12:00:00Z');
const runsPerRound = 10;

/** Measures the tick's candidate query in each shape. Every size has a database of its own, so that all are timed side by side. */
export async function measureCandidates(
  server: BenchServer,
  { sizes, rounds }: { sizes: readonly number[]; rounds: number },
  whileShown: WhileShown,
): Promise<CandidateReport> {
  const scenes: SizedScene[] = [];
  for (const size of sizes) scenes.push(await createSizedScene(server, size));
  const report: CandidateReport = { candidate: [], deadEntries: [] };
  for (const shape of shapes) {
    for (const scene of scenes) {
      await whileShown(`loading ${shape.name}, ${scene.size} rows`, () => fill(shape, scene));
    }
    await whileShown(`measuring ${shape.name}`, () => measure(shape, scenes, rounds, report));
  }
  return report;
}

async function createSizedScene(server: BenchServer, size: number): Promise<SizedScene> {
  // One connection: a prepared statement is explained where it was prepared.
  const { db } = await server.createDatabase(`${size}`, { maxConnections: 1 });
  await db.raw('alter table route_articles set (autovacuum_enabled = off)');
  return { ...(await createScene(db, tickAt)), size };
}

async function fill(shape: Shape, scene: SizedScene): Promise<void> {
  await maintain(scene.db, 'truncate route_articles cascade');
  await shape.fill(scene, scene.size);
  await maintain(scene.db, 'checkpoint');
}

async function measure(
  shape: Shape,
  scenes: readonly SizedScene[],
  rounds: number,
  report: CandidateReport,
): Promise<void> {
  const firstPages: number[] = [];
  const laterPages: number[] = [];
  for (const scene of scenes) {
    firstPages.push(await countPages(scene, shape.openIds(scene)));
    laterPages.push(await countPages(scene, shape.openIds(scene)));
  }
  const looks = scenes.map(scene => () => look(shape, scene));
  const times = await timeInRounds(looks, { rounds, runs: runsPerRound });
  const medians = times.map(inRounds => median(inRounds.flat()));
  const [smallestMs = 0] = medians;
  for (const [index, { size: rows, db, ...scene }] of scenes.entries()) {
    const [pages = 0, ms = 0] = [laterPages[index], medians[index]];
    if (shape.name !== 'bulk_change') {
      report.candidate.push({ shape: shape.name, rows, pages, ms, ratioToSmallest: ms / smallestMs });
      continue;
    }
    await maintain(db, 'vacuum route_articles');
    const vacuumedPages = await countPages({ ...scene, db }, shape.openIds({ ...scene, db }));
    report.deadEntries.push({ rows, firstPages: firstPages[index] ?? 0, laterPages: pages, vacuumedPages });
  }
}

async function look(shape: Shape, scene: SizedScene): Promise<void> {
  const { candidates } = await dueForPublishing(scene.db, shape.openIds(scene), scene.at);
  if (candidates.length === dueRows) return;
  throw new Error(`${shape.name}, ${scene.size} rows: ${candidates.length} candidates instead of ${dueRows}`);
}
