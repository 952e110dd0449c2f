import {
  type Answer,
  describeAnswer,
  isRedirect,
  type NoAnswer,
  outcomeBeforePost,
  tellsNothing,
} from '../answerOutcome.ts';
import type { LookUpAnswer, NotComposed } from '../Channel.ts';
import type { PublishOutcome } from '../PublishOutcome.ts';
import type { RequestResult } from '../sendRequest.ts';
import { restErrorOf } from './api.ts';

type Refused = Exclude<PublishOutcome, { kind: 'succeeded' | 'skipped' | 'not_sent' }>;

/**
 * What an answer to the post means that says not that it is there. WordPress has no limit of its own, so 429 and
 * many a 403 come from a firewall, as HTML: that counts against the channel, as it may be the article or the
 * whole address that it dislikes. A 5xx tells nothing: a plugin may have failed after the post was stored. Nor does a
 * 302, which plugins send to whoever has saved a post.
 */
export function refusalOf(answer: Answer): Refused {
  const { status, retryAfter: until } = answer;
  const detail = describeAnswer(answer);
  const error = restErrorOf(answer);
  const failed = { kind: 'failed', detail, isFinal: false, blames: 'channel' } as const;

  if (status === 302) return { kind: 'unknown', code: 'unreadable_answer', detail: redirected(answer) };
  if (isRedirect(status)) return { ...failed, code: 'rejected', detail: redirected(answer) };
  if (status < 400) return { kind: 'unknown', code: 'unreadable_answer', detail };
  switch (status) {
    case 401:
      return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false };
    case 403:
      if (error === null) return { ...failed, code: 'forbidden' };
      return { kind: 'blocked', scope: 'channel', code: 'forbidden', detail, isGone: false };
    case 404:
    case 410:
      return { kind: 'blocked', scope: 'channel', code: 'not_found', detail, isGone: false };
    case 413:
      return { ...failed, code: 'too_long', isFinal: true, blames: 'article' };
    case 429:
      return { kind: 'throttled', scope: 'account', code: 'rate_limited', detail, until };
    case 503:
      if (isMaintenance(answer))
        return { kind: 'throttled', scope: 'account', code: 'unavailable', detail, until };
      return { kind: 'unknown', code: 'unavailable', detail };
  }
  if (tellsNothing(status)) return { kind: 'unknown', code: 'server_error', detail };
  if (isLoggedOut(answer))
    return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false };
  if (status === 400 && error !== null)
    return { ...failed, code: 'rejected', isFinal: true, blames: 'article' };
  return { ...failed, code: 'rejected' };
}

/** The same for a request that is not the post: made again it does no harm, so nothing about it is unknown. */
export function refusalBeforePost(result: RequestResult): NotComposed {
  if (result.phase !== 'answered') return outcomeBeforePost(result);
  const { status, retryAfter: until } = result;
  const refused = refusalOf(result);
  if (status === 503 && until !== null)
    return { kind: 'throttled', scope: 'account', code: 'unavailable', detail: refused.detail, until };
  if (refused.kind !== 'unknown' && refused.kind !== 'failed') return refused;
  const { code, detail } = refused;
  return { kind: 'failed', code, detail, isFinal: false, blames: 'channel' };
}

/** The same for a search: it has proved nothing. */
export function incomplete(result: RequestResult): LookUpAnswer & { kind: 'incomplete' } {
  const refused = refusalBeforePost(result);
  const { detail } = refused;
  if (refused.kind !== 'throttled' && refused.kind !== 'blocked') return { kind: 'incomplete', detail };
  return { kind: 'incomplete', detail, refusal: refused };
}

/** Whether it is the account or the whole site that refuses, and not what was asked for. */
export function isRefusalOfAll(result: RequestResult): boolean {
  if (result.phase !== 'answered') return isNotSent(result);
  if (result.status === 401 || result.status === 429) return true;
  return result.status === 503 && (result.retryAfter !== null || isMaintenance(result));
}

function isNotSent({ phase, failure }: NoAnswer): boolean {
  return phase === 'not_sent' || failure === 'aborted';
}

// https://developer.wordpress.org/reference/functions/wp_maintenance/: before anything is done. A proxy's 503 may
// well carry a Retry-After behind a post that was stored.
function isMaintenance(answer: Answer): boolean {
  return restErrorOf(answer)?.code === 'wp_die';
}

// Who is not logged in may not ask for a status: that is said with a 400.
function isLoggedOut(answer: Answer): boolean {
  return (
    restErrorOf(answer)?.code === 'rest_invalid_param' &&
    /"rest_forbidden_status"[^}]*"data":\{"status":401\}/.test(answer.body)
  );
}

function redirected(answer: Answer): string {
  const to = answer.headers.location ?? 'somewhere else';
  return `HTTP ${answer.status} to ${to} (redirects are not followed: set the account's instance to where it leads)`;
}
