import type { IngestReport } from './measureIngestion.ts';

/** COPY parses and inserts; the step also looks up what is known, decides, renders and hashes. */
const leastPartOfCopy = 1 / 3;

/**
 * What the slowest size may be of the fastest. With a hundred times as many articles the indexes are one level
 * deeper and no longer in the processor's caches, which takes a tenth; what reads the table, or walks a feed's
 * past, takes times and not parts. In between is room for a machine that does something else.
 */
const leastPartOfFastest = 0.6;

/** Names every bound of storing and routing that does not hold: what was measured, and what is allowed. */
export function brokenIngestBounds({ newItems, knownItems }: IngestReport): string[] {
  const slow = newItems
    .filter(({ ratioToCopy }) => ratioToCopy < leastPartOfCopy)
    .map(
      ({ stored, items, ratioToCopy }) =>
        `${items} new items, ${stored} stored: ${ratioToCopy.toFixed(2)} of COPY, at least ${leastPartOfCopy.toFixed(2)}`,
    );
  return [...slow, ...steep('new', newItems), ...steep('known', knownItems)];
}

/** Reads of as many items at several sizes. */
function steep(which: string, rows: readonly { stored: number; items: number; ms: number }[]): string[] {
  const broken: string[] = [];
  for (const { stored, items, ms } of rows) {
    const fastestMs = Math.min(...rows.filter(row => row.items === items).map(row => row.ms));
    const part = fastestMs / ms;
    if (part >= leastPartOfFastest) continue;
    broken.push(
      `${items} ${which} items, ${stored} stored: ${part.toFixed(2)} of the fastest size, at least ${leastPartOfFastest}`,
    );
  }
  return broken;
}
