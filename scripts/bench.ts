import { parseArgs } from 'node:util';
import { startProgress } from '../src/cli/progress.ts';
import { brokenBounds } from './bench/bounds.ts';
import { brokenIngestBounds } from './bench/ingestBounds.ts';
import { formatIngestReport } from './bench/ingestReport.ts';
import { measureCandidates } from './bench/measureCandidates.ts';
import { measureIngestion } from './bench/measureIngestion.ts';
import { measureTicks } from './bench/measureTicks.ts';
import { formatReport } from './bench/report.ts';
import { type BenchServer, startBenchServer } from './bench/startBenchServer.ts';

const usage = `npm run bench -- tick [--large] [--json]
npm run bench -- ingest [--json]

  tick     the SQL of a tick: its candidate query by table size, an idle tick, and one that publishes
  ingest   storing and routing what a read brought, by articles stored, beside COPY of the same rows
  --large  tick: 10,000,000 route articles as well (about a quarter of an hour, 25 GB of disk)
  --json   one JSON object instead of the table

A throw-away embedded PostgreSQL is used, or the server that BENCH_DATABASE_URL names (a superuser's URL;
databases are created there and dropped). Exit code 1: a bound does not hold; 2: wrong use.`;

const tickPlan = { sizes: [10_000, 1_000_000], rounds: 40 };
const largeSize = 10_000_000;
const ingestPlan = {
  stored: [10_000, 100_000, 1_000_000],
  usual: { items: 50, rounds: 60 },
  largest: { items: 20_000, rounds: 3 },
};

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 2;
    return;
  }
  const { report, text, broken } = await measure(options);
  console.log(options.isJson ? JSON.stringify(report) : text);
  for (const bound of broken) {
    console.error(`bound broken: ${bound}`);
    process.exitCode = 1;
  }
}

/** `rows`: for the bench's own test, two small sizes and few rounds, whose times mean nothing. */
type Options = { what: 'tick' | 'ingest'; isLarge: boolean; rows: number | null; isJson: boolean };

/** Null: wrong use. */
function readOptions(): Options | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        large: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        rows: { type: 'string' },
      },
    });
    const [what, ...others] = positionals;
    if ((what !== 'tick' && what !== 'ingest') || others.length > 0) return null;
    if (what === 'ingest' && values.large) return null;
    return { what, isLarge: values.large, rows: rowsOf(values.rows), isJson: values.json };
  } catch {
    return null;
  }
}

function rowsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const rows = Number(text);
  if (!Number.isInteger(rows) || rows < 1_000) throw new Error('--rows takes a whole number from 1000 on');
  return rows;
}

type Measured = { report: object; text: string; broken: readonly string[] };

async function measure({ what, isLarge, rows }: Options): Promise<Measured> {
  const server = await whileShown('starting PostgreSQL', () => startBenchServer());
  try {
    return await (what === 'tick' ? measureTick(server, isLarge, rows) : measureIngest(server, rows));
  } finally {
    await server.stop();
  }
}

async function measureTick(server: BenchServer, isLarge: boolean, rows: number | null): Promise<Measured> {
  const sizes = isLarge ? [...tickPlan.sizes, largeSize] : tickPlan.sizes;
  const plan = rows === null ? { ...tickPlan, sizes } : { sizes: [rows / 2, rows], rounds: 3 };
  const ticks = await whileShown('measuring ticks', () => measureTicks(server, plan.rounds));
  const report = { ...(await measureCandidates(server, plan, whileShown)), ...ticks };
  return { report, text: formatReport(report), broken: brokenBounds(report) };
}

async function measureIngest(server: BenchServer, rows: number | null): Promise<Measured> {
  const small = {
    stored: [Number(rows) / 2, Number(rows)],
    usual: { items: 50, rounds: 3 },
    largest: { items: 500, rounds: 1 },
  };
  const report = await measureIngestion(server, rows === null ? ingestPlan : small, whileShown);
  return { report, text: formatIngestReport(report), broken: brokenIngestBounds(report) };
}

async function whileShown<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const progress = startProgress(what);
  try {
    return await work();
  } finally {
    progress.end();
  }
}
