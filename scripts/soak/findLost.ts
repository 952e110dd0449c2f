import type { History, RouteArticleRow } from '../../test/faults/support/history.ts';

const capReasons: readonly string[] = ['daily_cap', 'channel_daily_cap'];

/** Whether a row waits for nothing but a cap: it goes out another day. */
export function waitsForCap(
  { id }: { id: number },
  { explanations }: Pick<History, 'explanations'>,
): boolean {
  const explanation = explanations.get(id);
  return explanation !== undefined && capReasons.includes(explanation.reason);
}

/**
 * What became of no end, one sentence each: every article, all of them approved, is published, skipped, dead or
 * unknown with an alert that says so, or waits for a cap. `fed`: how many there have to be.
 */
export function findLost(history: History, fed: number): string[] {
  const { routeArticles, alerts } = history;
  const told = new Set(alerts.map(({ kind, routeArticleId }) => `${kind} ${routeArticleId}`));
  const lost = routeArticles.filter(row => !hasEnded(row, told) && !waitsForCap(row, history));
  const sentences = lost.map(({ id, publishStatus }) => {
    const { reason = publishStatus, detail = null } = history.explanations.get(id) ?? {};
    return `lost: route article ${id} is ${publishStatus} at the end (${reason}${detail ? `: ${detail}` : ''})`;
  });
  const missing = fed - routeArticles.length;
  return missing === 0 ? sentences : [...sentences, `lost: ${missing} of ${fed} articles are not there`];
}

function hasEnded({ id, publishStatus }: RouteArticleRow, told: ReadonlySet<string>): boolean {
  switch (publishStatus) {
    case 'published':
    case 'skipped':
      return true;
    case 'dead':
      return told.has(`article_dead ${id}`);
    case 'unknown':
      return told.has(`outcome_unknown ${id}`);
    default:
      return false;
  }
}

/** I1 by the link: two articles with the same one are one post to those who read the channel. */
export function findLinkPostedTwice({ acceptedAfter }: Pick<History, 'acceptedAfter'>): string[] {
  const first = new Map<string, string>();
  return acceptedAfter.flatMap(({ path, url, title, isRepeat }) => {
    const key = `${path} ${url}`;
    const before = first.get(key);
    if (!isRepeat) first.set(key, title);
    if (isRepeat || before === undefined || before === title) return [];
    return [`I1: ${url} was accepted twice at /${path}, as "${before}" and as "${title}"`];
  });
}
