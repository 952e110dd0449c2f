import { setImmediate as afterOthers } from 'node:timers/promises';
import { decodePage } from './decodePage.ts';
import { createHeadReader, type MetaName, type PageHead } from './headReader.ts';
import { readJsonLd } from './jsonLd.ts';
import { firstImage, type GivenImage, type PageImage } from './pageImage.ts';
import { httpUrl, languageTag, shortText } from './pageValues.ts';

/** What a page says about itself in its head. Null: it does not say, or nothing that can be used. */
export type PageMetadata = {
  /** At most 2,000 characters. */
  description: string | null;
  /** A name or several, never an address. At most 200 characters. */
  author: string | null;
  /** A BCP 47 tag in its canonical form, such as `en-US`. */
  language: string | null;
  /** At most 200 characters. */
  siteName: string | null;
  /** The page's own word for its address, absolute: it may be on any host. */
  pageUrl: string | null;
  image: PageImage | null;
};

export type Page = {
  body: Buffer;
  /** The HTTP header, or null. */
  contentType: string | null;
  /** Where it came from, after redirects. */
  url: string;
};

const maxPageBytes = 512 * 1024;
/** In characters. What a hostile page makes of one takes a few milliseconds. */
const sliceLength = 16_384;

const maxDescription = 2_000;
const maxName = 200;

/**
 * Reads what a page says about itself, from its beginning to the end of its head, at most 512 kB. Of several
 * sources the first that has something is taken: for description and picture Open Graph, then Twitter's cards,
 * then (description) `<meta name="description">`, then JSON-LD; for the author `<meta name="author">`,
 * `article:author`, JSON-LD; for the language `<html lang>`, `og:locale`, JSON-LD; for the site `og:site_name`,
 * `application-name`; for the address `<link rel="canonical">`, `og:url`. Where a source is there twice, the
 * first wins. Lets other work run in between, as it reads in the main thread. Never throws, whatever the page.
 */
export async function readPage({ body, contentType, url }: Page): Promise<PageMetadata> {
  const text = decodePage(body, contentType, maxPageBytes);
  const reader = createHeadReader();
  for (let at = 0; at < text.length && !reader.isDone(); at += sliceLength) {
    await afterOthers();
    reader.write(text.slice(at, at + sliceLength));
  }
  await afterOthers();
  return metadataOf(reader.head, url);
}

function metadataOf(head: PageHead, url: string): PageMetadata {
  const base = httpUrl(head.base, url) ?? url;
  const linked = readJsonLd(head.jsonLd);
  const said = (...names: MetaName[]) => names.map(name => head.metas.get(name));
  const authors = [...said('author', 'article:author'), linked.author];
  return {
    description: first(
      [...said('og:description', 'twitter:description', 'description'), linked.description],
      text => shortText(text, maxDescription),
    ),
    author: first(authors, text => shortText(text, maxName)),
    language: first([head.language, ...said('og:locale'), linked.language], languageTag),
    siteName: first(said('og:site_name', 'application-name'), text => shortText(text, maxName)),
    pageUrl: first([...head.canonicals, ...said('og:url')], link => httpUrl(link, base)),
    image: firstImage([...head.images, twitterImage(head), ...linked.images], base),
  };
}

function twitterImage({ metas }: PageHead): GivenImage {
  return {
    url: metas.get('twitter:image') ?? metas.get('twitter:image:src'),
    width: metas.get('twitter:image:width'),
    height: metas.get('twitter:image:height'),
    alt: metas.get('twitter:image:alt'),
  };
}

function first(given: readonly (string | undefined)[], read: (text: string) => string | null): string | null {
  for (const text of given) {
    const value = text === undefined ? null : read(text);
    if (value !== null) return value;
  }
  return null;
}
