import type { JsonFeed } from 'feedsmith';
import { absoluteLink, resolveLink } from './resolveLink.ts';
import type { RawItem } from './toFeedItem.ts';

/** JSON Feed 1 and 1.1. Links are to be absolute there; relative ones are resolved all the same. */
export function jsonItem(
  item: JsonFeed.Item<string>,
  feed: JsonFeed.Feed<string>,
  documentUrl: string,
): RawItem {
  const bases = [documentUrl];
  return {
    guid: item.id,
    url: resolveLink(item.url ?? item.external_url, bases) ?? absoluteLink(item.id),
    title: { value: item.title, type: 'text' },
    summaries: [
      { value: item.summary, type: 'text' },
      { value: item.content_text, type: 'text' },
      { value: item.content_html, type: 'html' },
    ],
    content: item.content_html ?? item.content_text,
    author: item.authors?.[0]?.name ?? feed.authors?.[0]?.name,
    tags: item.tags ?? [],
    imageUrl: resolveLink(item.image ?? item.banner_image, bases),
    imageAlt: undefined,
    language: item.language ?? feed.language,
    dates: [item.date_published, item.date_modified],
    source: undefined,
  };
}
