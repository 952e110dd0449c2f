import type { LookUpAnswer, LookUpContext, Sought } from '../Channel.ts';
import { incomplete } from './askLemmy.ts';
import type { SeenPost } from './Dialect.ts';
import { hasLink } from './links.ts';
import { readyToSearch } from './readyToSearch.ts';
import type { LemmyAccount, LemmyPost, LemmySettings } from './types.ts';
import { type Walked, walkPosts } from './walkPosts.ts';

const skewMs = 2 * 60_000;
const maxPages = 10;

/**
 * Searches for a post whose answer was lost among what the account has posted in the community since: by its link, or
 * by its title, as an instance cleans links by rules of its own (ClearURLs). One that a moderator has removed meanwhile
 * went out all the same.
 */
export async function lookUpOwn(
  { post, sendingAt }: Sought<LemmyPost>,
  settings: LemmySettings,
  context: LookUpContext<LemmyAccount>,
): Promise<LookUpAnswer> {
  const ready = await readyToSearch(context.account, settings, { ...context, of: 'own' });
  if (ready.kind === 'not_ready') return ready.answer;
  const { session, me, behindMs } = ready;
  const { asker, dialect } = session;
  const { communityId, url, title } = post.composed;

  const hasTitle = (seen: SeenPost) => seen.title === title && (seen.url === null) === (url === null);
  const place = { personId: me.personId, communityId };
  const walk = {
    since: new Date(sendingAt.getTime() - skewMs - behindMs),
    maxPages,
    isWanted: (seen: SeenPost) =>
      seen.creatorId === me.personId &&
      seen.communityId === communityId &&
      (hasTitle(seen) || (url !== null && hasLink(seen.url, url))),
  };
  const standing = await walkPosts(asker, dialect.postsBy(place), walk);
  if (standing.kind !== 'ended') return answerOf(standing);
  return answerOf(await walkPosts(asker, dialect.removedPosts(place), walk));
}

/** What a walk through a list proves. */
export function answerOf(walked: Walked): LookUpAnswer {
  switch (walked.kind) {
    case 'found':
      return { kind: 'found', remoteId: String(walked.post.id), remoteUrl: walked.post.remoteUrl };
    case 'ended':
      return { kind: 'not_found' };
    case 'too_long':
      return { kind: 'incomplete', detail: 'too many posts since then to read them all' };
    case 'not_said':
      return incomplete(walked);
    default:
      return walked satisfies never;
  }
}
