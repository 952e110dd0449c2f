import type { BenchReport } from './report.ts';

const mostPages = 150;
const mostTimesSmallest = 2;
const mostTimesSelectOne = 3;
const mostTimesCommits = 4;

/** Names every bound that does not hold: what was measured, and what is allowed. */
export function brokenBounds({ candidate, deadEntries, idleTick, publishingTick }: BenchReport): string[] {
  const broken: string[] = [];
  for (const { shape, rows, pages, ratioToSmallest } of candidate) {
    const where = `${shape}, ${rows} rows`;
    if (pages > mostPages) broken.push(`${where}: ${pages} pages, allowed ${mostPages}`);
    if (ratioToSmallest > mostTimesSmallest) {
      broken.push(
        `${where}: ${ratioToSmallest.toFixed(2)} times the smallest size, allowed ${mostTimesSmallest}`,
      );
    }
  }
  for (const { rows, vacuumedPages } of deadEntries) {
    const where = `bulk change and VACUUM, ${rows} rows`;
    if (vacuumedPages > mostPages) broken.push(`${where}: ${vacuumedPages} pages, allowed ${mostPages}`);
  }
  if (idleTick.ratioToSelect1 > mostTimesSelectOne) {
    broken.push(
      `idle tick: ${idleTick.ratioToSelect1.toFixed(2)} times SELECT 1, allowed ${mostTimesSelectOne}`,
    );
  }
  if (publishingTick.ratioToCommits > mostTimesCommits) {
    broken.push(
      `publishing tick: ${publishingTick.ratioToCommits.toFixed(2)} times its commits, allowed ${mostTimesCommits}`,
    );
  }
  return broken;
}
