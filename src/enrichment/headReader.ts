import { Parser } from 'htmlparser2';
import type { GivenImage } from './pageImage.ts';
import { isAddress } from './pageValues.ts';

const metaNames = [
  'og:description',
  'twitter:description',
  'description',
  'author',
  'article:author',
  'og:site_name',
  'application-name',
  'og:url',
  'og:locale',
  'twitter:image',
  'twitter:image:src',
  'twitter:image:width',
  'twitter:image:height',
  'twitter:image:alt',
] as const;

export type MetaName = (typeof metaNames)[number];

/** What was found in a page's head, as it stands there, entities decoded. */
export type PageHead = {
  /** The first of each name that is not blank. */
  metas: Map<MetaName, string>;
  /** Open Graph's, in the page's order. */
  images: GivenImage[];
  canonicals: string[];
  base: string | undefined;
  language: string | undefined;
  /** The texts of its JSON-LD scripts. */
  jsonLd: string[];
};

export type HeadReader = {
  head: PageHead;
  /** Takes the next part of a page. */
  write: (text: string) => void;
  /** Whether what follows is not looked at. */
  isDone: () => boolean;
};

type Attributes = Readonly<Record<string, string>>;

/** Deeper than any head. The parser's work on a tag grows with the depth, so more would be a way to hold it up. */
const maxDepth = 64;
const maxImages = 8;
const maxCanonicals = 8;
const maxValueLength = 20_000;
/** Of all scripts together, in characters: parsing that takes a few milliseconds. */
const maxJsonLdLength = 200_000;
const maxScripts = 20;

/**
 * Gathers what a page's head says, in memory bounded by its own: up to `</head>`, `<body>`, or a depth no head
 * has. A page that opens no body is read on: many put their `<meta>` behind a tag that no head may hold.
 */
export function createHeadReader(): HeadReader {
  const head: PageHead = {
    metas: new Map(),
    images: [],
    canonicals: [],
    base: undefined,
    language: undefined,
    jsonLd: [],
  };
  let isDone = false;
  let depth = 0;
  let jsonLdLength = 0;
  let script: string[] | null = null;
  const end = () => {
    isDone = true;
    parser.pause();
  };
  const parser = new Parser({
    onopentagname: name => {
      depth += 1;
      if (name === 'body' || name === 'frameset' || depth > maxDepth) end();
    },
    onopentag: (name, attributes) => {
      if (isDone) return;
      script = name === 'script' && isJsonLd(attributes) && head.jsonLd.length < maxScripts ? [] : null;
      readTag(head, name, attributes);
    },
    ontext: text => {
      if (script === null) return;
      jsonLdLength += text.length;
      if (jsonLdLength > maxJsonLdLength) script = null;
      else script.push(text);
    },
    onclosetag: name => {
      depth -= 1;
      if (name === 'script' && script !== null) head.jsonLd.push(script.join(''));
      if (name === 'script') script = null;
      if (name === 'head') end();
    },
  });
  return { head, write: text => parser.write(text), isDone: () => isDone };
}

function isJsonLd({ type = '' }: Attributes): boolean {
  return type.split(';', 1)[0]?.trim().toLowerCase() === 'application/ld+json';
}

function readTag(head: PageHead, name: string, attributes: Attributes): void {
  if (name === 'html') head.language ??= attributes.lang ?? attributes['xml:lang'];
  if (name === 'base') head.base ??= attributes.href;
  if (name === 'link') readLink(head, attributes);
  if (name === 'meta') readMeta(head, attributes);
}

function readLink(head: PageHead, { rel = '', href = '' }: Attributes): void {
  const isCanonical = rel.toLowerCase().split(/\s+/).includes('canonical');
  if (isCanonical && href !== '' && head.canonicals.length < maxCanonicals) head.canonicals.push(href);
}

function readMeta(head: PageHead, { property, name, content }: Attributes): void {
  const value = content?.slice(0, maxValueLength).trim() ?? '';
  if (value === '') return;
  for (const key of new Set([property, name].map(each => each?.trim().toLowerCase()))) {
    if (key === undefined) continue;
    if (key.startsWith('og:image')) readImage(head.images, key, value);
    const known = metaNames.find(each => each === key);
    if (known === undefined || head.metas.has(known)) continue;
    if (known.endsWith('author') && isAddress(value)) continue;
    head.metas.set(known, value);
  }
}

const imageParts: Readonly<Record<string, keyof GivenImage>> = {
  'og:image:secure_url': 'secureUrl',
  'og:image:width': 'width',
  'og:image:height': 'height',
  'og:image:alt': 'alt',
};

// A picture's parts follow its address; some publishers put them before it, so what has no address waits for one.
function readImage(images: GivenImage[], key: string, value: string): void {
  const isAddressOf = key === 'og:image' || key === 'og:image:url';
  const part = isAddressOf ? 'url' : imageParts[key];
  if (part === undefined) return;
  const current = images.at(-1);
  const isSame = key === 'og:image:url' && current?.url === value;
  if (isSame) return;
  if (current !== undefined && (part !== 'url' || current.url === undefined)) current[part] ??= value;
  else if (images.length < maxImages) images.push({ [part]: value });
}
