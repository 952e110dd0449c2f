import { groupBy } from './groupBy.ts';
import type { History } from './history.ts';
import type { Transition } from './transitions.ts';

const terminal = ['dead', 'skipped', 'published'];
const counting = ['published', 'failed', 'unknown', 'interrupted'];
const mostAttempts = 4;

/** The rows of one transaction that say why it changed a route article. */
type Reasons = { attempts: readonly string[]; audits: readonly string[] };

/**
 * What of a history changed a state without the one row that explains it, or counted attempts otherwise than
 * by I3: each transition is held against the attempt and audit rows of its own transaction.
 */
export function findUnexplained(history: History): string[] {
  const reasonsFor = indexReasons(history);
  return history.transitions.flatMap(transition => {
    const reasons = reasonsFor(transition);
    const problem = problemOf(transition, reasons);
    if (problem === null) return [];
    const { routeArticleId, fromStatus, toStatus, fromAttempts, toAttempts } = transition;
    const change = `${fromStatus} (${fromAttempts}) → ${toStatus} (${toAttempts})`;
    const rows = [...reasons.attempts, ...reasons.audits].join(', ') || 'no row';
    return [`${problem}: route article ${routeArticleId} ${change}, explained by ${rows}`];
  });
}

function indexReasons({ attempts, audits }: History): (transition: Transition) => Reasons {
  const keyOf = ({ routeArticleId, xid }: { routeArticleId: number; xid: string }) =>
    `${routeArticleId} in ${xid}`;
  const attemptsOf = groupBy(attempts, keyOf);
  const auditsOf = groupBy(audits, keyOf);
  return transition => ({
    attempts: (attemptsOf.get(keyOf(transition)) ?? []).map(({ outcome }) => outcome),
    audits: (auditsOf.get(keyOf(transition)) ?? []).map(({ action }) => action),
  });
}

/** Null: the transition is as it has to be. */
function problemOf(transition: Transition, { attempts, audits }: Reasons): string | null {
  const { fromStatus, toStatus, fromAttempts, toAttempts } = transition;
  const counted = attempts.filter(outcome => counting.includes(outcome)).length;
  const rows = attempts.length + audits.length;

  if (terminal.includes(fromStatus)) return audits.length === 1 ? null : 'I4: came back without a person';
  if (toStatus === 'publishing') {
    return toAttempts === fromAttempts + 1 && rows === 0 ? null : 'I3: a claim that is none';
  }
  if (toStatus === 'skipped') {
    if (toAttempts !== mostAttempts) return 'skipped and not terminal';
    return rows === 1 ? null : 'skipped without exactly one reason';
  }
  if (audits.length > 0) return rows === 1 ? null : 'changed by a person, and by more than that';
  // As if it had not been claimed: at most a note that it was refused.
  if (isGivenBack(transition)) return counted === 0 ? null : 'I3: given back, and counted';
  if (toAttempts !== fromAttempts) return 'I3: the count changed by itself';
  return counted === 1 && rows === 1 ? null : 'ended without exactly one reason';
}

function isGivenBack({ toStatus, fromAttempts, toAttempts }: Transition): boolean {
  return toAttempts === fromAttempts - 1 && ['pending', 'failed', 'unknown'].includes(toStatus);
}
