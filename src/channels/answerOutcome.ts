import type { NotComposed } from './Channel.ts';
import type { PublishOutcome } from './PublishOutcome.ts';
import type { RequestResult } from './sendRequest.ts';

export type Answer = Extract<RequestResult, { phase: 'answered' }>;
export type NoAnswer = Exclude<RequestResult, { phase: 'answered' }>;

const maxQuotedChars = 200;

/**
 * What a request without a whole answer means, the same on every platform: unknown once it was sent,
 * else given back (abort, deadline) or a plain failure of the channel.
 */
export function outcomeWithoutAnswer(result: NoAnswer): PublishOutcome {
  const { phase, failure: code, detail } = result;
  return phase === 'sent' ? { kind: 'unknown', code, detail } : outcomeBeforePost(result);
}

/**
 * The same where the request was not the post itself (a session, an upload, a question): it may be made again,
 * so nothing about it is unknown.
 */
export function outcomeBeforePost({ failure: code, detail }: NoAnswer): NotComposed {
  if (code === 'aborted' || code === 'send_by_passed') return { kind: 'not_sent', code, detail };
  return { kind: 'failed', code, detail, isFinal: false, blames: 'channel' };
}

/**
 * Whether a status tells nothing of the post: a fault of the server, or a time that ran out on the way. A 408 is also
 * what Envoy, and what is built on it, says of a request that it has passed on and that nobody answered.
 */
export function tellsNothing(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Whether a redirect has left the request where it was: behind a 303, it was carried out. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 307 || status === 308;
}

/** For people: the status and the beginning of what the remote side said, in one line. */
export function describeAnswer({ status, body }: Answer): string {
  const words = body.replace(/\s+/g, ' ').trim();
  const quoted = words.length > maxQuotedChars ? `${words.slice(0, maxQuotedChars)}…` : words;
  return quoted === '' ? `HTTP ${status}` : `HTTP ${status}: ${quoted}`;
}
