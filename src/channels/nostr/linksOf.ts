import { canonicalUrl } from '../../network/canonicalUrl.ts';

/**
 * A link as notes are tagged with it and searched for by it: as it is, and without what only tracks its readers.
 * Relays compare letter by letter. Null: none.
 */
export function linksOf(url: string | null): readonly string[] {
  if (url === null) return [];
  const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isHttp ? [...new Set([url, canonicalUrl(url)])] : [url];
}
