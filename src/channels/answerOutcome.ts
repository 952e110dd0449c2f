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

/** For people: the status and the beginning of what the remote side said, in one line. */
export function describeAnswer({ status, body }: Answer): string {
  const words = body.replace(/\s+/g, ' ').trim();
  const quoted = words.length > maxQuotedChars ? `${words.slice(0, maxQuotedChars)}…` : words;
  return quoted === '' ? `HTTP ${status}` : `HTTP ${status}: ${quoted}`;
}
