import {
  type AtomFeed,
  type JsonFeed,
  parseFeed as parseAnyFeed,
  parseAtomFeed,
  parseJsonFeed,
  parseRdfFeed,
  parseRssFeed,
  type RdfFeed,
  type RssFeed,
} from 'feedsmith';
import { atomItem, textType } from './atomItem.ts';
import { documentLimits, moreThan } from './documentLimits.ts';
import { entityAttack } from './entityAttack.ts';
import type { BlankItem, FeedFormat, FeedItem, ParsedFeed } from './FeedItem.ts';
import { jsonExcess } from './jsonExcess.ts';
import { jsonItem } from './jsonItem.ts';
import { measureXml } from './measureXml.ts';
import { otherDocument } from './otherDocument.ts';
import { plainTitle, type TitleType } from './plainTitle.ts';
import { withQuotedIds } from './quotedIds.ts';
import { rdfItem } from './rdfItem.ts';
import { rssItem } from './rssItem.ts';
import { type DateDoubts, type RawItem, toBlankItem, toFeedItem } from './toFeedItem.ts';
import { ttlMs } from './ttlMs.ts';
import { withoutBase64 } from './withoutBase64.ts';
import { rootName, withoutDoctype } from './withoutDoctype.ts';
import { withoutPreamble } from './withoutPreamble.ts';

export type FeedReading = { kind: 'parsed'; feed: ParsedFeed } | { kind: 'unreadable'; detail: string };

export type FeedContext = {
  /** The document's URL after redirects: links are resolved against it. */
  url: string;
  /** IANA name of the workspace's zone: dates without an offset are read in it. */
  zone: string;
};

const { maxItems } = documentLimits;

type Document = {
  format: FeedFormat;
  title: string | undefined;
  titleType: TitleType;
  items: RawItem[];
  ttlMs?: number;
};

/**
 * Reads RSS, Atom, RDF and JSON Feed. feedsmith takes the document apart; links, dates and titles are read by
 * our own stricter steps. What is no feed, ends in the middle or holds more than any feed does is `unreadable`:
 * never a feed without items. Pure, and up to seconds long for what was made to be: see FeedParser.
 */
export function parseFeed(text: string, context: FeedContext): FeedReading {
  const { xml, doctype } = withoutDoctype(withoutPreamble(text));
  const attack = entityAttack(doctype);
  if (attack !== null) return { kind: 'unreadable', detail: attack };
  const root = rootName(xml);
  const document = root === null ? xml : withLastBracket(withoutBase64(xml));
  if (root !== null && !hasEnd(document, root)) {
    return { kind: 'unreadable', detail: `the document ends before </${root}>` };
  }
  const { excess, hasItems } =
    root === null ? { excess: jsonExcess(document), hasItems: false } : measureXml(document);
  if (excess !== null) return { kind: 'unreadable', detail: excess };
  const read = readDocument(document, root, context.url);
  if ('detail' in read) return { kind: 'unreadable', detail: read.detail };
  // Broken nesting, such as an element before the items that is never closed.
  if (hasItems && read.items.length === 0) {
    return { kind: 'unreadable', detail: 'its items stand where a feed has none' };
  }
  return { kind: 'parsed', feed: finish(read, context) };
}

/** A document that lacks no more than its very last `>` is whole. */
function withLastBracket(xml: string): string {
  return /<\/[\w:.-]+\s*$/.test(xml.slice(-100)) ? `${xml}>` : xml;
}

function hasEnd(xml: string, root: string): boolean {
  return xml.toLowerCase().lastIndexOf(`</${root.toLowerCase()}`) !== -1;
}

function readDocument(text: string, root: string | null, url: string): Document | { detail: string } {
  try {
    const document = takeApart(text, root, url);
    return document.items.length > maxItems ? { detail: moreThan(maxItems, 'items') } : document;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return { detail: otherDocument(root) ?? `no RSS, Atom, RDF or JSON feed${cause}` };
  }
}

/** By the root element: an Atom feed that quotes `<rss>` in an article is not RSS. */
function takeApart(text: string, root: string | null, url: string): Document {
  const name = root?.toLowerCase().replace(/^.*:/, '');
  if (name === 'rss') return fromRss(parseRssFeed<string>(text), url);
  if (name === 'feed') return fromAtom(parseAtomFeed<string>(text), url);
  if (name === 'rdf') return fromRdf(parseRdfFeed<string>(text), url);
  if (root === null) return fromJson(parseJsonFeed<string>(withQuotedIds(text)), url);
  const any = parseAnyFeed<string>(text);
  if (any.format === 'rss') return fromRss(any.feed, url);
  if (any.format === 'atom') return fromAtom(any.feed, url);
  return any.format === 'rdf' ? fromRdf(any.feed, url) : fromJson(any.feed, url);
}

function fromRss(feed: RssFeed.Feed<string>, url: string): Document {
  const items = (feed.items ?? []).map(item => rssItem(item, feed, url));
  const title = feed.title ?? feed.dc?.titles?.[0];
  return { format: 'rss', title, titleType: 'rss', items, ttlMs: ttlMs(feed.ttl) };
}

function fromRdf(feed: RdfFeed.Feed<string>, url: string): Document {
  const items = (feed.items ?? []).map(item => rdfItem(item, feed, url));
  return { format: 'rdf', title: feed.title ?? feed.dc?.titles?.[0], titleType: 'rss', items };
}

function fromAtom(feed: AtomFeed.Feed<string>, url: string): Document {
  const items = (feed.entries ?? []).map(entry => atomItem(entry, feed, url));
  return { format: 'atom', title: feed.title?.value, titleType: textType(feed.title?.type), items };
}

function fromJson(feed: JsonFeed.Feed<string>, url: string): Document {
  const items = (feed.items ?? []).map(item => jsonItem(item, feed, url));
  return { format: 'json', title: feed.title, titleType: 'text', items };
}

function finish({ format, title, titleType, items, ttlMs = 0 }: Document, { zone }: FeedContext): ParsedFeed {
  const doubts: DateDoubts = { withoutOffset: 0, unreadable: [] };
  const read: FeedItem[] = [];
  const blanks: BlankItem[] = [];
  for (const [place, raw] of items.entries()) {
    const item = toFeedItem(raw, zone, doubts);
    if (item === null) blanks.push(toBlankItem(raw, place, zone, doubts));
    else read.push(item);
  }
  const warnings = dateWarnings(doubts, zone);
  if (blanks.length > 0) warnings.push(`items without title, link and text, left out: ${blanks.length}`);
  return { format, title: plainTitle(title ?? '', titleType) || null, items: read, blanks, ttlMs, warnings };
}

function dateWarnings({ withoutOffset, unreadable }: DateDoubts, zone: string): string[] {
  const warnings: string[] = [];
  if (withoutOffset > 0) warnings.push(`dates that name no offset, read in ${zone}: ${withoutOffset}`);
  if (unreadable[0] !== undefined) {
    const example = JSON.stringify(unreadable[0].slice(0, 60));
    warnings.push(
      `dates that cannot be read and count as first seen now: ${unreadable.length}, such as ${example}`,
    );
  }
  return warnings;
}
