import type { NewArticle } from '../models/articles.ts';
import { md5Uuid } from '../models/md5Uuid.ts';
import type { FeedItem, LinkedItem } from './FeedItem.ts';
import { urlKey } from './urlKey.ts';

/** Clocks differ a little; a date further ahead is no date. */
const aheadMs = 3_600_000;

/** The date that an item gives, or null for none and for one in the future: nothing waits until 2099. */
export function believedDate({ publishedAt }: FeedItem, now: Date): Date | null {
  return publishedAt !== null && publishedAt.getTime() <= now.getTime() + aheadMs ? publishedAt : null;
}

/** A feed's item as an article first seen `now`. */
export function toArticle(
  item: LinkedItem & { canonicalUrl: string | null },
  feedId: number,
  now: Date,
): NewArticle {
  const date = believedDate(item, now);
  const { guid, url, title, summary, content, author, language, tags, imageUrl, imageAlt } = item;
  const canonicalUrl = item.resolvedUrl ?? item.canonicalUrl;
  const text = { title, summary, content, author, language, tags, imageUrl };
  // Named only where there is one: what was read by an older version has not changed for it.
  const hashed = imageAlt === null ? text : { ...text, imageAlt };
  return {
    guid,
    url,
    canonicalUrl,
    urlKey: urlKey({ ...item, canonicalUrl, feedId }),
    publishedAt: date ?? now,
    isDated: date !== null,
    ...text,
    imageAlt,
    contentHash: md5Uuid(JSON.stringify(hashed)),
  };
}
