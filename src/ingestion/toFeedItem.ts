import type { BlankItem, FeedItem } from './FeedItem.ts';
import { parseFeedDate } from './parseFeedDate.ts';
import { collapsed, plainText } from './plainText.ts';
import { plainTitle, type TitleType } from './plainTitle.ts';
import { shortened } from './shortened.ts';
import { storable } from './storable.ts';

export type TypedText = { value: string | undefined; type: TitleType };

/** An item as a format's file picked it from the document: what all formats still have in common to do. */
export type RawItem = {
  guid: string | undefined;
  url: string | null;
  title: TypedText;
  /** In order of preference; the first that has text becomes the summary. */
  summaries: readonly TypedText[];
  content: string | undefined;
  author: string | undefined;
  tags: readonly (string | undefined)[];
  imageUrl: string | null;
  imageAlt: string | undefined;
  language: string | undefined;
  /** In order of preference; the first that can be read counts. */
  dates: readonly (string | undefined)[];
  source: string | undefined;
};

/** What was met while reading a document's dates; told once per document, not once per item. */
export type DateDoubts = { withoutOffset: number; unreadable: string[] };

const maxSummaryCharacters = 1_000;
/** What most platforms take. */
const maxImageAltCharacters = 1_500;
const maxTitleFromSummary = 100;
const maxRawTitleLength = 20_000;
/** A name, an id, a language: nobody's is longer, and a feed's own is repeated in each of its items. */
const maxNameLength = 2_000;
const maxTags = 100;
const maxTagLength = 200;
/** Entities and white space shrink: reading so much markup always fills a summary. */
const enoughForSummary = 8 * maxSummaryCharacters;

/** Null for an item that has nothing to say: no title, link or text. */
export function toFeedItem(raw: RawItem, zone: string, doubts: DateDoubts): FeedItem | null {
  const guid = cleaned(raw.guid);
  const summary = firstSummary(raw.summaries);
  const ownTitle = plainTitle(raw.title.value?.slice(0, maxRawTitleLength) ?? '', raw.title.type);
  const title = ownTitle || shortened(summary ?? '', maxTitleFromSummary) || raw.url;
  if (title === null) return null;
  return {
    guid,
    url: raw.url,
    title,
    ...(ownTitle === '' ? { isUntitled: true } : {}),
    summary,
    content: storable(raw.content ?? '').trim() || null,
    author: cleaned(raw.author),
    tags: distinct(raw.tags),
    imageUrl: raw.imageUrl,
    imageAlt: imageAlt(raw.imageAlt),
    language: cleaned(raw.language),
    publishedAt: firstDate(raw.dates, zone, doubts),
    source: cleaned(raw.source),
  };
}

/** What is still known of an item that has nothing to say. */
export function toBlankItem(raw: RawItem, place: number, zone: string, doubts: DateDoubts): BlankItem {
  return { place, guid: cleaned(raw.guid), publishedAt: firstDate(raw.dates, zone, doubts) };
}

function firstSummary(texts: readonly TypedText[]): string | null {
  for (const { value, type } of texts) {
    if (value === undefined) continue;
    const text =
      type === 'text' ? collapsed(value.slice(0, enoughForSummary)) : plainText(value, enoughForSummary);
    if (text !== '') return shortened(text, maxSummaryCharacters);
  }
  return null;
}

// Some publishers put markup into it.
function imageAlt(text: string | undefined): string | null {
  return shortened(plainText(text ?? '', enoughForSummary), maxImageAltCharacters) || null;
}

function firstDate(dates: readonly (string | undefined)[], zone: string, doubts: DateDoubts): Date | null {
  const given = dates.filter(date => date !== undefined);
  for (const text of given) {
    const date = parseFeedDate(text, zone);
    if (date === null) continue;
    if (!date.hasOffset) doubts.withoutOffset += 1;
    return date.at;
  }
  if (given[0] !== undefined) doubts.unreadable.push(given[0]);
  return null;
}

function distinct(tags: readonly (string | undefined)[]): string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) {
    if (seen.size === maxTags) break;
    const text = collapsed(tag?.slice(0, maxTagLength) ?? '');
    if (text !== '' && !seen.has(text.toLowerCase())) seen.set(text.toLowerCase(), text);
  }
  return [...seen.values()];
}

function cleaned(text: string | undefined): string | null {
  return collapsed(text?.slice(0, maxNameLength) ?? '') || null;
}
