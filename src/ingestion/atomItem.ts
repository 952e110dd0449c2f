import type { AtomFeed } from 'feedsmith';
import { itemImage } from './itemImage.ts';
import type { TitleType } from './plainTitle.ts';
import { absoluteLink, alternateLink, resolveLink } from './resolveLink.ts';
import type { RawItem, TypedText } from './toFeedItem.ts';

/** Atom 1.0 and 0.3. */
export function atomItem(
  entry: AtomFeed.Entry<string>,
  feed: AtomFeed.Feed<string>,
  documentUrl: string,
): RawItem {
  const bases = [documentUrl, feed.xml?.base, entry.xml?.base];
  const enclosures = (entry.links ?? []).filter(link => link.rel === 'enclosure');
  return {
    guid: entry.id,
    url: atomLink(entry, bases),
    title: typed(entry.title),
    summaries: [typed(entry.summary), typed(entry.content), { value: mediaText(entry), type: 'html' }],
    content: entry.content?.value ?? entry.summary?.value,
    author: personName(entry.authors) ?? entry.dc?.creators?.[0] ?? personName(feed.authors),
    tags: (entry.categories ?? []).map(category => category.label ?? category.term),
    ...itemImage(
      [],
      entry.media,
      enclosures.map(({ href, type }) => ({ url: href, type })),
      bases,
    ),
    language: entry.xml?.lang ?? feed.xml?.lang,
    dates: [entry.published, entry.updated, entry.dc?.dates?.[0]],
    source: entry.source?.id ?? entry.source?.title?.value,
  };
}

/** `alternate`, else content that lies elsewhere, else an id that is itself the only address given. */
function atomLink(entry: AtomFeed.Entry<string>, bases: readonly (string | undefined)[]): string | null {
  const hasLinks = (entry.links ?? []).length > 0;
  return (
    resolveLink(alternateLink(entry.links), bases) ??
    resolveLink(entry.content?.src, bases) ??
    (hasLinks ? null : absoluteLink(entry.id))
  );
}

function typed(text: { value?: string; type?: string } | undefined): TypedText {
  return { value: text?.value, type: textType(text?.type) };
}

const plainTypes = new Set([undefined, 'text', 'text/plain', 'application/octet-stream']);

/** RFC 4287, section 3.1.1; Atom 0.3 has media types instead. */
export function textType(type: string | undefined): TitleType {
  return plainTypes.has(type) ? 'text' : 'html';
}

function personName(people: readonly AtomFeed.Person[] | undefined): string | undefined {
  return people?.find(person => person.name)?.name;
}

function mediaText(entry: AtomFeed.Entry<string>): string | undefined {
  return entry.media?.description?.value ?? entry.media?.groups?.[0]?.description?.value;
}
