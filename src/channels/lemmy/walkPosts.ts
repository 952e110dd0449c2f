import { type Asker, askLemmy, type NotSaid } from './askLemmy.ts';
import type { PageMark, PageQuestion, SeenPost } from './Dialect.ts';

export type Walk = {
  /** What was listed before it is too old to be wanted. */
  since: Date;
  maxPages: number;
  isWanted: (post: SeenPost) => boolean;
};

/** `ended`: all since that instant was seen. `too_long`: there was more. */
export type Walked = { kind: 'found'; post: SeenPost } | { kind: 'ended' } | { kind: 'too_long' } | NotSaid;

/**
 * Reads a list, the newest first, until what is wanted, or is too old. What it finds was created since. A list is
 * read to its very end or to a post that is too old: a page with fewer posts than were asked for proves nothing.
 */
export async function walkPosts(
  asker: Asker,
  question: PageQuestion,
  { since, maxPages, isWanted }: Walk,
): Promise<Walked> {
  let page: PageMark = { number: 1, cursor: null };
  for (let read = 0; read < maxPages; read++) {
    const asked = await askLemmy(asker, question(page));
    if (asked.kind === 'not_said') return asked;
    const { posts, next } = asked.said;
    const post = posts.find(each => each.createdAt >= since && isWanted(each));
    if (post) return { kind: 'found', post };
    const last = posts.at(-1);
    const isTooOld = last !== undefined && !last.isPinned && last.listedAt < since;
    if (last === undefined || isTooOld || next === null) return { kind: 'ended' };
    page = { number: page.number + 1, cursor: next ?? null };
  }
  return { kind: 'too_long' };
}
