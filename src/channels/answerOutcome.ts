import type { PublishOutcome } from './PublishOutcome.ts';
import type { RequestResult } from './sendRequest.ts';

export type Answer = Extract<RequestResult, { phase: 'answered' }>;
export type NoAnswer = Exclude<RequestResult, { phase: 'answered' }>;

const maxQuotedChars = 200;

/**
 * What a request without a whole answer means, the same on every platform: unknown once it was sent,
 * else given back (abort, deadline) or a plain failure of the channel.
 */
export function outcomeWithoutAnswer({ phase, failure, detail }: NoAnswer): PublishOutcome {
  if (phase === 'sent') return { kind: 'unknown', code: failure, detail };
  if (failure === 'aborted' || failure === 'send_by_passed')
    return { kind: 'not_sent', code: failure, detail };
  return { kind: 'failed', code: failure, detail, isFinal: false, blames: 'channel' };
}

/** For people: the status and the beginning of what the remote side said, in one line. */
export function describeAnswer({ status, body }: Answer): string {
  const words = body.replace(/\s+/g, ' ').trim();
  const quoted = words.length > maxQuotedChars ? `${words.slice(0, maxQuotedChars)}…` : words;
  return quoted === '' ? `HTTP ${status}` : `HTTP ${status}: ${quoted}`;
}
