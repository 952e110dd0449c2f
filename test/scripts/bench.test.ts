import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { brokenIngestBounds } from '../../scripts/bench/ingestBounds.ts';

const program = fileURLToPath(new URL('../../scripts/bench.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const shapes = ['history', 'throttled', 'backoff', 'churned'];

describe('npm run bench -- tick', () => {
  it('prints one JSON object with what each part of a tick cost', async () => {
    const { code, stdout, stderr } = await bench('tick', '--json', '--rows', '2000');

    const report = JSON.parse(stdout);
    expect(report.candidate.map(({ shape, rows }: Measured) => [shape, rows])).toEqual(
      shapes.flatMap(shape => [
        [shape, 1_000],
        [shape, 2_000],
      ]),
    );
    for (const { pages, ms, ratioToSmallest } of report.candidate) {
      expect(pages).toBeGreaterThan(8);
      expect(pages).toBeLessThanOrEqual(150);
      expect(ms).toBeGreaterThan(0);
      expect(ratioToSmallest).toBeGreaterThan(0);
    }
    expect(report.idleTick.ratioToSelect1).toBeGreaterThan(1);
    expect(report.publishingTick.ratioToCommits).toBeGreaterThan(0);
    // With so few rounds a time may break its bound; the exit code and the messages must agree on it.
    expect(code).toBe(stderr.includes('bound broken') ? 1 : 0);
  });

  it('explains itself when it is not told what to measure', async () => {
    const { code, stdout, stderr } = await bench();

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('npm run bench -- tick');
    expect(stderr).toContain('npm run bench -- ingest');
  });
});

describe('npm run bench -- ingest', () => {
  it('prints one JSON object with what storing and routing took beside COPY of the same rows', async () => {
    const { code, stdout, stderr } = await bench('ingest', '--json', '--rows', '2000');

    const report = JSON.parse(stdout);
    const reads = [
      [1_000, 50],
      [2_000, 50],
      [2_000, 500],
    ];
    expect(report.newItems.map(({ stored, items }: Read) => [stored, items])).toEqual(reads);
    expect(report.knownItems.map(({ stored, items }: Read) => [stored, items])).toEqual(reads);
    for (const { items, ms, rowsPerSecond, copyRowsPerSecond, ratioToCopy } of report.newItems) {
      // One article with two route articles and its keys, of which there are two at least.
      expect((rowsPerSecond * ms) / 1_000 / items).toBeGreaterThan(4);
      expect(copyRowsPerSecond).toBeGreaterThan(0);
      expect(ratioToCopy).toBeGreaterThan(0);
    }
    for (const { ms } of report.knownItems) expect(ms).toBeGreaterThan(0);
    expect(code).toBe(stderr.includes('bound broken') ? 1 : 0);
  });

  it('knows no larger size', async () => {
    const { code } = await bench('ingest', '--large');

    expect(code).toBe(2);
  });
});

describe('brokenIngestBounds', () => {
  const newItems = { items: 50, ms: 10, rowsPerSecond: 25_000, copyRowsPerSecond: 50_000, ratioToCopy: 0.5 };
  const knownItems = { items: 50, ms: 4 };
  const sizes = [10_000, 1_000_000];

  it('finds nothing where a step is half as fast as COPY, and as fast at every size', () => {
    const report = {
      newItems: [
        ...sizes.map(stored => ({ ...newItems, stored })),
        { ...newItems, stored: 1_000_000, items: 20_000, ms: 3_000 },
      ],
      knownItems: sizes.map(stored => ({ ...knownItems, stored })),
    };

    expect(brokenIngestBounds(report)).toEqual([]);
  });

  it('names what is below a third of COPY', () => {
    const report = { newItems: [{ ...newItems, stored: 10_000, ratioToCopy: 0.3 }], knownItems: [] };

    expect(brokenIngestBounds(report)).toEqual(['50 new items, 10000 stored: 0.30 of COPY, at least 0.33']);
  });

  it('names the size at which reads are slow, new items and known ones', () => {
    const report = {
      newItems: sizes.map((stored, place) => ({ ...newItems, stored, ms: 10 + 10 * place })),
      knownItems: sizes.map((stored, place) => ({ ...knownItems, stored, ms: 4 + 4 * place })),
    };

    expect(brokenIngestBounds(report)).toEqual([
      '50 new items, 1000000 stored: 0.50 of the fastest size, at least 0.6',
      '50 known items, 1000000 stored: 0.50 of the fastest size, at least 0.6',
    ]);
  });
});

type Measured = { shape: string; rows: number };
type Read = { stored: number; items: number };

async function bench(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { BENCH_DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', loader, program, ...args], { env });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}
