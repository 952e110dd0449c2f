import pg from 'pg';
import { createIngestScene } from './createIngestScene.ts';
import type { BenchServer } from './startBenchServer.ts';
import { type CopiedScene, type TimedRead, timeReads } from './timeReads.ts';
import { median, medianRatio } from './timing.ts';

/** Storing and routing a read in which all is new, beside COPY of the very same rows. */
export type NewItemsRow = {
  /** Articles in the database at first. */
  stored: number;
  /** Of one read. */
  items: number;
  ms: number;
  /** Articles, their keys and route articles together. */
  rowsPerSecond: number;
  copyRowsPerSecond: number;
  /** Rows per second, as a part of COPY's. */
  ratioToCopy: number;
};

/** A read in which nothing is new. */
export type KnownItemsRow = { stored: number; items: number; ms: number };

export type IngestReport = { newItems: NewItemsRow[]; knownItems: KnownItemsRow[] };

export type IngestPlan = {
  /** Articles in each of the databases. */
  stored: readonly number[];
  /** What is read everywhere, as feeds mostly are. */
  usual: { items: number; rounds: number };
  /** What is read where the most is stored: as much as one document may bring. */
  largest: { items: number; rounds: number };
};

type WhileShown = <Result>(what: string, work: () => Promise<Result>) => Promise<Result>;

/** Measures the transaction that stores what a read brought and routes it, in databases of several sizes. */
export async function measureIngestion(
  server: BenchServer,
  { stored, usual, largest }: IngestPlan,
  whileShown: WhileShown,
): Promise<IngestReport> {
  const scenes: CopiedScene[] = [];
  try {
    for (const size of stored) {
      scenes.push(await whileShown(`loading ${size} articles`, () => openScene(server, size)));
    }
    const measure = async (these: readonly CopiedScene[], reads: IngestPlan['usual']) => {
      const what = `measuring reads of ${reads.items} items`;
      const times = await whileShown(what, () => timeReads(these, reads));
      return these.map((scene, place) => describe(times[place] ?? [], { ...scene, ...reads }));
    };
    const rows = [...(await measure(scenes, usual)), ...(await measure(scenes.slice(-1), largest))];
    return { newItems: rows.map(row => row.newItems), knownItems: rows.map(row => row.knownItems) };
  } finally {
    for (const { copier } of scenes) await copier.end();
  }
}

async function openScene(server: BenchServer, stored: number): Promise<CopiedScene> {
  const { db, url } = await server.createDatabase(`ingest_${stored}`, { maxConnections: 1 });
  const scene = await createIngestScene(db, stored);
  const copier = new pg.Client(url);
  await copier.connect();
  return { ...scene, copier };
}

function describe(
  times: readonly TimedRead[],
  { stored, items }: { stored: number; items: number },
): { newItems: NewItemsRow; knownItems: KnownItemsRow } {
  const ms = times.map(timed => [timed.ms]);
  const copyMs = times.map(timed => [timed.copyMs]);
  const rowsPerSecond = (rows: number, tookMs: number) => (rows / tookMs) * 1_000;
  return {
    newItems: {
      stored,
      items,
      ms: median(ms.flat()),
      rowsPerSecond: median(times.map(timed => rowsPerSecond(timed.rows, timed.ms))),
      copyRowsPerSecond: median(times.map(timed => rowsPerSecond(timed.rows, timed.copyMs))),
      ratioToCopy: medianRatio(copyMs, ms),
    },
    knownItems: { stored, items, ms: median(times.map(timed => timed.againMs)) },
  };
}
