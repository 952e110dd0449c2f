import type { FeedItem } from '../ingestion/FeedItem.ts';
import type { FeedRecord } from './records.ts';

/**
 * What a reader of a file says about it, one thing at a time. `row` is the number that a person would count:
 * the row of a table, the place of an item or of a file.
 */
export type SourceRow =
  | { kind: 'article'; row: number; item: FeedItem }
  | { kind: 'feed'; row: number; feed: FeedRecord }
  /** It does not get in, the others do. */
  | { kind: 'bad'; row: number; reason: string }
  /** Not meant to get in, such as a draft: counted under this name, in the plural. */
  | { kind: 'left_out'; what: string }
  /** For a person: what was doubtful and how it was read. */
  | { kind: 'note'; text: string }
  /** None of it gets in; the last thing that a reader says. */
  | { kind: 'unreadable'; reason: string };

/**
 * A file being read, little by little. Cut off by its signal it may end early as if it were complete, or say
 * anything: look at the signal before what it said. Throws only what is not the file's fault.
 */
export type Reading = AsyncIterable<SourceRow>;
