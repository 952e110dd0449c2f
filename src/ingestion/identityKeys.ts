import { md5Uuid } from '../models/md5Uuid.ts';

/** What an item can be known by. */
export type Identity = {
  guid: string | null;
  canonicalUrl: string | null;
  /** The canonical address that its link led to, if another and known. */
  resolvedUrl?: string | null;
  title: string;
  /** As the feed gave it. */
  publishedAt: Date | null;
  source: string | null;
};

/**
 * The keys of an item, hashed: guid, canonical URL, the one that it led to, and for an item without any its
 * title with date or source. Any of them that is known means that the item was seen, since feeds change one at
 * a time: a new guid for all after a move, a new URL for an edited headline. `repeatedGuids` are no keys.
 */
export function identityKeys(item: Identity, repeatedGuids: ReadonlySet<string>): string[] {
  const { guid, canonicalUrl, resolvedUrl = null, title, publishedAt, source } = item;
  const keys: string[] = [];
  if (guid !== null && !repeatedGuids.has(guid)) keys.push(md5Uuid(`guid:${guid}`));
  if (canonicalUrl !== null) keys.push(urlIdentityKey(canonicalUrl));
  if (resolvedUrl !== null) keys.push(urlIdentityKey(resolvedUrl));
  if (keys.length > 0) return keys;
  return [md5Uuid(`title:${JSON.stringify([title, publishedAt?.toISOString() ?? source])}`)];
}

/** The key of an item at a canonical URL. */
export function urlIdentityKey(canonicalUrl: string): string {
  return md5Uuid(`url:${canonicalUrl}`);
}

/** The guids that one document gives to different URLs: they tell nothing apart. */
export function guidsWithSeveralUrls(items: readonly Identity[]): Set<string> {
  const urls = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { guid, canonicalUrl } of items) {
    if (guid === null || canonicalUrl === null) continue;
    const first = urls.get(guid) ?? canonicalUrl;
    urls.set(guid, first);
    if (first !== canonicalUrl) repeated.add(guid);
  }
  return repeated;
}

/**
 * The key that remembers a repeated guid: once a feed was seen to repeat it, a later document that happens to
 * hold it only once must not take its item for the old one.
 */
export function repeatedGuidKey(guid: string): string {
  return md5Uuid(`repeated-guid:${guid}`);
}
