import { md5Uuid } from '../models/md5Uuid.ts';

export type KeyedArticle = {
  feedId: number;
  canonicalUrl: string | null;
  guid: string | null;
  title: string;
  /** As the feed gave it; null where it gave none: the time first seen would be another at each read. */
  publishedAt: Date | null;
};

/**
 * What makes an article one publication in a channel, whichever feed it came from: its canonical URL; without
 * a URL the feed's guid, else title and date.
 */
export function urlKey({ feedId, canonicalUrl, guid, title, publishedAt }: KeyedArticle): string {
  if (canonicalUrl !== null) return md5Uuid(canonicalUrl);
  if (guid !== null) return md5Uuid(JSON.stringify(['guid', feedId, guid]));
  return md5Uuid(JSON.stringify(['title', feedId, title, publishedAt?.toISOString() ?? null]));
}
