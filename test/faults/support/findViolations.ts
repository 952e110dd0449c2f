import { DateTime } from 'luxon';
import { findUnexplained } from './findUnexplained.ts';
import { groupBy } from './groupBy.ts';
import type { AttemptRow, History } from './history.ts';

/** What may differ from the rules, where a fault is known to make it so. */
export type Exceptions = {
  /** The database lost rows that it had confirmed (a failover): it need not know what went out, or that it is a repeat. */
  forgot?: boolean;
};

/** What of a history breaks I1, I3, I4 or I5, one sentence each: nothing of it can mend itself. */
export function findViolations(history: History, { forgot = false }: Exceptions = {}): string[] {
  return [
    ...postedTwice(history),
    ...(forgot ? [] : [...repeatedBlindly(history), ...forgotten(history)]),
    ...neverSent(history),
    ...countedWithoutSend(history),
    ...findUnexplained(history),
    ...toldOfDeathWrongly(history),
    ...slotsUsedTwice(history),
    ...overTheCap(history),
  ];
}

function postedTwice({ acceptedAfter }: History): string[] {
  const posts = groupBy(
    acceptedAfter.filter(({ isRepeat }) => !isRepeat),
    ({ path, webhookId }) => `/${path} ${webhookId}`,
  );
  return [...posts]
    .filter(([, same]) => same.length > 1)
    .map(([key, same]) => `I1: ${key} ("${same[0]?.title}") was accepted ${same.length} times`);
}

// A receiver that drops what it knows forgives a repeat; but each must follow an outcome that was not known.
function repeatedBlindly(history: History): string[] {
  const repeats = groupBy(
    history.acceptedBefore.filter(({ isRepeat }) => isRepeat),
    ({ postKey }) => postKey,
  );
  const publications = groupBy(history.publications, ({ postKey }) => postKey);
  const attempts = groupBy(history.attempts, ({ routeArticleId }) => routeArticleId);
  return [...repeats].flatMap(([postKey, same]) => {
    const ids = new Set((publications.get(postKey) ?? []).map(row => row.routeArticleId));
    const tries = [...ids].flatMap(id => attempts.get(id) ?? []);
    const unknowns = tries.filter(({ outcome }) => outcome === 'unknown');
    if (same.length <= unknowns.length) return [];
    return [
      `I1: "${same[0]?.title}" was repeated ${same.length} times after ${unknowns.length} unknown outcomes`,
    ];
  });
}

function forgotten({ acceptedBefore, publications }: History): string[] {
  const known = new Set(publications.map(({ postKey }) => postKey));
  return acceptedBefore
    .filter(({ postKey }) => !known.has(postKey))
    .map(({ title, path }) => `I1: "${title}" was accepted at /${path}, and has no publication`);
}

function neverSent({ publications, acceptedAfter, channels, audits }: History): string[] {
  const accepted = new Set(acceptedAfter.map(({ postKey }) => postKey));
  const settled = new Set(audits.filter(({ action }) => action === 'settle').map(row => row.routeArticleId));
  const posting = new Set(channels.filter(({ path }) => path !== null).map(({ id }) => id));
  return publications
    .filter(row => row.state === 'published' && posting.has(row.channelId))
    .filter(row => !accepted.has(row.postKey) && !settled.has(row.routeArticleId))
    .map(row => `I1: route article ${row.routeArticleId} is published, and was never accepted`);
}

function countedWithoutSend({ attempts }: History): string[] {
  const wasSent = ({ publicationId, code }: AttemptRow) => publicationId !== null || code === 'no_account';
  return attempts
    .filter(row => (row.outcome === 'failed' || row.outcome === 'published') && !wasSent(row))
    .map(
      row => `I3: attempt ${row.attempt} of route article ${row.routeArticleId} counts, and was never sent`,
    );
}

function toldOfDeathWrongly({ transitions, alerts, routeArticles }: History): string[] {
  const deathsOf = groupBy(
    transitions.filter(({ toStatus }) => toStatus === 'dead'),
    ({ routeArticleId }) => routeArticleId,
  );
  const alertsOf = groupBy(
    alerts.filter(({ kind }) => kind === 'article_dead'),
    ({ routeArticleId }) => routeArticleId,
  );
  return routeArticles.flatMap(({ id }) => {
    const deaths = deathsOf.get(id)?.length ?? 0;
    const told = alertsOf.get(id)?.length ?? 0;
    return deaths === told ? [] : [`route article ${id} died ${deaths} times, and ${told} alerts say so`];
  });
}

function slotsUsedTwice({ publications }: History): string[] {
  const slots = groupBy(
    publications.filter(({ slotAt }) => slotAt !== null),
    ({ workspaceId, slotAt }) => `workspace ${workspaceId}, slot ${slotAt?.toISOString()}`,
  );
  return [...slots]
    .filter(([, same]) => same.length > 1)
    .map(([slot, same]) => `I5: ${same.length} publications in ${slot}`);
}

function overTheCap({ publications, workspaces, channels }: History): string[] {
  const zoneOf = new Map(workspaces.map(({ id, timezone }) => [id, timezone]));
  const capped = [
    ...workspaces.map(
      ({ id, dailyCap }) => ({ what: `workspace ${id}`, dailyCap, key: 'workspaceId', id }) as const,
    ),
    ...channels.map(
      ({ id, dailyCap }) => ({ what: `channel ${id}`, dailyCap, key: 'channelId', id }) as const,
    ),
  ];
  return capped.flatMap(({ what, dailyCap, key, id }) => {
    if (dailyCap === null) return [];
    const ours = publications.filter(row => row[key] === id);
    const days = groupBy(ours, row => localDay(row.countedAt, zoneOf.get(row.workspaceId) ?? 'UTC'));
    return [...days]
      .filter(([, same]) => same.length > dailyCap)
      .map(([day, same]) => `I5: ${what} published ${same.length} on ${day}, with a cap of ${dailyCap}`);
  });
}

function localDay(at: Date, zone: string): string {
  return DateTime.fromJSDate(at, { zone }).toISODate() ?? '';
}
