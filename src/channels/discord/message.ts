import { cutText } from '../../text/cutText.ts';
import { escapeMarkdown } from '../../text/escapeMarkdown.ts';
import { fitWithLink } from '../../text/fitWithLink.ts';
import { mapLinks } from '../../text/mapLinks.ts';
import type { NotComposed, Post, Preview, PreviewPart } from '../Channel.ts';

/** What of the settings is about the message. */
export type MessageSettings = {
  /** Shown instead of the webhook's own name. */
  username?: string | undefined;
  /** In a forum: each article begins a thread of this name, in which `{{ title }}` is the article's title. */
  threadName?: string | undefined;
  /** A card made of title, summary and picture. Off: Discord makes one of the link by itself. */
  embed: boolean;
  /** Discord's Markdown in the text takes effect, that of article titles too. Off: it shows as it is written. */
  markdown: boolean;
};

/** The body of a request that executes a webhook. */
export type DiscordMessage = {
  content?: string;
  embeds?: readonly DiscordEmbed[];
  /** None: a feed must not ring at everyone. */
  allowed_mentions: { parse: readonly never[] };
  username?: string;
  thread_name?: string;
};

type DiscordEmbed = { title: string; url?: string; description?: string; image?: { url: string } };

export type DiscordPost = {
  message: DiscordMessage;
  /** What the post's address begins with, to the server; null: it is not known. */
  placeUrl: string | null;
};

// https://docs.discord.com/developers/resources/message#embed-object-embed-limits; title and description
// together stay below the 6,000 that all embeds may have. URLs: as its form errors say.
const limits = { content: 2_000, title: 256, description: 4_096, threadName: 100, url: 2_048 };

type MessageAnswer = { kind: 'composed'; message: DiscordMessage; notes: readonly string[] } | NotComposed;

/** What is sent of a post: text and link, or text and a card that bears the link. */
export function messageOf(post: Post, settings: MessageSettings): MessageAnswer {
  const notes: string[] = [];
  const embed = settings.embed ? embedOf(post, settings, notes) : null;
  const content = contentOf(post, settings, embed !== null, notes);
  if (content === null)
    return invalid('too_long', `the link alone is longer than ${limits.content} characters`);
  if (content === '' && embed === null) return invalid('invalid_post', 'there is neither text nor link');
  const { username, threadName } = settings;
  const message: DiscordMessage = {
    ...(content !== '' && { content }),
    ...(embed !== null && { embeds: [embed] }),
    allowed_mentions: { parse: [] },
    ...(username !== undefined && { username }),
    ...(threadName !== undefined && { thread_name: threadNameOf(post, threadName) }),
  };
  return { kind: 'composed', message, notes };
}

/** The message, part by part. */
export function previewOf(post: Post, settings: MessageSettings): Preview {
  const answer = messageOf(post, settings);
  if (answer.kind !== 'composed')
    return { parts: [part('text', '', limits.content)], notes: [answer.detail] };
  const { content, embeds, thread_name: threadName } = answer.message;
  const [embed] = embeds ?? [];
  const parts = [
    threadName === undefined ? null : part('thread', threadName, limits.threadName),
    content === undefined ? null : part('text', content, limits.content),
    embed === undefined ? null : part('title', embed.title, limits.title),
    embed?.url === undefined ? null : part('link', embed.url, limits.url),
    embed?.description === undefined ? null : part('description', embed.description, limits.description),
    embed?.image === undefined ? null : part('picture', embed.image.url, limits.url),
  ];
  return { parts: parts.filter(one => one !== null), notes: answer.notes };
}

function part(name: string, text: string, limit: number): PreviewPart {
  return { name, text, count: { length: codePoints(text), limit, unit: 'characters' } };
}

function invalid(code: 'too_long' | 'invalid_post', detail: string): NotComposed {
  return { kind: 'failed', code, detail, isFinal: true, blames: 'article' };
}

// A card without a title shows no link, and one whose link is not http is refused.
function embedOf(post: Post, settings: MessageSettings, notes: string[]): DiscordEmbed | null {
  const { url, imageUrl } = post;
  const title = post.title.trim();
  if (title === '' || (url !== null && !isCardUrl(url))) {
    notes.push('no card was made: it needs a title, and an http or https link if any');
    return null;
  }
  const summary = post.summary?.trim() ?? '';
  const description = cutAndWrite(summary, limits.description, settings, 'summary', notes);
  const hasPicture = imageUrl !== null && isCardUrl(imageUrl);
  if (imageUrl !== null && !hasPicture)
    notes.push('the picture was left out: its address is not http or https');
  return {
    title: cutAndWrite(title, limits.title, settings, 'title', notes),
    ...(url !== null && { url }),
    ...(description !== '' && { description }),
    ...(hasPicture && { image: { url: imageUrl } }),
  };
}

function isCardUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && codePoints(url) <= limits.url;
}

/** Null: not even the link fits. With a card, the link is the card's, and a text that says no more than it goes. */
function contentOf(post: Post, settings: MessageSettings, hasEmbed: boolean, notes: string[]): string | null {
  const text = post.text.trim();
  const url = hasEmbed ? null : post.url;
  if (hasEmbed && [post.title.trim(), post.url ?? ''].includes(text)) return '';
  const known = post.url === null ? [] : [post.url];
  // In angle brackets, Discord makes no second card of it.
  const write = writer(settings, known, hasEmbed ? link => `<${link}>` : link => link);
  const measure = (part: string) => codePoints(write(part));
  const fitted = fitWithLink({ text, url, max: limits.content, measure, separator: '\n' });
  if (fitted === null) return null;
  if (fitted.isCut) notes.push(`the text was cut to ${limits.content} characters`);
  return write(fitted.text);
}

function cutAndWrite(
  text: string,
  max: number,
  settings: MessageSettings,
  name: string,
  notes: string[],
): string {
  const write = writer(settings, [], link => link);
  const cut = cutText(text, { max, measure: part => codePoints(write(part)) });
  if (cut.isCut) notes.push(`the ${name} was cut to ${max} characters`);
  return write(cut.text);
}

function writer(
  { markdown }: MessageSettings,
  known: readonly string[],
  link: (url: string) => string,
): (text: string) => string {
  return markdown ? text => text : text => mapLinks(text, known, { words: escapeWords, link });
}

// The blank between a link and what follows it is none at the beginning of a line.
function escapeWords(words: string): string {
  return (/^[ \t]+/.exec(words)?.[0] ?? '') + escapeMarkdown(words);
}

const titlePlaceholder = /\{\{\s*title\s*\}\}/g;

function threadNameOf({ title, feed }: Post, threadName: string): string {
  const name =
    threadName
      .replace(titlePlaceholder, () => title)
      .replace(/\s+/g, ' ')
      .trim() || feed;
  return cutText(name, { max: limits.threadName, measure: codePoints }).text;
}

// Discord counts in Python: by code points (https://github.com/discord/discord-api-docs/issues/1315).
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
