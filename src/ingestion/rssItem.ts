import type { RssFeed } from 'feedsmith';
import { itemImage } from './itemImage.ts';
import { absoluteLink, alternateLink, resolveLink } from './resolveLink.ts';
import type { RawItem } from './toFeedItem.ts';

/** RSS 0.9x and 2.0. `documentUrl`: after redirects. */
export function rssItem(
  item: RssFeed.Item<string>,
  feed: RssFeed.Feed<string>,
  documentUrl: string,
): RawItem {
  const bases = [documentUrl, feed.xml?.base, item.xml?.base];
  return {
    guid: item.guid?.value,
    url: rssLink(item, bases),
    title: {
      value: item.title ?? item.dc?.titles?.[0] ?? item.itunes?.title ?? item.media?.title?.value,
      type: 'rss',
    },
    summaries: [
      { value: item.description, type: 'html' },
      { value: item.content?.encoded, type: 'html' },
      { value: item.dc?.descriptions?.[0], type: 'html' },
      { value: item.itunes?.summary, type: 'html' },
      { value: item.media?.description?.value, type: 'html' },
    ],
    content: item.content?.encoded ?? item.description,
    author: item.authors?.find(author => author.name)?.name ?? item.dc?.creators?.[0] ?? item.itunes?.author,
    tags: [
      ...(item.categories ?? []).map(category => category.name),
      ...(item.dc?.subjects ?? []),
      ...(item.media?.keywords ?? []),
    ],
    ...itemImage([item.itunes?.image], item.media, item.enclosures ?? [], bases),
    language: item.xml?.lang ?? item.dc?.languages?.[0] ?? feed.language,
    dates: [
      item.pubDate,
      item.dc?.dates?.[0],
      item.dcterms?.issued?.[0],
      item.dcterms?.created?.[0],
      item.dcterms?.modified?.[0],
      item.atom?.published,
      item.atom?.updated,
    ],
    source: item.source?.url ?? item.source?.title,
  };
}

/** `link`, else a guid that is a permalink, which it is unless it denies it, else an Atom link. */
function rssLink(item: RssFeed.Item<string>, bases: readonly (string | undefined)[]): string | null {
  const permalink = item.guid?.isPermaLink === false ? undefined : item.guid?.value;
  return (
    resolveLink(item.link, bases) ??
    absoluteLink(permalink) ??
    resolveLink(alternateLink(item.atom?.links), bases)
  );
}
