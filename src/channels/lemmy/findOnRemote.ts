import type { ExistingContext, LookUpAnswer, Post } from '../Channel.ts';
import { lookBackMs } from '../settingsParts.ts';
import type { SeenPost } from './Dialect.ts';
import { isPostable } from './draftPost.ts';
import { hasLink, linkForms } from './links.ts';
import type { LogIn } from './logIn.ts';
import { answerOf } from './lookUpOwn.ts';
import { readyToSearch } from './readyToSearch.ts';
import type { LemmyAccount, LemmySettings } from './types.ts';
import { type Walk, type Walked, walkPosts } from './walkPosts.ts';

const maxSearchPages = 4;
// A thousand posts.
const maxListPages = 20;

/** Searches for a post's link in the community, by whomever it was posted. */
export async function findOnRemote(
  { url }: Post,
  settings: LemmySettings,
  context: ExistingContext<LemmyAccount>,
): Promise<LookUpAnswer> {
  const lookBack = lookBackMs(settings.duplicates);
  if (lookBack === null || url === null || !isPostable(url)) return { kind: 'not_found' };
  const ready = await readyToSearch(context.account, settings, { ...context, of: 'anybody' });
  if (ready.kind === 'not_ready') return ready.answer;

  const { session, community, behindMs } = ready;
  const oldest = context.notBefore?.getTime() ?? context.askedAt.getTime() - lookBack;
  const walk = {
    since: new Date(oldest - behindMs),
    // What the server was asked for it may have ignored.
    isWanted: (seen: SeenPost) => seen.communityId === community.id && hasLink(seen.url, url),
  };
  for (const form of linkForms(url)) {
    const question = session.dialect.postsWith(form, community.id);
    const searched = await walkPosts(session.asker, question, { ...walk, maxPages: maxSearchPages });
    if (isWithoutSearch(searched)) return answerOf(await readAll(session, community.id, walk));
    if (searched.kind !== 'ended') return answerOf(searched);
  }
  return { kind: 'not_found' };
}

function isWithoutSearch(walked: Walked): boolean {
  return walked.kind === 'not_said' && walked.status === 404;
}

function readAll(
  { asker, dialect }: LogIn,
  communityId: number,
  walk: Omit<Walk, 'maxPages'>,
): Promise<Walked> {
  return walkPosts(asker, dialect.postsIn(communityId), { ...walk, maxPages: maxListPages });
}
