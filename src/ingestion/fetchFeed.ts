import type { FetchResult, GuardedFetch } from '../network/guardedFetch.ts';
import type { ParsedFeed } from './FeedItem.ts';
import { minimumWaitMs } from './minimumWait.ts';
import type { ReadDocument } from './readDocument.ts';

export type FeedRequest = {
  url: string;
  /** Validators of the last complete read, verbatim; null for none. */
  etag: string | null;
  lastModified: string | null;
  /** IANA name: dates without an offset are read in it. */
  zone: string;
};

/** What came of one look at a feed. `waitMs`: how long the server asks to be left alone, 0 if it does not. */
export type FeedFetch =
  | {
      kind: 'read';
      feed: ParsedFeed;
      encoding: string;
      etag: string | null;
      lastModified: string | null;
      movedTo: string | null;
      waitMs: number;
    }
  | { kind: 'unchanged'; movedTo: string | null; waitMs: number }
  | { kind: 'gone' }
  | { kind: 'failed'; detail: string; waitMs: number };

/** The Accept header of whoever asks for a feed. */
export const acceptFeeds =
  'application/rss+xml, application/atom+xml, application/rdf+xml, application/feed+json, ' +
  'application/json;q=0.9, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1';

/**
 * Reads one feed, conditionally where it was read before. Stores nothing; throws only what `read` does. Cut off by the signal
 * it answers anything: look at the signal before the answer.
 */
export async function fetchFeed(
  request: FeedRequest,
  { fetch, read, now, signal }: { fetch: GuardedFetch; read: ReadDocument; now: Date; signal: AbortSignal },
): Promise<FeedFetch> {
  const result = await fetch(request.url, { headers: requestHeaders(request), signal });
  if (result.kind === 'failed') {
    return { kind: 'failed', detail: `${result.failure}: ${result.detail}`, waitMs: 0 };
  }
  return readAnswer(result, request, { read, now, signal });
}

function requestHeaders({ etag, lastModified }: FeedRequest): Record<string, string> {
  return {
    accept: acceptFeeds,
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

type Answer = Extract<FetchResult, { kind: 'answered' }>;

async function readAnswer(
  answer: Answer,
  { etag, lastModified, zone }: FeedRequest,
  { read, now, signal }: { read: ReadDocument; now: Date; signal: AbortSignal },
): Promise<FeedFetch> {
  const { status, headers, movedTo } = answer;
  const waitMs = minimumWaitMs(headers, now);
  const isConditional = etag !== null || lastModified !== null;
  if (status === 304 && isConditional) return { kind: 'unchanged', movedTo, waitMs };
  if (status === 410) return { kind: 'gone' };
  if (status !== 200) return { kind: 'failed', detail: `the server answered ${status}`, waitMs };

  const contentType = headers['content-type'] ?? null;
  const reading = await read({ bytes: answer.body, contentType, url: answer.url, zone }, { signal });
  if (reading.kind === 'unreadable') return { kind: 'failed', detail: reading.detail, waitMs };
  return {
    kind: 'read',
    feed: reading.feed,
    encoding: reading.encoding,
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
    movedTo,
    waitMs,
  };
}
