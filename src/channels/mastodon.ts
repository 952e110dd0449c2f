import { z } from 'zod';
import {
  type Answer,
  describeAnswer,
  isRedirect,
  outcomeWithoutAnswer,
  tellsNothing,
} from './answerOutcome.ts';
import type { Channel, Post } from './Channel.ts';
import { parseJson } from './json.ts';
import { type MastodonAccount, mastodonAccount } from './mastodon/account.ts';
import { type Api, submit } from './mastodon/api.ts';
import { checkAccount } from './mastodon/checkAccount.ts';
import { type ComposedStatus, composeStatus } from './mastodon/composeStatus.ts';
import { findOwnStatus } from './mastodon/findOwnStatus.ts';
import { defaultLimits } from './mastodon/instance.ts';
import { refusalOf, wordsOf } from './mastodon/refusals.ts';
import { remoteId } from './mastodon/remoteId.ts';
import { type MastodonSettings, settings } from './mastodon/settings.ts';
import { statusLength, statusText } from './mastodon/statusText.ts';
import type { PublishOutcome } from './PublishOutcome.ts';
import { lookBackMs } from './settingsParts.ts';

/** How far the instance's clock may be behind ours. */
const clockSkewMs = 120_000;

/**
 * Mastodon, and what speaks its API: GoToSocial, Pleroma, Akkoma, snac, Friendica. An idempotency key is sent
 * with each post; since most of them ignore it, a lost answer is always looked up in what the account has
 * posted.
 */
export const mastodon: Channel<MastodonSettings, ComposedStatus, MastodonAccount> = {
  platform: 'mastodon',
  needsAccount: true,
  account: mastodonAccount,
  settings,
  secretKeys: [],

  destination(_settings, account) {
    const { instance = '', username = null } = account ?? {};
    return { instance, target: `@${(username ?? '').toLowerCase()}` };
  },

  reconciliation({ visibility }) {
    return {
      kind: 'look_up',
      lookUp({ post, sendingAt }, { account, askedAt, send }) {
        const since = new Date(sendingAt.getTime() - clockSkewMs);
        const sought = { url: post.url, text: post.composed.payload.status };
        return findOwnStatus(apiOf(account, send, askedAt), {
          session: account.session,
          sought,
          visibility,
          since,
        });
      },
    };
  },

  preview(post, { contentWarning }, account) {
    const limits = account?.session.limits ?? defaultLimits;
    const fitted = statusText(post, contentWarning, limits);
    const text = fitted?.text ?? '';
    const length = statusLength(text, contentWarning, limits);
    const count = { length, limit: limits.maxCharacters, unit: 'characters' };
    const warning =
      contentWarning === undefined ? [] : [{ name: 'warning', text: contentWarning, count: null }];
    const notes = [
      ...(account === null ? ["with Mastodon's own limits: the instance may have others"] : []),
      ...(fitted === null ? ['not even the link fits'] : []),
      ...(fitted?.isCut ? ['the text was cut'] : []),
    ];
    return { parts: [...warning, { name: 'text', text, count }], notes };
  },

  check: checkAccount,

  async findExisting(post, settings, { account, askedAt, notBefore, send }) {
    const windowMs = lookBackMs(settings.duplicates);
    if (windowMs === null) return { kind: 'not_found' };
    const since = new Date(Math.max(askedAt.getTime() - windowMs, notBefore?.getTime() ?? 0));
    const { visibility } = settings;
    const sought = { url: post.url, text: textOf(post, settings, account) };
    return findOwnStatus(apiOf(account, send, askedAt), {
      session: account.session,
      sought,
      visibility,
      since,
    });
  },

  compose: composeStatus,

  async publish({ composed }, _settings, { account, sendingAt, send }) {
    const { payload, idempotencyKey } = composed;
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
    const body = JSON.stringify(payload);
    const result = await submit(apiOf(account, send, sendingAt), '/api/v1/statuses', { body, headers });
    if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
    return outcomeOf(result, { now: sendingAt, hasPicture: payload.media_ids !== undefined });
  },
};

function apiOf({ credentials }: MastodonAccount, send: Api['send'], now: Date): Api {
  return { instance: credentials.instance, token: credentials.token, send, now };
}

function textOf(post: Post, { contentWarning }: MastodonSettings, { session }: MastodonAccount): string {
  return statusText(post, contentWarning, session.limits)?.text ?? post.text;
}

// What was scheduled has neither of the two, and is not public.
const published = z
  .object({ id: remoteId, url: z.string().nullish(), uri: z.string().nullish() })
  .refine(({ url, uri }) => Boolean(url ?? uri));

/**
 * A 5xx says nothing, not even Mastodon's own 503 "There was a temporary problem": it creates the post before it
 * does what that is about. Nor does a 409, Pleroma's word for a key that is at work. Only in the API's words is a 503
 * with a Retry-After one: GoToSocial's under load. Varnish and Fastly add that to what they have passed on.
 */
function outcomeOf(answer: Answer, { now, hasPicture }: { now: Date; hasPicture: boolean }): PublishOutcome {
  const { status, headers } = answer;
  const detail = describeAnswer(answer);
  const failed = { kind: 'failed', detail, isFinal: false } as const;

  if (status < 300) {
    const post = published.safeParse(parseJson(answer.body));
    if (!post.success) return { kind: 'unknown', code: 'unreadable_answer', detail };
    return { kind: 'succeeded', remoteId: post.data.id, remoteUrl: post.data.url ?? post.data.uri ?? null };
  }
  if (status < 400) {
    if (!isRedirect(status)) return { kind: 'unknown', code: 'unreadable_answer', detail };
    const advice = `${detail} (redirects are not followed: set instance to where it leads)`;
    return { ...failed, code: 'rejected', detail: advice, blames: 'channel' };
  }
  // A refusal that an earlier request got, and that was settled: this one came to nothing.
  if (headers['idempotent-replayed'] === 'true' && status < 500)
    return { ...failed, code: 'rejected', blames: 'channel' };
  // Not processed yet, or gone since: the next attempt uploads it anew.
  if (hasPicture && [400, 404, 422].includes(status) && /media|attach|processing/i.test(wordsOf(answer)))
    return { ...failed, code: 'image_unavailable', blames: 'article' };
  const refusal = status === 503 && wordsOf(answer) === '' ? null : refusalOf(answer, now);
  if (refusal) return refusal;
  switch (status) {
    case 400:
    case 422:
      return { ...failed, ...refusedArticle(wordsOf(answer)), blames: 'article' };
    case 413:
      return { ...failed, code: 'too_long', blames: 'article' };
    case 409:
      return { kind: 'unknown', code: 'rejected', detail };
    default:
      if (tellsNothing(status))
        return { kind: 'unknown', code: status === 503 ? 'unavailable' : 'server_error', detail };
      return { ...failed, code: 'rejected', blames: 'channel' };
  }
}

function refusedArticle(words: string) {
  // The limits are asked for again every day.
  if (/character limit|too long|exceed/i.test(words)) return { code: 'too_long' } as const;
  if (/try again|duplicate record/i.test(words)) return { code: 'rejected' } as const;
  return { code: 'rejected', isFinal: true } as const;
}
