import type { IngestReport } from './measureIngestion.ts';
import { count, table } from './table.ts';

/** The report for people. */
export function formatIngestReport({ newItems, knownItems }: IngestReport): string {
  return [
    'A read in which all is new, stored and routed by two routes; rows are articles, their keys, route articles:',
    ...table([
      ['stored', 'items', 'ms', 'rows/s', 'COPY rows/s', 'of COPY'],
      ...newItems.map(({ stored, items, ms, rowsPerSecond, copyRowsPerSecond, ratioToCopy }) => [
        count(stored),
        count(items),
        ms.toFixed(1),
        count(Math.round(rowsPerSecond)),
        count(Math.round(copyRowsPerSecond)),
        ratioToCopy.toFixed(2),
      ]),
    ]),
    '',
    'The same read again, in which nothing is new:',
    ...table([
      ['stored', 'items', 'ms'],
      ...knownItems.map(({ stored, items, ms }) => [count(stored), count(items), ms.toFixed(1)]),
    ]),
  ].join('\n');
}
