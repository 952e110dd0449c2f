import { z } from 'zod';
import { canonicalUrl } from '../../network/canonicalUrl.ts';
import { sameLink } from '../../text/sameLink.ts';
import type { LookUpAnswer, Post, Sought } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { incomplete } from './answers.ts';
import type { Ask, GhostSession } from './api.ts';
import { canonicalUrlOf, type PostBody } from './postBody.ts';

const toleranceMs = 120_000;
const limit = 100;

type Search = { ask: Ask; session: GhostSession };

const list = z.object({
  posts: z.array(
    z.object({
      id: z.string(),
      slug: z.string(),
      url: z.string(),
      canonical_url: z.string().nullable(),
      created_at: z.coerce.date(),
    }),
  ),
  meta: z.object({ pagination: z.object({ total: z.number() }) }),
});

type GhostPost = z.infer<typeof list>['posts'][number];

/**
 * Searches for a post whose answer was lost: by its slug, which holds the post's key, or, as somebody may have
 * changed that, by its link since it was sent. A wrong key is refused, so an answer proves the key.
 */
export async function lookUpPost(
  { post, sendingAt }: Sought<PostBody>,
  search: Search,
): Promise<LookUpAnswer> {
  const { slug, canonical_url: link } = post.composed;
  const since = new Date(sendingAt.getTime() - toleranceMs);
  const filters = [`slug:${quoted(slug)}`, ...linkFilters(link, search.session)];
  return findPost(filters.join(','), search.ask, each => {
    if (each.slug === slug) return true;
    return link !== null && each.created_at >= since && hasLink(each, link);
  });
}

/** Searches for what the site has with the article as its canonical URL, by whomever, in whatever state. */
export async function findPostAbout(
  { url }: Post,
  { since, ask, session }: Search & { since: Date },
): Promise<LookUpAnswer> {
  const link = canonicalUrlOf(url);
  if (link === null) return { kind: 'not_found' };
  const filter = linkFilters(link, session).join(',');
  return findPost(filter, ask, each => each.created_at >= since && hasLink(each, link));
}

async function findPost(
  filter: string,
  ask: Ask,
  isSought: (post: GhostPost) => boolean,
): Promise<LookUpAnswer> {
  // Without its uuid and status Ghost makes a wrong address of a draft.
  const fields = 'id,uuid,status,slug,url,canonical_url,created_at';
  const query = { filter, fields, order: 'created_at desc', limit: String(limit) };
  const result = await ask({ method: 'GET', path: '/posts/', query });
  const isAnswered = result.phase === 'answered' && result.status === 200;
  const found = isAnswered ? list.safeParse(parseJson(result.body)).data : undefined;
  if (found === undefined) return incomplete(result);
  const match = found.posts.find(isSought);
  if (match !== undefined) return { kind: 'found', remoteId: match.id, remoteUrl: match.url };
  if (found.meta.pagination.total <= found.posts.length) return { kind: 'not_found' };
  return { kind: 'incomplete', detail: `more than ${limit} posts have this link` };
}

function hasLink({ canonical_url }: GhostPost, link: string): boolean {
  return canonical_url !== null && sameLink(canonical_url, link);
}

/** Ghost compares a canonical URL letter by letter, so it is asked for each form that counts as the same link. */
function linkFilters(link: string | null, { url: site }: GhostSession): string[] {
  if (link === null) return [];
  const canonical = canonicalUrl(link);
  const plain = withoutTrackers(link);
  const forms = [link, plain, withSlash(plain), canonical, withSlash(canonical)].flatMap(form => [
    form.replace(/^http:/i, 'https:'),
    form.replace(/^https:/i, 'http:'),
  ]);
  // It stores an address of its own site with a placeholder.
  const own = forms
    .filter(form => form.startsWith(site))
    .map(form => `__GHOST_URL__/${form.slice(site.length)}`);
  return [`canonical_url:[${[...new Set([...forms, ...own])].map(quoted).join(',')}]`];
}

// As whoever writes it by hand has it: the canonical form also sorts the parameters.
function withoutTrackers(link: string): string {
  const { searchParams: kept } = new URL(canonicalUrl(link));
  const { origin, pathname, search } = new URL(link);
  const parts = search.slice(1).split('&');
  const read = parts.filter(part => [...new URLSearchParams(part).keys()].some(name => kept.has(name)));
  return `${origin}${pathname}${read.length === 0 ? '' : `?${read.join('&')}`}`;
}

function withSlash(url: string): string {
  const { origin, pathname, search, hash } = new URL(url);
  return `${origin}${pathname.replace(/\/?$/, '/')}${search}${hash}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
