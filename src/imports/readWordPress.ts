import { toFeedItem } from '../ingestion/toFeedItem.ts';
import { detectEncoding } from './detectEncoding.ts';
import { findFileProblem } from './openFile.ts';
import { readText } from './readText.ts';
import type { Reading, SourceRow } from './SourceRow.ts';
import { mostArticleCharacters } from './sizes.ts';
import { type DateTally, tallyDates } from './tallyDates.ts';
import { leftOutAs, type WordPressImage, type WordPressItem, wordpressPost } from './wordpressItem.ts';
import { wordpressItems } from './wordpressItems.ts';

export type WordPressOptions = {
  /** Dates without an offset are read in it. */
  zone: string;
  signal: AbortSignal;
};

/** What posts only refer to. */
type Index = {
  images: Map<string, WordPressImage>;
  /** The first picture that was uploaded to each post. */
  imagesOfPosts: Map<string, WordPressImage>;
  authors: Map<string, string>;
  /** Of all of them together. */
  characters: number;
};

const mostIndexedCharacters = 40_000_000;
const mostReferenceLength = 2_000;

/**
 * Reads the posts of a WordPress export (Tools, Export) that everyone can read there. Twice: pictures and names
 * of authors may stand behind the posts that refer to them.
 */
export async function* readWordPress(path: string, { zone, signal }: WordPressOptions): Reading {
  const problem = await findFileProblem(path);
  if (problem !== null) return yield { kind: 'unreadable', reason: problem };
  const encoding = await detectEncoding(path, signal);
  const parts = () => wordpressItems(readText(path, encoding, signal));
  const index = await indexOf(parts());
  if ('reason' in index) return yield { kind: 'unreadable', reason: index.reason };
  const dates = tallyDates(zone);
  for await (const part of parts()) {
    if (part.kind === 'unreadable') return yield part;
    if (part.kind === 'item') yield readItem(part, { index, zone, dates });
  }
  if (index.characters > mostIndexedCharacters) yield { kind: 'note', text: tooManyReferences };
  for (const text of dates.notes()) yield { kind: 'note', text };
}

async function indexOf(parts: ReturnType<typeof wordpressItems>): Promise<Index | { reason: string }> {
  const index: Index = { images: new Map(), imagesOfPosts: new Map(), authors: new Map(), characters: 0 };
  let isExport = false;
  for await (const part of parts) {
    if (part.kind === 'unreadable') return { reason: part.reason };
    if (part.kind === 'export') isExport = true;
    if (part.kind === 'item') isExport ||= part.item?.texts.has('wp:post_type') ?? false;
    if (index.characters > mostIndexedCharacters) continue;
    if (part.kind === 'author') indexAuthor(part, index);
    if (part.kind === 'item' && part.item) indexAttachment(part.item, index);
  }
  return isExport
    ? index
    : { reason: 'it is a feed, but no WordPress export: export it under Tools, Export' };
}

function indexAuthor({ login, name }: { login: string; name: string }, index: Index): void {
  index.authors.set(reference(login), reference(name));
  index.characters += login.length + name.length;
}

function indexAttachment({ texts, meta }: WordPressItem, index: Index): void {
  const { images, imagesOfPosts } = index;
  const url = texts.get('wp:attachment_url')?.trim();
  if (texts.get('wp:post_type') !== 'attachment' || !url || url.length > mostReferenceLength) return;
  const image = { url, alt: reference(meta.get('_wp_attachment_image_alt') ?? '') || null };
  index.characters += url.length + (image.alt?.length ?? 0);
  images.set(reference(texts.get('wp:post_id') ?? ''), image);
  const post = reference(texts.get('wp:post_parent') ?? '');
  const isPicture = /\.(jpe?g|png|gif|webp|avif)$/i.test(url);
  if (isPicture && post !== '' && post !== '0' && !imagesOfPosts.has(post)) imagesOfPosts.set(post, image);
}

/** Cut to a length, and as a copy: a part of a text keeps all of it in memory. */
function reference(text: string): string {
  return Buffer.from(text.trim().slice(0, mostReferenceLength)).toString();
}

function readItem(
  { row, item }: { row: number; item: WordPressItem | null },
  { index, zone, dates }: { index: Index; zone: string; dates: DateTally },
): SourceRow {
  if (item === null) {
    return {
      kind: 'bad',
      row,
      reason: `it is longer than ${mostArticleCharacters.toLocaleString('en')} characters`,
    };
  }
  const leftOut = leftOutAs(item);
  if (leftOut !== null) return { kind: 'left_out', what: leftOut };
  const { texts, meta } = item;
  const login = texts.get('dc:creator')?.trim() ?? '';
  const thumbnail = index.images.get(meta.get('_thumbnail_id')?.trim() ?? '');
  const image = thumbnail ?? index.imagesOfPosts.get(texts.get('wp:post_id')?.trim() ?? '') ?? null;
  const raw = wordpressPost(item, { author: index.authors.get(login) || login || undefined, image });
  const read = dates.doubtsOf(doubts => toFeedItem(raw, zone, doubts));
  return read === null
    ? { kind: 'bad', row, reason: 'it has no title, no link and no text' }
    : { kind: 'article', row, item: read };
}

const tooManyReferences = 'it has more pictures and authors than are kept in memory: the last were left out';
