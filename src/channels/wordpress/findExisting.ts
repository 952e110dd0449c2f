import { canonicalUrl } from '../../network/canonicalUrl.ts';
import type { LookUpAnswer, Post } from '../Channel.ts';
import { incomplete } from './answers.ts';
import type { Ask } from './api.ts';
import { createdAt, isAbout, readPosts, storedPostFields } from './storedPost.ts';

const perPage = 50;
const maxPages = 4;
const mostParameters = 5;

/**
 * Searches the site for posts about the article's link, by whomever. WordPress cannot search by link, but its
 * search reads the text of a post, links included: what contains the address is looked at here. It does not
 * find what a page builder keeps elsewhere, nor what the user may not read, such as others' drafts. The trash is
 * left out: what a person has taken away is not there. Who is not logged in is refused a search in all states.
 */
export async function findPostAbout(
  { title, url }: Post,
  { since, site, ask }: { since: Date; site: string; ask: Ask },
): Promise<LookUpAnswer> {
  if (url === null || !/^https?:/i.test(url)) return { kind: 'not_found' };
  for (let page = 1; page <= maxPages; page++) {
    const range = { search: searchTerms(url), status: 'any', orderby: 'date', order: 'desc' };
    const query = { ...range, per_page: String(perPage), page: String(page), _fields: storedPostFields };
    const result = await ask({ method: 'GET', path: '/wp/v2/posts', query });
    const list = result.phase === 'answered' ? readPosts(result) : null;
    if (list === null) return incomplete(result);
    const inTime = list.posts.filter(post => (createdAt(post) ?? since) >= since);
    const match = inTime.find(post => isAbout(post, { title, url, site }));
    if (match !== undefined) return { kind: 'found', remoteId: String(match.id), remoteUrl: match.link };
    if (page * perPage >= list.total || inTime.length < list.posts.length) return { kind: 'not_found' };
  }
  const detail = `more than ${maxPages * perPage} posts hold the address since ${since.toISOString()}`;
  return { kind: 'incomplete', detail };
}

/** In quotes, each has to be there: the host and path, and the parameters one by one, as their order may differ. */
function searchTerms(url: string): string {
  const { host, pathname, search } = new URL(canonicalUrl(url));
  const plain = search
    .slice(1)
    .split('&')
    .filter(part => /^[\w.-]+=[\w.-]+$/.test(part));
  const terms = [`${host}${pathname.replace(/\/$/, '')}`, ...plain.slice(0, mostParameters)];
  return terms.map(term => `"${term}"`).join(' ');
}
