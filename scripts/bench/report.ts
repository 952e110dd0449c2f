import type { CandidateReport } from './measureCandidates.ts';
import type { TickReport } from './measureTicks.ts';

export type BenchReport = CandidateReport & TickReport;

/** The report for people. */
export function formatReport({ candidate, deadEntries, idleTick, publishingTick }: BenchReport): string {
  const rows = candidate.map(({ shape, rows, pages, ms, ratioToSmallest }) => [
    shape,
    count(rows),
    count(pages),
    ms.toFixed(3),
    ratioToSmallest.toFixed(2),
  ]);
  return [
    'Candidate query, ten due rows in a workspace with four channels:',
    ...table([['shape', 'rows', 'pages', 'ms', 'x smallest'], ...rows]),
    '',
    'Pages and ms of a look after the first. After one bulk change, with autovacuum off, in pages a look:',
    ...table([
      ['rows', 'first look', 'later looks', 'after VACUUM'],
      ...deadEntries.map(row => Object.values(row).map(count)),
    ]),
    '',
    `Idle tick: ${idleTick.ms.toFixed(3)} ms, ${idleTick.ratioToSelect1.toFixed(2)} x SELECT 1`,
    `Publishing tick: ${publishingTick.ms.toFixed(3)} ms, ${publishingTick.ratioToCommits.toFixed(2)} x its ` +
      `${publishingTick.commits} commits of one row`,
  ].join('\n');
}

function count(value: number): string {
  return value.toLocaleString('en');
}

/** The first column to the left, numbers to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.map(row =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
