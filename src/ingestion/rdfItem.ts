import type { RdfFeed } from 'feedsmith';
import { itemImage } from './itemImage.ts';
import { absoluteLink, resolveLink } from './resolveLink.ts';
import type { RawItem } from './toFeedItem.ts';

/** RSS 0.90 and 1.0, which are RDF: an item is known by `rdf:about`. */
export function rdfItem(
  item: RdfFeed.Item<string>,
  feed: RdfFeed.Feed<string>,
  documentUrl: string,
): RawItem {
  const bases = [documentUrl, feed.xml?.base, item.xml?.base];
  return {
    guid: item.rdf?.about,
    url: resolveLink(item.link, bases) ?? absoluteLink(item.rdf?.about),
    title: { value: item.title ?? item.dc?.titles?.[0], type: 'rss' },
    summaries: [
      { value: item.description, type: 'html' },
      { value: item.content?.encoded, type: 'html' },
      { value: item.dc?.descriptions?.[0], type: 'html' },
    ],
    content: item.content?.encoded ?? item.description,
    author: item.dc?.creators?.[0],
    tags: item.dc?.subjects ?? [],
    ...itemImage([], item.media, [], bases),
    language: item.dc?.languages?.[0] ?? feed.dc?.languages?.[0],
    dates: [
      item.dc?.dates?.[0],
      item.dcterms?.issued?.[0],
      item.dcterms?.created?.[0],
      item.dcterms?.modified?.[0],
    ],
    source: item.dc?.sources?.[0],
  };
}
