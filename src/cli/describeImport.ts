import { importJson } from '../imports/importJson.ts';
import type { ReadingSummary } from '../imports/readThrough.ts';
import type { ListedImport } from '../models/imports.ts';

const shownProblems = 20;

/** What became of an import, in lines for a person. */
export function describeImport(listed: ListedImport): string[] {
  const { id, kind, feed, source, queued, tooOld, rowsTotal, rowsDone, status } = listed;
  const { rows, lastError } = importJson(listed);
  const noun = kind === 'opml' ? 'feed' : 'article';
  const known = rows.known > 0 ? [`${rows.known} there already`] : [];
  const bad = rows.bad > 0 ? [`${rows.bad} that could not be imported`] : [];
  const place = feed === null ? '' : ` into the feed ${feed}`;
  const state = status === 'done' ? '' : `, ${status}: ${rowsDone} of ${rowsTotal} rows done`;
  return [
    `Import ${id}: ${source}${place}${state}`,
    `  ${[`${counted(rows.added, `new ${noun}`)}`, ...known, ...bad].join(', ')}`,
    ...(kind === 'opml'
      ? []
      : [`  ${counted(queued, 'article')} queued${tooOld > 0 ? `, ${tooOld} too old` : ''}`]),
    ...(lastError === null ? [] : [`  last error: ${lastError}`]),
    ...describeProblems(listed.problems, rows.bad),
  ];
}

/** What a file turned out to hold beside its rows, in lines for a person. */
export function describeReading({ leftOut, notes }: Pick<ReadingSummary, 'leftOut' | 'notes'>): string[] {
  const others = Object.entries(leftOut).map(([what, count]) => `${count} ${what}`);
  return [
    ...notes.map(note => `  ${note}`),
    ...(others.length > 0 ? [`  left out: ${others.join(', ')}`] : []),
  ];
}

/** The first bad rows, each with its reason; `count`: how many there are. */
export function describeProblems(problems: ListedImport['problems'], count: number): string[] {
  const shown = problems.slice(0, shownProblems).map(({ row, reason }) => `  row ${row}: ${reason}`);
  const rest = count - shown.length;
  return rest > 0 ? [...shown, `  and ${rest} more`] : shown;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
