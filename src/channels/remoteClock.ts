import type { Answer } from './answerOutcome.ts';

/** What is more is no clock, but an answer that somebody has kept. */
const mostMs = 86_400_000;

/**
 * How far the remote clock is behind ours, in milliseconds, by the `Date` of an answer: what is created there is dated
 * so much earlier. 0: it is not, or nobody says. Else a search by our clock would end before it has come to a post that
 * is there.
 */
export function behindMs({ headers }: Answer, askedAt: Date): number {
  const saidMs = Date.parse(headers.date ?? '');
  if (Number.isNaN(saidMs)) return 0;
  const behind = askedAt.getTime() - saidMs;
  return behind > 0 && behind <= mostMs ? behind : 0;
}
