import { decodeHTML } from 'entities';
import { z } from 'zod';
import { findLinks } from '../../text/findLinks.ts';
import { sameLink } from '../../text/sameLink.ts';
import type { Answer } from '../answerOutcome.ts';
import { parseJson } from '../json.ts';

const rendered = z.object({ rendered: z.string() });

const storedPost = z.object({
  id: z.number().int().positive(),
  slug: z.string(),
  status: z.string(),
  link: z.string(),
  date_gmt: z.string().nullable(),
  title: rendered,
  content: rendered,
});

/** A post as the site shows it to its user. */
export type StoredPost = z.infer<typeof storedPost>;

export const storedPostFields = 'id,slug,status,link,date_gmt,title.rendered,content.rendered';

/** Posts, and how many the site has in all; null: the answer is no list of posts. */
export function readPosts(answer: Answer): { posts: StoredPost[]; total: number } | null {
  const total = Number(answer.headers['x-wp-total']);
  const posts =
    answer.status === 200 ? z.array(storedPost).safeParse(parseJson(answer.body)).data : undefined;
  return posts === undefined || !Number.isInteger(total) ? null : { posts, total };
}

/** When it was created, or is to be published; null: the site does not say. */
export function createdAt({ date_gmt }: StoredPost): Date | null {
  const at = new Date(`${date_gmt}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

export function linksTo(post: StoredPost, url: string): boolean {
  return linksIn(post).some(link => sameLink(link, url));
}

/** Whether a post is about a link, not a digest in which it also stands: the same title, or no link to elsewhere. */
export function isAbout(
  post: StoredPost,
  { title, url, site }: { title: string; url: string; site: string },
) {
  const elsewhere = linksIn(post).filter(link => !link.startsWith(site));
  if (!elsewhere.some(link => sameLink(link, url)) && !linksTo(post, url)) return false;
  return hasTitle(post, title) || elsewhere.every(link => sameLink(link, url));
}

/** By letters and digits: WordPress sets quotes, dashes and "2×3" in its own way. */
export function hasTitle(post: StoredPost, title: string): boolean {
  return lettersOf(textOf(post.title.rendered)) === lettersOf(title);
}

function linksIn({ content: { rendered: html } }: StoredPost): string[] {
  const anchors = [...html.matchAll(/\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  const hrefs = anchors.map(([, double, single]) => decodeHTML(double ?? single ?? ''));
  return [...hrefs, ...findLinks(textOf(html)).map(({ url }) => url)];
}

function textOf(html: string): string {
  return decodeHTML(html.replace(/<[^>]*>/g, ' '));
}

function lettersOf(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('×', 'x');
  return plain.replace(/[^\p{L}\p{N}]/gu, '');
}
