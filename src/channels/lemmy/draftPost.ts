import { cutText } from '../../text/cutText.ts';
import { findLink } from '../../text/findLinks.ts';
import type { NotComposed, Post } from '../Channel.ts';
import { markdown } from './markdown.ts';
import type { LemmySettings } from './types.ts';

/**
 * Of the server (https://github.com/LemmyNet/lemmy/blob/main/crates/utils/src/utils/validation.rs): titles in
 * characters, the rest in UTF-16 units.
 */
export const limits = { titleMin: 3, title: 200, body: 50_000, url: 2_000, altText: 1_500 };

export type Draft = {
  title: string;
  url: string | null;
  body: string | null;
  altText: string | null;
  notes: readonly string[];
  /** Why it cannot be posted; null: it can. */
  fault: NotComposed | null;
};

/**
 * A post as it will read, by the platform's own limits. The route's template is the title, in one line and without
 * the link, which a post has beside it; with `body: text` it is the body, and the title is the article's own.
 */
export function draftPost(post: Post, settings: LemmySettings): Draft {
  const { url } = post;
  const title = cutText(titleOf(post, settings), { max: limits.title, measure: titleLength });
  const body = bodyOf(post, settings);
  const notes = [
    ...(title.isCut ? [`the title was cut to ${limits.title} characters`] : []),
    ...(body?.isCut ? [`the body was cut to ${limits.body} characters`] : []),
  ];
  const altText = post.imageAlt === null ? null : cutUnits(post.imageAlt, limits.altText);
  return {
    title: title.text,
    url,
    body: body?.text ?? null,
    altText,
    notes,
    fault: faultIn(title.text, url),
  };
}

/** As the server counts a title. */
export function titleLength(title: string): number {
  return [...title].length;
}

/** Whether an address can be the link of a post. */
export function isPostable(url: string): boolean {
  return isHttp(url) && new URL(url).href.length <= limits.url;
}

function titleOf({ title, text, url }: Post, { body }: LemmySettings): string {
  const wanted = body === 'text' ? title : withoutLink(text, url);
  const oneLine = wanted.replace(/\s+/g, ' ').trim();
  // A template that is nothing but the link.
  return oneLine === '' ? title.replace(/\s+/g, ' ').trim() : oneLine;
}

function withoutLink(text: string, url: string | null): string {
  const link = url === null ? null : findLink(text, url);
  return link === null ? text : text.slice(0, link.start) + text.slice(link.end);
}

function bodyOf(post: Post, { body }: LemmySettings): { text: string; isCut: boolean } | null {
  const plain = body === 'none' ? null : (body === 'text' ? post.text : post.summary)?.trim();
  if (!plain) return null;
  const known = post.url === null ? [] : [post.url];
  const measure = (part: string) => markdown(part, known).length;
  const { text, isCut } = cutText(plain, { max: limits.body, measure, protect: known });
  return { text: markdown(text, known), isCut };
}

function cutUnits(text: string, max: number): string {
  return cutText(text, { max, measure: part => part.length }).text;
}

function faultIn(title: string, url: string | null): NotComposed | null {
  if (titleLength(title) < limits.titleMin) {
    return invalid('invalid_post', `a title needs ${limits.titleMin} characters: "${title}"`);
  }
  if (url === null || isPostable(url)) return null;
  if (!isHttp(url)) return invalid('invalid_post', 'its link is not an http or https address');
  return invalid('too_long', `its link is longer than ${limits.url} characters`);
}

function invalid(code: 'invalid_post' | 'too_long', detail: string): NotComposed {
  return { kind: 'failed', code, detail, isFinal: true, blames: 'article' };
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
