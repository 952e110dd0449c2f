import type { CandidateReport } from './measureCandidates.ts';
import type { TickReport } from './measureTicks.ts';
import { count, table } from './table.ts';

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
