import { findHashtags } from '../../text/findHashtags.ts';
import { fitWithLink } from '../../text/fitWithLink.ts';
import type { Post, Preview } from '../Channel.ts';
import { linksOf } from './linksOf.ts';
import type { NostrSettings } from './settings.ts';

/** A picture that a note shows: clients load it from where it is. `mediaType` null: it is not known. */
export type NotePicture = { url: string; alt: string | null; mediaType: string | null };

export type Note = { content: string; tags: string[][]; notes: readonly string[] };

const gap = '\n\n';
const maxTags = 30;

/**
 * What a note of kind 1 says (NIP-01), and its tags: the link (`r`), also in its canonical form, hashtags (`t`,
 * NIP-24), the picture (`imeta`, NIP-92), the warning (NIP-36), and the key of the publication (`d`), by which it is
 * found again and told from another one with the same words in the same second. Null: not even the link has room.
 */
export function noteOf(post: Post, settings: NostrSettings, picture: NotePicture | null): Note | null {
  const { maxLength } = settings;
  const text = clean(post.text).trim();
  const url = post.url === null ? null : clean(post.url);
  const hasPicture = picture !== null && !text.includes(picture.url);
  const room = hasPicture ? characters(gap + picture.url) : 0;
  const fitInto = (max: number) => fitWithLink({ text, url, max, measure: characters, separator: gap });

  const beside = fitInto(maxLength - room);
  const fitted = beside ?? fitInto(maxLength);
  if (fitted === null) return null;
  const shown = beside === null ? null : picture;
  const notes = [
    ...(fitted.isCut ? [`the text was cut to ${maxLength} characters`] : []),
    ...(picture !== null && shown === null ? ['the picture was left out: its address has no room'] : []),
  ];
  const parts = [fitted.text, ...(shown !== null && hasPicture ? [shown.url] : [])];
  const content = parts.filter(part => part !== '').join(gap);
  return { content, tags: tagsOf(post, { url, content, settings, picture: shown }), notes };
}

/** The note as it would be sent, with the picture if it can be had. */
export function previewOf(post: Post, settings: NostrSettings): Preview {
  const picture = pictureOf(post, settings);
  const note = noteOf(post, settings, picture);
  const text = note?.content ?? '';
  const count = { length: characters(text), limit: settings.maxLength, unit: 'characters' };
  const notes = note?.notes ?? [tooLong(settings)];
  const doubt = picture === null ? [] : ['the picture is left out where it cannot be had'];
  return { parts: [{ name: 'text', text, count }], notes: [...notes, ...doubt] };
}

/** The picture that a post wants; null: none that a client could load. */
export function pictureOf({ imageUrl, imageAlt }: Post, { image }: NostrSettings): NotePicture | null {
  if (image === 'off' || imageUrl === null || !URL.canParse(imageUrl)) return null;
  const { protocol, href } = new URL(imageUrl);
  return /^https?:$/.test(protocol) ? { url: href, alt: imageAlt, mediaType: null } : null;
}

export function tooLong({ maxLength }: NostrSettings): string {
  return `the link alone is longer than maxLength, ${maxLength} characters`;
}

type Shown = { url: string | null; content: string; settings: NostrSettings; picture: NotePicture | null };

function tagsOf(post: Post, { url, content, settings, picture }: Shown): string[][] {
  const { contentWarning } = settings;
  const inText = findHashtags(content, url === null ? [] : [url]).map(({ tag }) => tag);
  const hashtags = [...new Set([...inText, ...post.tags].map(hashtagOf))].filter(tag => /\p{L}/u.test(tag));
  return [
    ['d', post.postKey],
    ...linksOf(url).map(link => ['r', link]),
    ...hashtags.slice(0, maxTags).map(tag => ['t', tag]),
    ...(picture === null ? [] : [imetaOf(picture)]),
    ...(contentWarning === undefined ? [] : [['content-warning', contentWarning]]),
  ];
}

// As clients search for them: one word, in lower case.
function hashtagOf(tag: string): string {
  return clean(tag)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '')
    .toLowerCase();
}

function imetaOf({ url, alt, mediaType }: NotePicture): string[] {
  const words = clean(alt ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return [
    'imeta',
    `url ${url}`,
    ...(mediaType === null ? [] : [`m ${mediaType}`]),
    ...(words === '' ? [] : [`alt ${words}`]),
  ];
}

// The id is a hash of the JSON form, and of these relays may not write the same form as we do.
function clean(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/(?![\n\t])\p{Cc}/gu, '');
}

function characters(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
