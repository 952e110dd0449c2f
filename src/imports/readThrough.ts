import { storable } from '../ingestion/storable.ts';
import type { ImportProblem } from '../models/imports.ts';
import type { Reading, SourceRow } from './SourceRow.ts';
import { mostRows } from './sizes.ts';

/** What a file turned out to hold, in figures that stay small however large it is. */
export type ReadingSummary = {
  /** Rows that are articles or feeds, good and bad ones. */
  total: number;
  bad: number;
  /** The first of the bad ones. */
  problems: readonly ImportProblem[];
  /** How many of what was not meant to get in: `drafts`, say. */
  leftOut: Readonly<Record<string, number>>;
  notes: readonly string[];
};

export type ReadThrough =
  | ({ kind: 'read' } & ReadingSummary)
  | { kind: 'unreadable'; reason: string }
  | { kind: 'stopped' };

export type GoodRow = Extract<SourceRow, { kind: 'article' | 'feed' }>;

export type ReadOptions = {
  signal: AbortSignal;
  /** Takes each good row. */
  onRow: (row: GoodRow) => Promise<void> | void;
  /** Told now and then how many rows were read. */
  onProgress?: (rows: number) => void;
};

const keptProblems = 200;
const keptNotes = 50;
const keptNames = 20;
const rowsBetweenProgress = 100;

/**
 * Reads a file to its end. A reader that is cut off may report anything: the end of a file, one that cannot be
 * read, an exception. None of that is believed once the signal is aborted; it was `stopped`.
 */
export async function readThrough(
  reading: Reading,
  { signal, onRow, onProgress }: ReadOptions,
): Promise<ReadThrough> {
  const summary = { total: 0, bad: 0, problems: [] as ImportProblem[], notes: [] as string[] };
  const leftOut = new Map<string, number>();
  try {
    for await (const read of reading) {
      if (signal.aborted) return { kind: 'stopped' };
      if (read.kind === 'unreadable') return { kind: 'unreadable', reason: read.reason };
      if (read.kind === 'left_out') count(leftOut, read.what);
      if (read.kind === 'note' && summary.notes.length < keptNotes) summary.notes.push(read.text);
      if (read.kind === 'left_out' || read.kind === 'note') continue;
      summary.total += 1;
      if (summary.total > mostRows) return { kind: 'unreadable', reason: tooManyRows };
      if (read.kind === 'bad') {
        summary.bad += 1;
        if (summary.problems.length < keptProblems)
          summary.problems.push({ row: read.row, reason: storable(read.reason) });
      } else await onRow(read);
      if (summary.total % rowsBetweenProgress === 0) onProgress?.(summary.total);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) return { kind: 'stopped' };
  return { kind: 'read', ...summary, leftOut: Object.fromEntries(leftOut) };
}

function count(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < keptNames ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const tooManyRows = `it has more than ${mostRows.toLocaleString('en')} rows: import it in parts`;
