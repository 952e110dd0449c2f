import { articleHtml, type ContentChoice } from '../../text/articleHtml.ts';
import { cutText } from '../../text/cutText.ts';
import { publicationSlug } from '../../text/slug.ts';
import type { Post } from '../Channel.ts';

/** What is sent: the Admin API's own names. */
export type PostBody = {
  slug: string;
  title: string;
  html: string;
  custom_excerpt: string | null;
  canonical_url: string | null;
  tags: string[];
};

export type BodySettings = { content: ContentChoice; canonical: boolean; tags: boolean | readonly string[] };

/** https://ghost.org/docs/admin-api/#posts; each is refused with a 422 beyond it. */
export const limits = { title: 255, excerpt: 300, alt: 191, tag: 191, canonicalUrl: 2_000 };

/** As Ghost counts: a character outside the basic plane is one. */
export function characters(text: string): number {
  return [...text].length;
}

/** An article as a post, and what of it was cut or left out. */
export function postBodyOf(post: Post, settings: BodySettings): { body: PostBody; notes: string[] } {
  const title = cutText(post.title, { max: limits.title, measure: characters });
  const summary = post.summary?.trim() || null;
  const excerpt = cutText(summary ?? '', { max: limits.excerpt, measure: characters });
  const canonicalUrl = settings.canonical ? canonicalUrlOf(post.url) : null;
  const isLeftOut = settings.canonical && post.url !== null && canonicalUrl === null;
  const notes = [
    ...(title.isCut ? ['the title was cut'] : []),
    ...(excerpt.isCut ? ['the excerpt was cut'] : []),
    ...(isLeftOut ? ['without a canonical URL: the link is too long or not of the web'] : []),
  ];
  const body = {
    slug: publicationSlug(post),
    title: title.text,
    html: articleHtml(post, settings.content),
    custom_excerpt: summary === null ? null : excerpt.text,
    canonical_url: canonicalUrl,
    tags: tagsOf(post, settings.tags),
  };
  return { body, notes };
}

/** The article's link in the form that Ghost takes: ASCII, http or https, not too long; null: there is none. */
export function canonicalUrlOf(url: string | null): string | null {
  if (url === null || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const ascii = /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
  return ascii.length > limits.canonicalUrl ? null : ascii;
}

/** Names of the settings stay as they are; those of a feed must not be internal (`#`) nor hold commas. */
function tagsOf({ tags }: Post, choice: boolean | readonly string[]): string[] {
  if (typeof choice !== 'boolean') return [...choice];
  if (!choice) return [];
  const names = tags.map(tag =>
    tag
      .replaceAll(',', ' ')
      .replace(/^[#\s]+/, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const fitting = names.filter(name => name !== '' && characters(name) <= limits.tag);
  return [...new Map(fitting.map(name => [name.toLowerCase(), name])).values()];
}
