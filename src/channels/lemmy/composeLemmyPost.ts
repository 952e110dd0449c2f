import type { ComposeAnswer, ComposeContext, NotComposed, Post } from '../Channel.ts';
import { draftPost, isPostable } from './draftPost.ts';
import { type LogIn, logIn, readAccount, readCommunity } from './logIn.ts';
import type { LemmyAccount, LemmyPost, LemmySettings } from './types.ts';

// The instance fetches it itself: this only keeps from it what is no picture.
const maxImageBytes = 10 * 1024 * 1024;

/** Makes of an article what is posted: cut to the limits, its community looked up, its picture looked at. */
export async function composeLemmyPost(
  post: Post,
  settings: LemmySettings,
  context: ComposeContext<LemmyAccount>,
): Promise<ComposeAnswer<LemmyPost> | NotComposed> {
  const { title, url, body, altText, notes, fault } = draftPost(post, settings);
  if (fault !== null) return fault;
  const session = logIn(context.account, { at: context.composedAt, send: context.send });
  const communityId = await findCommunity(session, settings, context.account);
  if (typeof communityId !== 'number') return communityId;
  const picture = await lookAtPicture(post, settings, context);
  if (picture.kind === 'failed') return picture;

  const composed = {
    communityId,
    title,
    url,
    body,
    thumbnailUrl: picture.url,
    altText: picture.url === null ? null : altText,
    nsfw: settings.nsfw,
    languageId: settings.languageId ?? null,
  };
  return { kind: 'composed', composed, notes: [...notes, ...picture.notes] };
}

async function findCommunity(
  session: LogIn,
  { target }: LemmySettings,
  { session: { personId } }: LemmyAccount,
): Promise<number | NotComposed> {
  const asked = await readCommunity(session, target);
  if (asked.kind === 'not_said') {
    if (asked.why.kind !== 'blocked') return asked.why;
    // Only somebody who is logged in finds what nobody here has joined yet.
    const me = await readAccount(session);
    return me.kind === 'not_said' ? me.why : asked.why;
  }
  const { id, isGone, isBanned, isModsOnly, moderatorIds } = asked.said;
  const blocked = { kind: 'blocked', scope: 'channel', isGone: false } as const;
  if (isGone) {
    const detail = `the community ${target} is deleted or removed`;
    return { ...blocked, code: 'gone', detail, isGone: true };
  }
  if (isBanned) return { ...blocked, code: 'forbidden', detail: `the account is banned from ${target}` };
  if (isModsOnly && !moderatorIds.includes(personId)) {
    return { ...blocked, code: 'forbidden', detail: `only moderators can post in ${target}` };
  }
  return id;
}

type Picture = { kind: 'picture'; url: string | null; notes: readonly string[] };

async function lookAtPicture(
  { imageUrl }: Post,
  { image }: LemmySettings,
  { fetchImage }: ComposeContext<LemmyAccount>,
): Promise<Picture | Extract<NotComposed, { kind: 'failed' }>> {
  if (image === 'off') return { kind: 'picture', url: null, notes: [] };
  const reason = await whyNot(imageUrl, url => fetchImage(url, { maxBytes: maxImageBytes }));
  if (reason === null) return { kind: 'picture', url: imageUrl, notes: [] };
  if (image === 'required') {
    return { kind: 'failed', code: 'image_unavailable', detail: reason, isFinal: false, blames: 'article' };
  }
  const notes = imageUrl === null ? [] : [`without its picture: ${reason}`];
  return { kind: 'picture', url: null, notes };
}

async function whyNot(
  imageUrl: string | null,
  fetchImage: (url: string) => ReturnType<ComposeContext['fetchImage']>,
): Promise<string | null> {
  if (imageUrl === null) return 'the article has none';
  if (!isPostable(imageUrl)) return 'its address is too long, or not an http or https one';
  const answer = await fetchImage(imageUrl);
  return answer.kind === 'unavailable' ? answer.detail : null;
}
