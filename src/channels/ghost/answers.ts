import {
  type Answer,
  describeAnswer,
  isRedirect,
  outcomeBeforePost,
  tellsNothing,
} from '../answerOutcome.ts';
import type { LookUpAnswer, NotComposed } from '../Channel.ts';
import type { PublishOutcome } from '../PublishOutcome.ts';
import type { RequestResult } from '../sendRequest.ts';
import { ghostErrorOf } from './api.ts';

type Refused = Exclude<PublishOutcome, { kind: 'succeeded' | 'skipped' | 'not_sent' }>;

/**
 * What an answer to the post means that says not that it is there. Ghost's own words come as JSON: what comes
 * otherwise is a proxy's, which may have passed the post on before it failed.
 */
export function refusalOf(answer: Answer): Refused {
  const { status, retryAfter: until } = answer;
  const error = ghostErrorOf(answer);
  const detail = describe(answer);
  const failed = { kind: 'failed', detail, isFinal: false, blames: 'channel' } as const;
  const blockedChannel = { kind: 'blocked', scope: 'channel', detail, isGone: false } as const;

  if (isRedirect(status)) return { ...failed, code: 'rejected', detail: redirected(answer) };
  if (status < 400) return { kind: 'unknown', code: 'unreadable_answer', detail };
  if (status === 401 || (status === 400 && isAboutToken(answer))) return unauthorized(answer);
  switch (status) {
    case 403:
      if (error === null) return { ...failed, code: 'forbidden' };
      // A limit of the plan is the whole site's.
      if (error.type !== 'HostLimitError') return { ...blockedChannel, code: 'forbidden' };
      return { ...blockedChannel, scope: 'account', code: 'forbidden' };
    case 404:
      return { ...blockedChannel, code: 'not_found' };
    case 413:
      return { ...failed, code: 'too_long', isFinal: true, blames: 'article' };
    case 422:
      return error === null
        ? { ...failed, code: 'rejected' }
        : { ...failed, code: 'rejected', isFinal: true, blames: 'article' };
    case 400:
      return { ...failed, code: 'rejected', blames: error === null ? 'channel' : 'article' };
    case 429:
      return { kind: 'throttled', scope: 'account', code: 'rate_limited', detail, until };
    case 501:
      return error === null
        ? { kind: 'unknown', code: 'server_error', detail }
        : { ...blockedChannel, code: 'forbidden' };
    case 503:
      if (isMaintenance(answer))
        return { kind: 'throttled', scope: 'account', code: 'unavailable', detail: maintenanceDetail, until };
      return { kind: 'unknown', code: 'unavailable', detail };
  }
  if (tellsNothing(status)) return { kind: 'unknown', code: 'server_error', detail };
  return { ...failed, code: 'rejected' };
}

/** For people: Ghost's words without the JSON around them, or the beginning of what came instead. */
export function describe(answer: Answer): string {
  const error = ghostErrorOf(answer);
  return describeAnswer(error === null ? answer : { ...answer, body: error.words });
}

/** `refusalOf` for a request that is not the post: made again it does no harm, so nothing about it is unknown. */
export function refusalBeforePost(result: RequestResult): NotComposed {
  if (result.phase !== 'answered') return outcomeBeforePost(result);
  const refused = refusalOf(result);
  const { detail } = refused;
  const { status, retryAfter: until } = result;
  if (status === 503 && until !== null)
    return { kind: 'throttled', scope: 'account', code: 'unavailable', detail, until };
  if (refused.kind !== 'unknown' && refused.kind !== 'failed') return refused;
  return { kind: 'failed', code: refused.code, detail, isFinal: false, blames: 'channel' };
}

/** The same for a search: it has proved nothing. */
export function incomplete(result: RequestResult): LookUpAnswer {
  const refused = refusalBeforePost(result);
  const { detail } = refused;
  if (refused.kind !== 'throttled' && refused.kind !== 'blocked') return { kind: 'incomplete', detail };
  return { kind: 'incomplete', detail, refusal: refused };
}

/** Whether it is the account or the whole site that refuses, and not the one thing that was asked for. */
export function isRefusalOfAll(result: RequestResult): boolean {
  if (result.phase !== 'answered') return result.phase === 'not_sent' || result.failure === 'aborted';
  if (result.status === 401 || result.status === 429 || isAboutToken(result)) return true;
  return result.status === 503 && (result.retryAfter !== null || isMaintenance(result));
}

/**
 * A deleted or wrong key is refused for good, a token only for now: Ghost takes one for five minutes by its own
 * clock, and only the words tell the two apart.
 */
function unauthorized(answer: Answer): Refused {
  const error = ghostErrorOf(answer);
  const said = describe(answer);
  const isClock = /jwt expired|maxAge exceeded|jwt not active/i.test(error?.words ?? '');
  const isKey = /invalid signature/i.test(error?.words ?? '') || goneCodes.includes(error?.code ?? '');
  const detail = isClock ? `${said} (check the clock of this machine and of Ghost's)` : said;
  return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: isKey && !isClock };
}

const goneCodes: readonly string[] = ['UNKNOWN_ADMIN_API_KEY', 'INVALID_API_KEY_TYPE'];

function isAboutToken(answer: Answer): boolean {
  const code = ghostErrorOf(answer)?.code ?? '';
  return code === 'INVALID_JWT' || code === 'MISSING_ADMIN_API_KID';
}

const maintenanceDetail = 'HTTP 503: Ghost is starting, or down for maintenance';

// Ghost's own, before anything is done: JSON, or the page that it shows while it starts, without a Retry-After.
function isMaintenance(answer: Answer): boolean {
  return ghostErrorOf(answer)?.type === 'MaintenanceError' || /We.ll be right back\./.test(answer.body);
}

function redirected(answer: Answer): string {
  const to = answer.headers.location ?? 'somewhere else';
  return `HTTP ${answer.status} to ${to} (redirects are not followed: set the account's instance to where it leads)`;
}
