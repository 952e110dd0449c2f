import { type Answer, describeAnswer, type NoAnswer, outcomeBeforePost } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import type { OutcomeCode, PublishOutcome } from '../PublishOutcome.ts';
import { errorName, limitEndsAt } from './xrpc.ts';

type AccountTrouble = { code: OutcomeCode; isGone: boolean };

const needsNewSession: AccountTrouble = { code: 'unauthorized', isGone: false };

// A PDS says with 400, 401 or 403 that it is about the account; the name tells more than the status.
const accountTroubles: ReadonlyMap<string, AccountTrouble> = new Map([
  ['ExpiredToken', needsNewSession],
  ['InvalidToken', needsNewSession],
  ['AuthMissing', needsNewSession],
  ['AuthenticationRequired', needsNewSession],
  ['AccountTakedown', { code: 'forbidden', isGone: true }],
  ['RepoTakendown', { code: 'forbidden', isGone: true }],
  // By its owner, who may come back.
  ['AccountDeactivated', { code: 'forbidden', isGone: false }],
  ['RepoDeactivated', { code: 'forbidden', isGone: false }],
  ['AccountNotFound', { code: 'gone', isGone: true }],
]);

/** What can come of an answer that is no success. */
export type RefusalOutcome = Extract<
  PublishOutcome,
  { kind: 'failed' | 'throttled' | 'blocked' | 'unknown' }
>;

/** What an answer means that is no success. A 5xx tells nothing: a PDS, or what stands before it, has failed. */
export function outcomeOfRefusal(answer: Answer): RefusalOutcome {
  const { status } = answer;
  const detail = describeAnswer(answer);
  const name = errorName(answer);
  const trouble = isAboutAccess(status) && name !== null ? accountTroubles.get(name) : undefined;
  const failed = { kind: 'failed', code: 'rejected', detail } as const;

  if (trouble) return { kind: 'blocked', scope: 'account', detail, ...trouble };
  if (status < 300) return { kind: 'unknown', code: 'unreadable_answer', detail };
  if (status < 400) {
    const advice = `${detail} (redirects are not followed: set instance to where it leads)`;
    return { ...failed, detail: advice, isFinal: false, blames: 'channel' };
  }
  switch (status) {
    // Its own checks of a record are the same at every try; what stands before it may change its mind.
    case 400:
    case 422:
      return { ...failed, isFinal: name === 'InvalidRequest', blames: 'article' };
    case 401:
      return { kind: 'blocked', scope: 'account', detail, ...needsNewSession };
    case 403:
      return { kind: 'blocked', scope: 'account', code: 'forbidden', detail, isGone: false };
    case 404:
      return { kind: 'blocked', scope: 'account', code: 'not_found', detail, isGone: false };
    case 413:
      return { ...failed, code: 'too_long', isFinal: true, blames: 'article' };
    case 429: {
      const until = limitEndsAt(answer);
      return { kind: 'throttled', scope: 'account', code: 'rate_limited', detail, until };
    }
    default:
      if (status < 500) return { ...failed, isFinal: false, blames: 'channel' };
      return { kind: 'unknown', code: status === 503 ? 'unavailable' : 'server_error', detail };
  }
}

function isAboutAccess(status: number): boolean {
  return status === 400 || status === 401 || status === 403;
}

/** The same of a request that was not the post itself, answered or not: nothing about it is unknown. */
export function outcomeOfEarlierRequest(result: Answer | NoAnswer): NotComposed {
  if (result.phase !== 'answered') return outcomeBeforePost(result);
  const outcome = outcomeOfRefusal(result);
  switch (outcome.kind) {
    case 'failed':
      // It was not the article that was refused.
      return { ...outcome, isFinal: false, blames: 'channel' };
    case 'throttled':
    case 'blocked':
      return outcome;
    case 'unknown': {
      const { retryAfter: until } = result;
      const { detail } = outcome;
      if (until !== null) return { kind: 'throttled', scope: 'account', code: 'unavailable', detail, until };
      const code = result.status < 300 ? 'unreadable_answer' : 'server_error';
      return { kind: 'failed', code, detail, isFinal: false, blames: 'channel' };
    }
    default:
      return outcome satisfies never;
  }
}
