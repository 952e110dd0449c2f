import { groupBy } from '../../test/faults/support/groupBy.ts';
import type { History } from '../../test/faults/support/history.ts';

/** What a soak is told by, beside its violations. */
export type Outcomes = ReturnType<typeof countOutcomes>;

/** Counts what happened, by the history. */
export function countOutcomes(history: History) {
  const { attempts, publications, routeArticles, acceptedAfter, transitions, audits } = history;
  const tries = (outcome: string) => attempts.filter(row => row.outcome === outcome).length;
  const rows = (status: string) => routeArticles.filter(row => row.publishStatus === status).length;
  return {
    articles: routeArticles.length,
    publications: publications.filter(({ state }) => state === 'published').length,
    accepted: acceptedAfter.filter(({ isRepeat }) => !isRepeat).length,
    repeatsDropped: acceptedAfter.filter(({ isRepeat }) => isRepeat).length,
    unknowns: tries('unknown'),
    recovered: countRecovered(history),
    notThere: attempts.filter(({ code }) => code === 'not_arrived').length,
    sentAgain: transitions.filter(row => row.fromStatus === 'unknown' && row.toStatus === 'pending').length,
    interrupted: tries('interrupted'),
    deaths: transitions.filter(({ toStatus }) => toStatus === 'dead').length,
    retries: audits.filter(({ action }) => action === 'retry').length,
    dead: rows('dead'),
    skipped: rows('skipped'),
    unknownLeft: rows('unknown'),
    waiting: rows('pending') + rows('failed') + rows('publishing'),
  };
}

/** How each post whose outcome was unknown came to be known as published. */
function countRecovered({ transitions, attempts, audits }: History) {
  const recovered = { byLookUp: 0, byRepeat: 0, byPerson: 0, late: 0 };
  const keyOf = (row: { routeArticleId: number; xid: string }) => `${row.routeArticleId} in ${row.xid}`;
  const tries = new Map(attempts.map(row => [keyOf(row), row]));
  const settled = new Set(audits.filter(({ action }) => action === 'settle').map(keyOf));
  const unknown = groupBy(
    attempts.filter(({ outcome }) => outcome === 'unknown'),
    ({ publicationId }) => publicationId,
  );
  for (const transition of transitions.filter(({ toStatus }) => toStatus === 'published')) {
    const tried = tries.get(keyOf(transition));
    if (settled.has(keyOf(transition))) recovered.byPerson += 1;
    else if (tried?.code === 'found') recovered.byLookUp += 1;
    else if (transition.fromStatus !== 'publishing') recovered.late += 1;
    else if (tried && unknown.has(tried.publicationId)) recovered.byRepeat += 1;
  }
  return recovered;
}
