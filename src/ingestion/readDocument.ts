import { decodeFeed } from './decodeFeed.ts';
import type { ParsedFeed } from './FeedItem.ts';
import { parseFeed } from './parseFeed.ts';

/** What a server answered with, before anything was made of it. */
export type FeedDocument = {
  bytes: Uint8Array;
  /** The HTTP header, or null. */
  contentType: string | null;
  /** Where it came from, after redirects. */
  url: string;
  /** IANA name: dates without an offset are read in it. */
  zone: string;
};

export type DocumentReading =
  | { kind: 'parsed'; feed: ParsedFeed; encoding: string }
  | { kind: 'unreadable'; detail: string };

/**
 * Reads a document where it holds up nothing else, within a time and a memory. Cut off by the signal it answers
 * `unreadable`: look at the signal before the answer. Throws only for faults of our own.
 */
export type ReadDocument = (document: FeedDocument, options: ReadOptions) => Promise<DocumentReading>;

export type ReadOptions = { signal: AbortSignal };

/** Bytes to items, in the very thread that calls it: a hostile document can hold that up for many seconds. */
export function readDocument({ bytes, contentType, url, zone }: FeedDocument): DocumentReading {
  const { text, encoding } = decodeFeed(bytes, contentType);
  const reading = parseFeed(text, { url, zone });
  return reading.kind === 'parsed' ? { ...reading, encoding } : reading;
}
