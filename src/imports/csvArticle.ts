import type { FeedItem } from '../ingestion/FeedItem.ts';
import { absoluteLink } from '../ingestion/resolveLink.ts';
import { type RawItem, toFeedItem } from '../ingestion/toFeedItem.ts';
import type { CsvColumns, CsvField } from './csvColumns.ts';
import { importDate } from './importDate.ts';
import type { DateTally } from './tallyDates.ts';

export type ReadArticle = { kind: 'article'; item: FeedItem } | { kind: 'bad'; reason: string };

/** A row of a table as an article. `zone`: dates without an offset are read in it. */
export function csvArticle(
  cells: readonly string[],
  { columns, width, zone, dates }: { columns: CsvColumns; width: number; zone: string; dates: DateTally },
): ReadArticle {
  if (cells.slice(width).some(cell => cell.trim() !== '')) {
    return bad(`it has ${cells.length} cells, but there are ${width} columns: is a quote missing?`);
  }
  const cell = (field: CsvField) => {
    const place = columns.get(field);
    return (place === undefined ? undefined : cells[place])?.trim() || undefined;
  };
  const [link, image] = [cell('url'), cell('image')];
  const url = absoluteLink(link);
  if (link !== undefined && url === null) return bad(`${quoted(link)} is no http or https URL`);
  if (cell('title') === undefined && url === null) return bad('it has neither a title nor a URL');
  const date = cell('publishedAt');
  const raw: RawItem = {
    guid: cell('guid'),
    url,
    title: { value: cell('title'), type: 'rss' },
    summaries: [
      { value: cell('summary'), type: 'html' },
      { value: cell('content'), type: 'html' },
    ],
    content: cell('content'),
    author: cell('author'),
    tags: cell('tags')?.split(/[,;|]/) ?? [],
    imageUrl: absoluteLink(image),
    imageAlt: cell('imageAlt'),
    language: cell('language'),
    dates: [date === undefined ? undefined : importDate(date)],
    source: undefined,
  };
  const item = dates.doubtsOf(doubts => toFeedItem(raw, zone, doubts));
  return item === null ? bad('nothing in it tells it from others') : { kind: 'article', item };
}

function bad(reason: string): ReadArticle {
  return { kind: 'bad', reason };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
