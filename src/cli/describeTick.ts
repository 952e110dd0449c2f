import { hasExhaustedPublishAttempts } from '../publishing/backoff.ts';
import type { TickReason, TickResult, Tried } from '../publishing/tickResult.ts';
import { formatInstant, shorten } from './output.ts';

const reasons: Readonly<Record<TickReason, string>> = {
  paused: 'the workspace is paused',
  outside_window: 'outside its windows',
  daily_cap: 'the daily cap is reached',
  slot_used: 'this slot has its publication already',
  nothing_due: 'nothing is due',
  all_blocked: 'nothing that is due could go out',
  unknown_outcome: 'an answer was lost, so something may be out',
  busy: 'another consumer has this workspace',
  stopping: 'the process is stopping',
};

/** A tick in words, a line for each candidate that it tried. */
export function describeTick(result: TickResult): string {
  const { at, published, reason, detail, tried } = result;
  const outcome = published
    ? `published "${shorten(published.title, 60)}" in ${published.channel}`
    : `nothing: ${reason ? reasons[reason] : 'idle'}${detail ? ` (${detail})` : ''}`;
  const others = tried.filter(({ outcome }) => outcome !== 'published').map(describeTried);
  return [`${formatInstant(at)}  ${outcome}`, ...others].join('\n');
}

function describeTried(tried: Tried): string {
  const { routeArticleId, channel, outcome, code, detail } = tried;
  const why = [code, detail && shorten(detail, 90)].filter(Boolean).join(': ');
  const until = describeNext(tried);
  return `    ${outcome} ${routeArticleId} in ${channel}: ${why}${until}`;
}

function describeNext({ outcome, attempts, nextAttemptAt }: Tried): string {
  if (outcome === 'failed' && hasExhaustedPublishAttempts(attempts))
    return ', dead until a person retries it';
  return nextAttemptAt ? `, again at ${formatInstant(nextAttemptAt)}` : '';
}
