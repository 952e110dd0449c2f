import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Tried } from './tickResult.ts';

/** How a tick tells of an outcome. */
export function toldAs(outcome: PublishOutcome): Tried['outcome'] {
  if (outcome.kind === 'succeeded') return 'published';
  return outcome.kind === 'not_sent' ? 'passed' : outcome.kind;
}

/** The short word for it; null: it went out. */
export function codeOf(outcome: PublishOutcome): string | null {
  if (outcome.kind === 'succeeded') return null;
  return outcome.kind === 'skipped' ? outcome.reason : outcome.code;
}

/** What the remote side said; null: it went out. */
export function detailOf(outcome: PublishOutcome): string | null {
  return outcome.kind === 'succeeded' ? null : outcome.detail;
}
