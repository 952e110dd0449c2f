import { z } from 'zod';
import { type Answer, describeAnswer } from '../answerOutcome.ts';
import type { NotComposed, Refusal } from '../Channel.ts';
import { parseJson } from '../json.ts';

/**
 * What an answer says about the account or its instance, whatever was asked; null: it is about what was sent, or
 * says nothing. Of a 403 only the API's own words are read: a firewall's page may hold any.
 */
export function refusalOf(answer: Answer, now: Date): Refusal | null {
  const { status, retryAfter } = answer;
  const detail = describeAnswer(answer);
  const about = { kind: 'blocked', detail, isGone: false } as const;

  switch (status) {
    case 401:
      return { ...about, scope: 'account', code: 'unauthorized' };
    case 403:
      return { ...about, ...forbidden(wordsOf(answer)) };
    case 404:
      return { ...about, scope: 'channel', code: 'not_found' };
    case 410:
      return { ...about, scope: 'channel', code: 'gone', isGone: true };
    case 422:
      // A token of an application, without a user.
      if (!/requires an authenticated user/i.test(wordsOf(answer))) return null;
      return { ...about, scope: 'account', code: 'unauthorized' };
    case 429:
      return {
        kind: 'throttled',
        scope: 'account',
        code: 'rate_limited',
        detail,
        until: waitUntil(answer, now),
      };
    case 503:
      // GoToSocial under load, and what stands in front of a server: the request went no further.
      if (retryAfter === null) return null;
      return { kind: 'throttled', scope: 'account', code: 'unavailable', detail, until: retryAfter };
    default:
      return null;
  }
}

/** The same where nothing public was asked for: what remains is a failure that may pass. */
export function refusalBeforePost(answer: Answer, now: Date): NotComposed {
  const refusal = refusalOf(answer, now);
  if (refusal) return refusal;
  const { status } = answer;
  const code = status < 300 ? 'unreadable_answer' : status < 500 ? 'rejected' : 'server_error';
  const advice = status >= 300 && status < 400 ? ' (set instance to where it leads)' : '';
  const detail = `${describeAnswer(answer)}${advice}`;
  return { kind: 'failed', code, detail, isFinal: false, blames: 'channel' };
}

/** The API's own words in an answer; empty where it has none (snac) or the answer is not the API's. */
export function wordsOf({ body }: Answer): string {
  return spoken.safeParse(parseJson(body)).data?.error ?? '';
}

const spoken = z.object({ error: z.string() });

type Forbidden = Pick<Extract<Refusal, { kind: 'blocked' }>, 'scope' | 'code'> & { isGone?: boolean };

function forbidden(words: string): Forbidden {
  // Pleroma's 401.
  if (/invalid credentials/i.test(words)) return { scope: 'account', code: 'unauthorized' };
  // A token never gets other scopes: it takes a new one.
  if (/scope|insufficient permissions/i.test(words))
    return { scope: 'account', code: 'forbidden', isGone: true };
  if (/disabled|pending|confirm|suspended|deactivated/i.test(words))
    return { scope: 'account', code: 'forbidden' };
  return { scope: 'channel', code: 'forbidden' };
}

// Mastodon: ISO 8601. GoToSocial: ISO 8601, seconds of the epoch before 0.14. Others: seconds from now.
function waitUntil({ retryAfter, headers }: Answer, now: Date): Date | null {
  if (retryAfter !== null) return retryAfter;
  const reset = headers['x-ratelimit-reset']?.trim() ?? '';
  if (/^\d{4}-\d\d-\d\dT/.test(reset)) return validDate(Date.parse(reset));
  if (!/^\d{1,10}$/.test(reset)) return null;
  const isInstant = reset.length === 10;
  return new Date(Number(reset) * 1_000 + (isInstant ? 0 : now.getTime()));
}

function validDate(epochMs: number): Date | null {
  return Number.isNaN(epochMs) ? null : new Date(epochMs);
}
