import { bytes } from '../../text/bytes.ts';
import { type CutText, cutText } from '../../text/cutText.ts';
import { fitWithLink } from '../../text/fitWithLink.ts';
import { graphemes } from '../../text/graphemes.ts';
import type { Post } from '../Channel.ts';
import { type Facet, findFacets } from './facets.ts';
import type { BlueskySettings } from './settings.ts';

/** A file that was uploaded, as the PDS names it. */
export type Blob = { $type: 'blob'; ref: { $link: string }; mimeType: string; size: number };

type Card = { uri: string; title: string; description: string; thumb?: Blob };
type Picture = { image: Blob; alt: string };
type Embed =
  | { $type: 'app.bsky.embed.external'; external: Card }
  | { $type: 'app.bsky.embed.images'; images: [Picture] };

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json */
export type PostRecord = {
  $type: 'app.bsky.feed.post';
  text: string;
  facets?: Facet[];
  langs?: string[];
  labels?: { $type: 'com.atproto.label.defs#selfLabels'; values: { val: string }[] };
  embed?: Embed;
  createdAt: string;
};

export const maxGraphemes = 300;
export const maxBytes = 3_000;
const maxAltGraphemes = 1_000;

/** Both limits as one: a text of 3,000 bytes measures 300, as one of 300 graphemes does. */
const measure = (text: string) =>
  Math.max(graphemes(text), Math.ceil((bytes(text) * maxGraphemes) / maxBytes));

/**
 * The record of a post, and what was cut of it. `createdAt` is when it was composed, not `postCreatedAt`: clients
 * order by it, and an article that waited for days would come out below the posts of those days. `picture` null:
 * it goes without one.
 */
export function composeRecord(
  post: Post,
  settings: BlueskySettings,
  { createdAt, picture }: { createdAt: Date; picture: Blob | null },
): { record: PostRecord; notes: readonly string[] } {
  const { text, isCut, hasCard, notes } = textOf(post, settings);
  const facets = findFacets(text, post.url);
  const language = settings.language ?? languageOf(post);
  const labels = settings.labels.map(val => ({ val }));
  const embed = embedOf(post, { hasCard, picture });
  const record: PostRecord = {
    $type: 'app.bsky.feed.post',
    text,
    ...(facets.length > 0 && { facets }),
    ...(language !== null && { langs: [language] }),
    ...(labels.length > 0 && { labels: { $type: 'com.atproto.label.defs#selfLabels', values: labels } }),
    ...(embed && { embed }),
    createdAt: createdAt.toISOString(),
  };
  return { record, notes: isCut ? ['the text was cut', ...notes] : notes };
}

type ComposedText = CutText & { hasCard: boolean; notes: readonly string[] };

function textOf({ text: whole, url }: Post, { link }: BlueskySettings): ComposedText {
  const text = whole.trim();
  const limits = { max: maxGraphemes, measure };
  if (url === null) return { ...cutText(text, limits), hasCard: false, notes: [] };
  const fitted = link === 'card' ? null : fitWithLink({ text, url, ...limits, separator: '\n\n' });
  if (fitted !== null) return { ...fitted, hasCard: link === 'both', notes: [] };
  const notes = link === 'card' ? [] : ['the link is too long for the text: it is on the card'];
  return { ...cutText(text, { ...limits, protect: [url] }), hasCard: true, notes };
}

// A feed says whatever it likes; a language that is none is refused, and the post with it.
function languageOf({ language }: Post): string | null {
  const tag = language?.trim().replaceAll('_', '-') ?? '';
  if (!/^[a-z]{2,3}(-|$)/i.test(tag)) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

function embedOf(
  { url, title, summary, imageAlt }: Post,
  { hasCard, picture }: { hasCard: boolean; picture: Blob | null },
): Embed | null {
  if (hasCard && url !== null) {
    const card = { uri: url, title: shortened(title), description: shortened(summary ?? '') };
    const external = picture === null ? card : { ...card, thumb: picture };
    return { $type: 'app.bsky.embed.external', external };
  }
  if (picture === null) return null;
  const { text: alt } = cutText(imageAlt ?? '', { max: maxAltGraphemes, measure: graphemes });
  return { $type: 'app.bsky.embed.images', images: [{ image: picture, alt }] };
}

// A card shows two or three lines of it.
function shortened(text: string): string {
  return cutText(text.trim(), { max: maxGraphemes, measure }).text;
}

/** The same without what has to be uploaded for it. */
export function withoutPicture({ embed, ...rest }: PostRecord): PostRecord {
  if (embed?.$type !== 'app.bsky.embed.external') return rest;
  const { thumb: _, ...external } = embed.external;
  return { ...rest, embed: { ...embed, external } };
}
