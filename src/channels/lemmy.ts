import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isRedirect, outcomeWithoutAnswer } from './answerOutcome.ts';
import type { Channel, ComposedPost, Preview } from './Channel.ts';
import { parseJson } from './json.ts';
import { lemmyAccount } from './lemmy/accountKind.ts';
import { request, wordsOf } from './lemmy/askLemmy.ts';
import { checkLemmy } from './lemmy/checkLemmy.ts';
import { communityName, isCommunity } from './lemmy/communityName.ts';
import { composeLemmyPost } from './lemmy/composeLemmyPost.ts';
import { draftPost, limits, titleLength } from './lemmy/draftPost.ts';
import { findOnRemote } from './lemmy/findOnRemote.ts';
import { logIn } from './lemmy/logIn.ts';
import { lookUpOwn } from './lemmy/lookUpOwn.ts';
import { refusalIn } from './lemmy/refusals.ts';
import type { LemmyAccount, LemmyPost, LemmySettings } from './lemmy/types.ts';
import type { PublishOutcome } from './PublishOutcome.ts';
import type { RequestResult } from './sendRequest.ts';
import { duplicates, image } from './settingsParts.ts';

const settings = z.strictObject({
  target: z
    .string('must be a community, such as news or news@lemmy.example')
    .refine(isCommunity, 'must be a community: news, news@lemmy.example or https://lemmy.example/c/news'),
  body: z.enum(['none', 'summary', 'text'], 'must be none, summary or text').default('none'),
  nsfw: z.boolean('must be true or false').default(false),
  languageId: z.int("must be the instance's number of a language").nonnegative().optional(),
  image,
  duplicates: duplicates('30d'),
});

/**
 * Lemmy, by v3 of 0.19 or v4 of 1.0 (https://join-lemmy.org/docs/contributors/04-api.html). Two equal requests
 * make two posts, so a lost answer is searched for among what the account has posted in the community.
 */
export const lemmy: Channel<LemmySettings, LemmyPost, LemmyAccount> = {
  platform: 'lemmy',
  needsAccount: true,
  account: lemmyAccount,
  settings,
  secretKeys: [],

  destination({ target }, account) {
    const instance = account?.instance ?? '';
    return { instance, target: communityName(target, instance) };
  },

  reconciliation: settings => ({
    kind: 'look_up',
    lookUp: (sought, context) => lookUpOwn(sought, settings, context),
  }),

  preview(post, settings): Preview {
    const { title, url, body, notes, fault } = draftPost(post, settings);
    const picture = settings.image === 'off' ? null : post.imageUrl;
    const count = (text: string, limit: number) => ({ length: text.length, limit, unit: 'UTF-16 units' });
    const titleCount = { length: titleLength(title), limit: limits.title, unit: 'characters' };
    return {
      parts: [
        { name: 'title', text: title, count: titleCount },
        ...(url === null ? [] : [{ name: 'link', text: url, count: count(url, limits.url) }]),
        ...(body === null ? [] : [{ name: 'body', text: body, count: count(body, limits.body) }]),
        ...(picture === null ? [] : [{ name: 'picture', text: picture, count: null }]),
      ],
      notes: fault === null ? notes : [...notes, `cannot be posted: ${fault.detail}`],
    };
  },

  check: checkLemmy,
  findExisting: findOnRemote,
  compose: composeLemmyPost,

  async publish(post, _settings, { account, sendingAt, send }) {
    const { asker, dialect } = logIn(account, { at: sendingAt, send });
    const result = await request(asker, {
      method: 'POST',
      path: dialect.createPath,
      headers: { 'idempotency-key': attemptKey(post, sendingAt) },
      body: formOf(post.composed),
    });
    return outcomeOf(result, { jwt: account.session.jwt, sendingAt });
  },
};

/**
 * 1.0 refuses a key that it has seen in the last minutes, whatever came of it; 0.19 ignores it. So it is of one
 * attempt: it keeps a proxy from sending twice, and a retry from being refused. At most 32 characters.
 */
function attemptKey({ postKey }: ComposedPost, sendingAt: Date): string {
  return createHash('sha256').update(`${postKey} ${sendingAt.toISOString()}`).digest('hex').slice(0, 32);
}

function formOf(post: LemmyPost): Record<string, unknown> {
  const { communityId, title, url, body, thumbnailUrl, altText, nsfw, languageId } = post;
  return {
    name: title,
    community_id: communityId,
    ...(url !== null && { url }),
    ...(body !== null && { body }),
    ...(thumbnailUrl !== null && { custom_thumbnail: thumbnailUrl }),
    ...(altText !== null && { alt_text: altText }),
    ...(nsfw && { nsfw }),
    ...(languageId !== null && { language_id: languageId }),
  };
}

const created = z.object({ post_view: z.object({ post: z.object({ id: z.number(), ap_id: z.string() }) }) });

/**
 * Lemmy can refuse with a 400 when the post is stored already, so what it does not say in so many words is unknown.
 * Nor is a 503 with a Retry-After definite: proxies add that to what they have passed on.
 */
function outcomeOf(
  result: RequestResult,
  { jwt, sendingAt }: { jwt: string; sendingAt: Date },
): PublishOutcome {
  if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
  const { status } = result;
  const detail = wordsOf(result, [jwt]);
  if (status >= 200 && status < 300) {
    const answer = created.safeParse(parseJson(result.body));
    if (!answer.success) return { kind: 'unknown', code: 'unreadable_answer', detail };
    const { id, ap_id: remoteUrl } = answer.data.post_view.post;
    return { kind: 'succeeded', remoteId: String(id), remoteUrl };
  }
  const mayBeDefinite = status < 500 && (status >= 400 || isRedirect(status));
  const refusal = mayBeDefinite ? refusalIn(result, detail, sendingAt) : null;
  if (refusal !== null) return refusal;
  return { kind: 'unknown', code: status < 500 ? 'rejected' : 'server_error', detail };
}
