import { describe, expect, it } from 'vitest';
import type { FeedItem } from '../../src/ingestion/FeedItem.ts';
import { feedWarnings } from '../../src/ingestion/feedWarnings.ts';
import { guidsWithSeveralUrls } from '../../src/ingestion/identityKeys.ts';
import { parseFeed } from '../../src/ingestion/parseFeed.ts';
import { type FakeItem, rssOf } from './fakeFeeds.ts';

const now = new Date('2026-09-07T12:00:00Z');
const fine = { title: 'a', link: 'https://a.test/1', guid: '1', date: 'Mon, 07 Sep 2026 09:50:00 GMT' };
const good = { 'content-type': 'application/rss+xml', etag: '"1"' };

type Given = {
  headers?: Record<string, string>;
  items?: readonly FakeItem[];
  movedTo?: string;
  body?: string;
  encoding?: string;
  doubles?: number;
  ttlMs?: number;
};

function warningsOf({
  headers = good,
  items = [fine],
  movedTo,
  body,
  encoding,
  doubles = 0,
  ttlMs = 0,
}: Given) {
  const reading = parseFeed(rssOf(items), { url: 'https://a.test/feed', zone: 'UTC' });
  const read: readonly FeedItem[] = reading.kind === 'parsed' ? reading.feed.items : [];
  const fresh = read.slice(doubles).map(item => ({ item, keys: [] }));
  const repeated = guidsWithSeveralUrls(read.map(item => ({ ...item, canonicalUrl: item.url })));
  return feedWarnings({
    answer: {
      kind: 'answered',
      status: 200,
      headers,
      body: Buffer.from(body ?? ''),
      url: 'https://a.test/feed',
      movedTo: movedTo ?? null,
    },
    encoding: encoding ?? 'utf-8',
    items: read,
    recognised: { fresh, seen: [], known: new Map(), repeated },
    ttlMs,
    now,
  });
}

describe('feedWarnings', () => {
  it('has nothing to say about a feed as it should be', () => {
    expect(warningsOf({})).toEqual([]);
  });

  it.each<[string, Given, string]>([
    ['a move', { movedTo: 'https://b.test/' }, 'it has moved for good to https://b.test/'],
    ['no type', { headers: { etag: '1' } }, 'it is served without a Content-Type'],
    [
      'a type of something else',
      { headers: { ...good, 'content-type': 'text/html' } },
      'it is served as text/html',
    ],
    [
      'a wait',
      { headers: { ...good, 'cache-control': 'max-age=3600' } },
      'it asks to be left alone for 60 min after each read',
    ],
    ['a wait of the document', { ttlMs: 1_800_000 }, 'it asks to be left alone for 30 min after each read'],
    [
      'no validators',
      { headers: { 'content-type': 'text/xml' } },
      'it has neither ETag nor Last-Modified, and is read whole each time',
    ],
    [
      'a declaration that lies',
      { body: '<?xml version="1.0" encoding="utf-8"?>', encoding: 'windows-1252' },
      'it says that it is utf-8, and its bytes are windows-1252',
    ],
    ['no items', { items: [] }, 'it holds no items'],
    ['an item without a link', { items: [{ ...fine, link: 'x:y' }] }, 'items without a link: 1'],
    [
      'an item without a date',
      { items: [{ title: 'a', link: 'https://a.test/1' }] },
      'items without a date that can be read, which count as first seen now: 1',
    ],
    [
      'an item of tomorrow',
      { items: [{ ...fine, date: 'Tue, 08 Sep 2026 12:00:00 GMT' }] },
      'items dated in the future, which count as first seen now: 1',
    ],
    [
      'a guid for all',
      { items: [fine, { ...fine, link: 'https://a.test/2' }] },
      'guids that stand for several links, and are not trusted: 1',
    ],
    ['doubles', { items: [fine, fine], doubles: 1 }, 'items that are another one again: 1'],
  ])('tells of %s', (_, given, warning) => {
    expect(warningsOf(given)).toEqual([warning]);
  });
});
