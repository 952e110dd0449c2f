import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

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
  });
});

type Measured = { shape: string; rows: number };

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
