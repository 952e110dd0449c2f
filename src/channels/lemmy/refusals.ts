import { z } from 'zod';
import type { Answer } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { HoldScope, OutcomeCode } from '../PublishOutcome.ts';

type Meaning = (detail: string, until: Date | null) => NotComposed;

const ofPost: Meaning = detail => failed('invalid_post', detail, { isFinal: true, blames: 'article' });
const ofCommunity = blocked('channel', 'forbidden');
const notStored: Meaning = detail => failed('server_error', detail, { isFinal: false, blames: 'channel' });
const throttled: Meaning = (detail, until) => ({
  kind: 'throttled',
  scope: 'account',
  code: 'rate_limited',
  detail,
  until,
});

/**
 * What each code means, in 0.19 and in 1.0
 * (https://github.com/LemmyNet/lemmy/blob/main/crates/utils/src/error.rs). Only codes that cannot come after
 * the post was stored: `unknown`, `not_found`, `couldnt_like_post` and their kin can, so they stand for nothing.
 */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['rate_limit_error', throttled],
  ['too_many_requests', throttled],

  ['incorrect_login', blocked('account', 'unauthorized')],
  ['not_logged_in', blocked('account', 'unauthorized')],
  ['registration_application_is_pending', blocked('account', 'forbidden')],
  ['email_not_verified', blocked('account', 'forbidden')],

  // In 1.0 it is as well a ban from the instance of this one community; a ban here shows at the log-in.
  ['site_ban', ofCommunity],
  ['banned_from_community', ofCommunity],
  ['person_is_banned_from_community', ofCommunity],
  ['only_mods_can_post_in_community', ofCommunity],
  ['not_a_moderator', ofCommunity],
  ['not_a_mod_or_admin', ofCommunity],
  ['community_is_blocked', ofCommunity],
  ['instance_is_blocked', ofCommunity],
  ['instance_is_private', ofCommunity],
  ['couldnt_find_community', blocked('channel', 'not_found')],
  ['resolve_object_failed', blocked('channel', 'not_found')],
  // With a token that is valid it is the community, deleted or removed.
  ['deleted', blocked('channel', 'gone', { isGone: true })],
  // They are about the channel's settings: the next article fares the same.
  ['language_not_allowed', blocked('channel', 'rejected')],
  ['nsfw_not_allowed', blocked('channel', 'rejected')],

  ['invalid_post_title', ofPost],
  ['post_title_too_long', ofPost],
  ['invalid_body_field', ofPost],
  ['alt_text_length_overflow', ofPost],
  ['url_length_overflow', ofPost],
  ['invalid_url', ofPost],
  ['invalid_url_scheme', ofPost],
  ['blocked_url', ofPost],
  ['slurs', ofPost],

  ['couldnt_create_post', notStored],
  ['couldnt_create', notStored],
]);

const errorAnswer = z.object({ error: z.string() });

/** The code of a refusal in Lemmy's own words; null: it is none. */
export function errorCode({ body }: Answer): string | null {
  const parsed = errorAnswer.safeParse(parseJson(body));
  return parsed.success ? parsed.data.error : null;
}

/**
 * What a refusal definitely means; null: nothing, as it may come from behind the post. `detail`: the remote's
 * words. `at`: when it was asked, for limits that end so many seconds later.
 */
export function refusalIn(answer: Answer, detail: string, at: Date): NotComposed | null {
  const { status, retryAfter } = answer;
  if (status >= 300 && status < 400) {
    const advice = `${detail} (redirects are not followed: set instance to where it leads)`;
    return failed('rejected', advice, { isFinal: false, blames: 'channel' });
  }
  if (status < 400) return null;
  if (status === 429) return throttled(detail, retryAfter ?? resetIn(answer, at));
  if (status === 503 && retryAfter !== null) {
    return { kind: 'throttled', scope: 'account', code: 'unavailable', detail, until: retryAfter };
  }
  if (status >= 500) return null;
  const code = errorCode(answer);
  const meaning = code === null ? meaningOfStatus(status) : meanings.get(code);
  return meaning?.(detail, retryAfter) ?? null;
}

/** Of an answer that is not Lemmy's: a proxy before it, or another server. */
function meaningOfStatus(status: number): Meaning | undefined {
  switch (status) {
    case 401:
      return blocked('account', 'unauthorized');
    case 403:
      return blocked('channel', 'forbidden');
    case 404:
    case 405:
      return blocked('channel', 'not_found');
    case 413:
      return detail => failed('too_long', detail, { isFinal: true, blames: 'article' });
    default:
      return undefined;
  }
}

/** 1.0 counts down: so many seconds are left. */
function resetIn({ headers }: Answer, at: Date): Date | null {
  const seconds = Number(headers['x-ratelimit-reset'] || Number.NaN);
  const until = new Date(at.getTime() + seconds * 1_000);
  return Number.isNaN(until.getTime()) ? null : until;
}

function failed(
  code: OutcomeCode,
  detail: string,
  how: { isFinal: boolean; blames: 'article' | 'channel' },
): NotComposed {
  return { kind: 'failed', code, detail, ...how };
}

function blocked(scope: HoldScope, code: OutcomeCode, { isGone } = { isGone: false }): Meaning {
  return detail => ({ kind: 'blocked', scope, code, detail, isGone });
}
