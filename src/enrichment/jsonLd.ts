import { decodeHTMLStrict } from 'entities';
import type { GivenImage } from './pageImage.ts';
import { isAddress } from './pageValues.ts';

/** What a page's JSON-LD says of it, as it stands there. */
export type JsonLd = {
  description: string | undefined;
  author: string | undefined;
  language: string | undefined;
  images: GivenImage[];
};

type Node = Readonly<Record<string, unknown>>;

const article = /(?:Article|Posting|\bReport)$/;
const page = /Page$/;

const maxNodes = 1_000;
/** Of the articles and pages among them: those of a list of others come behind. */
const maxRead = 20;
const maxListed = 5;
const maxTextLength = 20_000;

/**
 * Reads the article, else the page, in JSON-LD scripts (https://schema.org/Article, /WebPage): of an article's
 * own fields and its page's, the article's. Scripts that are no JSON are passed over. Looks into arrays,
 * `@graph` and references by `@id` of one step, at no more than 1,000 nodes.
 */
export function readJsonLd(scripts: readonly string[]): JsonLd {
  const nodes = scripts.flatMap(script => nodesOf(parsed(script), 2)).slice(0, maxNodes);
  const byId = new Map(nodes.map(node => [node['@id'], node]));
  const named = (value: unknown) =>
    listOf(value)
      .slice(0, maxListed)
      .map(each => resolved(each, byId));
  const read = [...nodes.filter(isOf(article)), ...nodes.filter(isOf(page))].slice(0, maxRead);
  return {
    description: firstOf(read, ({ description }) => textOf(description)),
    author: firstOf(read, ({ author }) => authorsOf(named(author))),
    language: firstOf(read, ({ inLanguage }) => languageOf(inLanguage)),
    images: read.flatMap(({ image }) => named(image).flatMap(imageOf)),
  };
}

const opening = /^\s*(?:<!--|(?:\/\/\s*)?<!\[CDATA\[)/;
const closing = /(?:-->|(?:\/\/\s*)?\]\]>)\s*$/;

/** Some wrap it in what once hid scripts from browsers: a comment, or CDATA. */
function parsed(script: string): unknown {
  try {
    return JSON.parse(script.trim().replace(opening, '').replace(closing, ''));
  } catch {
    return null;
  }
}

function nodesOf(value: unknown, depth: number): Node[] {
  if (Array.isArray(value))
    return depth === 0 ? [] : value.slice(0, maxNodes).flatMap(each => nodesOf(each, depth - 1));
  if (!isNode(value)) return [];
  const inner = depth === 0 ? [] : listOf(value['@graph']).filter(isNode);
  return [value, ...inner];
}

function isOf(type: RegExp): (node: Node) => boolean {
  return node => listOf(node['@type']).some(each => typeof each === 'string' && type.test(each));
}

/** A reference is what it refers to, where that is on the page. */
function resolved(value: unknown, byId: ReadonlyMap<unknown, Node>): unknown {
  if (!isNode(value)) return value;
  const saysItself = value.name ?? value.url ?? value.contentUrl;
  return saysItself === undefined ? (byId.get(value['@id']) ?? value) : value;
}

function authorsOf(authors: readonly unknown[]): string | undefined {
  const names = authors
    .map(author => textOf(isNode(author) ? author.name : author))
    .filter(name => name !== undefined && !isAddress(name));
  return names.length === 0 ? undefined : [...new Set(names)].join(', ');
}

/** schema.org has it as a tag, or as a Language with a name, which is one in practice. */
function languageOf(value: unknown): string | undefined {
  const [language] = listOf(value);
  return textOf(isNode(language) ? (language.alternateName ?? language.name) : language);
}

function imageOf(image: unknown): GivenImage[] {
  if (typeof image === 'string') return [{ url: textOf(image) }];
  if (!isNode(image)) return [];
  const url = textOf(image.url) ?? textOf(image.contentUrl);
  const alt = textOf(image.caption);
  return [{ url, width: sizeOf(image.width), height: sizeOf(image.height), alt }];
}

/** A number, a text, or a QuantitativeValue. */
function sizeOf(size: unknown): string | undefined {
  return textOf(isNode(size) ? size.value : size);
}

// Publishers escape here as they do in HTML, though a script's text has no entities.
function textOf(value: unknown): string | undefined {
  const [given] = listOf(value);
  const text = isNode(given) ? given['@value'] : given;
  if (typeof text === 'number') return String(text);
  return typeof text === 'string' && text.trim() !== ''
    ? decodeHTMLStrict(text.slice(0, maxTextLength))
    : undefined;
}

function firstOf(nodes: readonly Node[], read: (node: Node) => string | undefined): string | undefined {
  for (const node of nodes) {
    const value = read(node);
    if (value !== undefined) return value;
  }
  return undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
