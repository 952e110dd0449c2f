import { parseArgs } from 'node:util';
import { startProgress } from '../src/cli/progress.ts';
import { brokenBounds } from './bench/bounds.ts';
import { measureCandidates } from './bench/measureCandidates.ts';
import { measureTicks } from './bench/measureTicks.ts';
import { type BenchReport, formatReport } from './bench/report.ts';
import { startBenchServer } from './bench/startBenchServer.ts';

const usage = `npm run bench -- tick [--large] [--json]

  tick     the SQL of a tick: its candidate query by table size, an idle tick, and one that publishes
  --large  10,000,000 route articles as well (about a quarter of an hour, 25 GB of disk)
  --json   one JSON object instead of the table

A throw-away embedded PostgreSQL is used, or the server that BENCH_DATABASE_URL names (a superuser's URL;
databases are created there and dropped). Exit code 1: a bound does not hold; 2: wrong use.`;

const plan = { sizes: [10_000, 1_000_000], rounds: 40 };
const largeSize = 10_000_000;

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 2;
    return;
  }
  const report = await measureTick(options);
  console.log(options.isJson ? JSON.stringify(report) : formatReport(report));
  for (const broken of brokenBounds(report)) {
    console.error(`bound broken: ${broken}`);
    process.exitCode = 1;
  }
}

type Options = { sizes: readonly number[]; rounds: number; isJson: boolean };

/** Null: wrong use. */
function readOptions(): Options | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        large: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        // For the bench's own test: two small sizes and few rounds, whose times mean nothing.
        rows: { type: 'string' },
      },
    });
    if (positionals.join(' ') !== 'tick') return null;
    return { ...sizesOf(values.large, values.rows), isJson: values.json };
  } catch {
    return null;
  }
}

function sizesOf(isLarge: boolean, rows: string | undefined): Omit<Options, 'isJson'> {
  if (rows === undefined) return { ...plan, sizes: isLarge ? [...plan.sizes, largeSize] : plan.sizes };
  const size = Number(rows);
  if (!Number.isInteger(size) || size < 1_000) throw new Error('--rows takes a whole number from 1000 on');
  return { sizes: [size / 2, size], rounds: 3 };
}

async function measureTick({ sizes, rounds }: Options): Promise<BenchReport> {
  const server = await whileShown('starting PostgreSQL', () => startBenchServer());
  try {
    const ticks = await whileShown('measuring ticks', () => measureTicks(server, rounds));
    const candidates = await measureCandidates(server, { sizes, rounds }, whileShown);
    return { ...candidates, ...ticks };
  } finally {
    await server.stop();
  }
}

async function whileShown<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const progress = startProgress(what);
  try {
    return await work();
  } finally {
    progress.end();
  }
}
