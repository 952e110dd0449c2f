import type { LookUpAnswer, Post, Sought } from '../Channel.ts';
import { incomplete } from './answers.ts';
import type { Ask, WordPressSession } from './api.ts';
import type { PostBody } from './postBody.ts';
import { readUser } from './session.ts';
import { createdAt, hasTitle, linksTo, readPosts, type StoredPost, storedPostFields } from './storedPost.ts';

const toleranceMs = 120_000;
const perPage = 50;
const maxPages = 4;

type Search = { ask: Ask; session: WordPressSession };

/**
 * Searches for a post whose answer was lost: by its slug, in the trash too (`any` leaves that out, and trashing
 * renames the slug), then among the user's newest posts, as a contributor's pending post has no slug and an
 * editor may change one. All in the context `view`: in `edit` WordPress hides what the user may not edit, which
 * is a contributor's own post once it has been published.
 */
export async function lookUpPost(
  { post, sendingAt }: Sought<PostBody>,
  { ask, session }: Search,
): Promise<LookUpAnswer> {
  const refusal = await refuseUnlessLoggedIn({ ask, session });
  if (refusal !== null) return refusal;
  for (const status of ['any', 'trash']) {
    const answer = await findSlug(post.composed.slug, { status, ask });
    if (answer.kind !== 'not_found') return answer;
  }
  const since = new Date(sendingAt.getTime() - toleranceMs);
  for (const status of ['any', 'trash']) {
    const answer = await findAmongOwn(post, { status, since, ask, session });
    if (answer.kind !== 'not_found') return answer;
  }
  return { kind: 'not_found' };
}

async function refuseUnlessLoggedIn({ ask, session }: Search): Promise<LookUpAnswer | null> {
  const result = await ask({ method: 'GET', path: '/wp/v2/users/me', query: { context: 'edit' } });
  const user = result.phase === 'answered' ? readUser(result) : null;
  return user?.userId === session.userId ? null : incomplete(result);
}

async function findSlug(slug: string, { status, ask }: { status: string; ask: Ask }): Promise<LookUpAnswer> {
  const slugs = [slug, `${slug}__trashed`];
  const query = { slug: slugs.join(','), status, _fields: storedPostFields };
  const result = await ask({ method: 'GET', path: '/wp/v2/posts', query });
  const list = result.phase === 'answered' ? readPosts(result) : null;
  if (list === null) return incomplete(result);
  const [first] = list.posts.filter(each => slugs.includes(each.slug));
  if (first !== undefined) return found(first);
  if (list.total === 0) return { kind: 'not_found' };
  const detail = `the site says that it has ${list.total} posts with the slug ${slug}, and shows none`;
  return { kind: 'incomplete', detail };
}

type OwnSearch = Search & { status: string; since: Date };

/** By the order in which they were made, not by their dates: an editor may change those. */
async function findAmongOwn(
  { title, url }: Post,
  { status, since, ask, session }: OwnSearch,
): Promise<LookUpAnswer> {
  for (let page = 1; page <= maxPages; page++) {
    const range = { author: String(session.userId), status, orderby: 'id', order: 'desc' };
    const query = { ...range, per_page: String(perPage), page: String(page), _fields: storedPostFields };
    const result = await ask({ method: 'GET', path: '/wp/v2/posts', query });
    const list = result.phase === 'answered' ? readPosts(result) : null;
    if (list === null) return incomplete(result);
    const match = list.posts.find(
      each => isSince(each, since) && (url === null ? hasTitle(each, title) : linksTo(each, url)),
    );
    if (match !== undefined) return found(match);
    const read = (page - 1) * perPage + list.posts.length;
    const oldest = list.posts.at(-1);
    if (read >= list.total || (oldest !== undefined && !isSince(oldest, since))) return { kind: 'not_found' };
    if (list.posts.length < perPage)
      return { kind: 'incomplete', detail: `the site hides some of the user's posts (${status})` };
  }
  const detail = `more than ${maxPages * perPage} posts since ${since.toISOString()}`;
  return { kind: 'incomplete', detail };
}

function isSince(post: StoredPost, since: Date): boolean {
  const at = createdAt(post);
  return at === null || at >= since;
}

function found({ id, link }: StoredPost): LookUpAnswer {
  return { kind: 'found', remoteId: String(id), remoteUrl: link };
}
