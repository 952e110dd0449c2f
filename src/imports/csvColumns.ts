import { didYouMean } from '../didYouMean.ts';

/** What a column can hold, with the headers by which it is known, in our own form of them. */
const fieldHeaders = {
  title: ['title', 'headline', 'name', 'subject', 'titel', 'titre', 'titulo'],
  url: ['url', 'link', 'href', 'permalink', 'address', 'webaddress', 'articleurl', 'posturl'],
  summary: ['summary', 'description', 'excerpt', 'teaser', 'abstract', 'text'],
  content: ['content', 'body', 'html', 'fulltext'],
  author: ['author', 'authors', 'creator', 'byline', 'writer', 'autor'],
  tags: ['tags', 'tag', 'keywords', 'categories', 'category', 'labels', 'topics'],
  publishedAt: [
    'publishedat',
    'published',
    'publishedon',
    'date',
    'pubdate',
    'publishdate',
    'postdate',
    'datum',
    'time',
    'createdat',
    'created',
  ],
  image: ['image', 'imageurl', 'picture', 'thumbnail', 'photo', 'featuredimage', 'cover'],
  imageAlt: ['imagealt', 'alt', 'alttext', 'imagedescription'],
  guid: ['guid', 'id', 'uid', 'identifier'],
  language: ['language', 'lang', 'locale'],
} as const;

export type CsvField = keyof typeof fieldHeaders;
export const csvFields = Object.keys(fieldHeaders).filter(isCsvField);

/** Which cell of a row holds what, by its place. */
export type CsvColumns = ReadonlyMap<CsvField, number>;
export type MappedColumns =
  | { kind: 'mapped'; columns: CsvColumns; unused: readonly string[] }
  | { kind: 'unmapped'; reason: string };

/**
 * Finds out what each column holds by its header: the names that a person gave it first (`wanted`), else by what
 * such columns are called, whatever the case and the punctuation; of two that fit, the better known name counts,
 * then the first.
 */
export function mapColumns(header: readonly string[], wanted: ReadonlyMap<CsvField, string>): MappedColumns {
  const names = header.map(plainName);
  const columns = new Map<CsvField, number>();
  for (const [field, name] of wanted) {
    const place = names.indexOf(plainName(name));
    if (place === -1) return { kind: 'unmapped', reason: noColumn(name, header) };
    columns.set(field, place);
  }
  const isTaken = (place: number) => [...columns.values()].includes(place);
  for (const field of csvFields.filter(each => !columns.has(each))) {
    const places = fieldHeaders[field].map(alias =>
      names.findIndex((name, place) => name === alias && !isTaken(place)),
    );
    const place = places.find(found => found !== -1);
    if (place !== undefined) columns.set(field, place);
  }
  if (!columns.has('title') && !columns.has('url')) return { kind: 'unmapped', reason: noTitle(header) };
  return {
    kind: 'mapped',
    columns,
    unused: header.filter((name, place) => name.trim() !== '' && !isTaken(place)),
  };
}

/** Whether a text names what a column can hold. */
export function isCsvField(text: string): text is CsvField {
  return Object.hasOwn(fieldHeaders, text);
}

function plainName(header: string): string {
  return header
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function noTitle(header: readonly string[]): string {
  return (
    `no column holds a title or a URL; the first line has ${header.map(name => JSON.stringify(name)).join(', ')}: ` +
    'say which it is, such as --map title=Headline'
  );
}

function noColumn(name: string, header: readonly string[]): string {
  const names = header.map(each => each.trim().slice(0, 60));
  return `there is no column "${name}"${didYouMean(name, names)}, only: ${names.join(', ')}`;
}
