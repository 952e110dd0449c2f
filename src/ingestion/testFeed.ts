import type { Database } from '../database/Database.ts';
import { canonicalUrl } from '../network/canonicalUrl.ts';
import type { FetchResult, GuardedFetch } from '../network/guardedFetch.ts';
import type { BlankItem, FeedFormat, FeedItem } from './FeedItem.ts';
import { feedWarnings } from './feedWarnings.ts';
import { acceptFeeds } from './fetchFeed.ts';
import type { ReadDocument } from './readDocument.ts';
import { recogniseItems } from './recogniseItems.ts';

export type Answer = Extract<FetchResult, { kind: 'answered' }>;

/** `isNew`: neither brought before by the feed, nor one that stands further up. */
export type TestedItem = (FeedItem & { isNew: boolean }) | BlankItem;

export type FeedTest =
  | {
      kind: 'feed';
      answer: Answer;
      /** By which the bytes were read. */
      encoding: string;
      format: FeedFormat;
      title: string | null;
      /** In the document's order, with what is left out of it. */
      items: readonly TestedItem[];
      /** Whatever a person might want to know, in words. */
      warnings: readonly string[];
    }
  | { kind: 'no_feed'; detail: string };

export type FeedTestTools = {
  db: Database;
  fetch: GuardedFetch;
  read: ReadDocument;
  now: Date;
  signal: AbortSignal;
};

/**
 * Reads what lies at a URL as a feed would be read, whole and unconditionally, and says what came of it. Nothing
 * is written. `feedId`: by whose articles items are known, null for none; `zone`: of dates without an offset.
 */
export async function testFeed(
  { url, feedId, zone }: { url: string; feedId: number | null; zone: string },
  { db, fetch, read, now, signal }: FeedTestTools,
): Promise<FeedTest> {
  const answer = await fetch(url, { headers: { accept: acceptFeeds }, signal });
  if (answer.kind === 'failed') return { kind: 'no_feed', detail: `${answer.failure}: ${answer.detail}` };
  if (answer.status !== 200) return { kind: 'no_feed', detail: `the server answered ${answer.status}` };

  const contentType = answer.headers['content-type'] ?? null;
  const reading = await read({ bytes: answer.body, contentType, url: answer.url, zone }, { signal });
  if (reading.kind === 'unreadable') return { kind: 'no_feed', detail: reading.detail };

  const { encoding, feed } = reading;
  const items = feed.items.map(item => ({ ...item, canonicalUrl: item.url && canonicalUrl(item.url) }));
  const recognised = await recogniseItems(db, feedId, items);
  const fresh = new Set(recognised.fresh.map(({ item }) => item));
  return {
    kind: 'feed',
    answer,
    encoding,
    format: feed.format,
    title: feed.title,
    items: withBlanks(
      items.map(item => ({ ...item, isNew: fresh.has(item) })),
      feed.blanks,
    ),
    warnings: [
      ...feedWarnings({ answer, encoding, items, recognised, ttlMs: feed.ttlMs, now }),
      ...feed.warnings,
    ],
  };
}

/** Each blank at its place among all. */
function withBlanks(items: readonly TestedItem[], blanks: readonly BlankItem[]): TestedItem[] {
  const all = [...items];
  for (const blank of blanks) all.splice(blank.place, 0, blank);
  return all;
}
