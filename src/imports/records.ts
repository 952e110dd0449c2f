import { z } from 'zod';
import type { FeedItem } from '../ingestion/FeedItem.ts';
import type { ImportRecord } from '../models/importRows.ts';

/** A feed as an OPML file lists it, ready to be added. */
export type FeedRecord = { name: string; url: string };

const text = z.string().nullable();
const article = z.object({
  guid: text,
  url: text,
  title: z.string(),
  isUntitled: z.literal(true).exactOptional(),
  summary: text,
  content: text,
  author: text,
  tags: z.array(z.string()),
  imageUrl: text,
  imageAlt: text,
  language: text,
  publishedAt: z.iso.datetime().nullable(),
  source: text,
});
const feed = z.object({ name: z.string(), url: z.string() });

/** An article as JSON keeps it. */
export function recordOfArticle(item: FeedItem): ImportRecord {
  return { ...item, publishedAt: item.publishedAt?.toISOString() ?? null };
}

/** What `recordOfArticle` made. Throws for anything else. */
export function articleOfRecord(record: ImportRecord): FeedItem {
  const { publishedAt, ...rest } = article.parse(record);
  return { ...rest, publishedAt: publishedAt === null ? null : new Date(publishedAt) };
}

/** A feed as JSON kept it. Throws for anything else. */
export function feedOfRecord(record: ImportRecord): FeedRecord {
  return feed.parse(record);
}
