import type { FeedStatus } from '../models/feeds.ts';

const dayMs = 24 * 3_600_000;
/** In a row; from then on the feed counts as failing, is asked less and less often, and one alert is raised. */
const failuresUntilFailing = 3;
/** Permanent redirects in a row to one place, until that is the feed's address. */
export const hitsUntilMoved = 3;

export type Health = { status: FeedStatus; failures: number; everyMs: number };

/** When a feed that answered is asked again: at its own pace, later only if its server asks for that. */
export function nextFetchAfterRead({ everyMs }: { everyMs: number }, waitMs: number, now: Date): Date {
  return new Date(now.getTime() + Math.max(everyMs, waitMs));
}

/** Whether so many failures in a row make a feed failing. */
export function isAtFailureLimit({ failures }: { failures: number }): boolean {
  return failures >= failuresUntilFailing;
}

/**
 * One more failure in a row. The first two change nothing but the count; from the third on the wait doubles
 * each time, up to a day (or the feed's own interval, if that is longer).
 */
export function afterFailure(health: Health, waitMs: number, now: Date) {
  const failures = health.failures + 1;
  const isFailing = isAtFailureLimit({ failures });
  const doublings = isFailing ? Math.min(failures - failuresUntilFailing + 1, 30) : 0;
  const backoffMs = Math.max(health.everyMs, Math.min(dayMs, health.everyMs * 2 ** doublings));
  const status: FeedStatus = isFailing ? 'failing' : health.status;
  return { failures, status, nextFetchAt: new Date(now.getTime() + Math.max(backoffMs, waitMs)) };
}

export type Move = { movedTo: string | null; movedHits: number };

/**
 * What a permanent redirect does to a feed's address: the third in a row to the same place replaces it. One
 * alone may be a mistake, or a hotel's log-in page. `url` null: keep the address.
 */
export function afterRedirect(known: Move, movedTo: string | null): Move & { url: string | null } {
  if (movedTo === null) return { url: null, movedTo: null, movedHits: 0 };
  const movedHits = known.movedTo === movedTo ? known.movedHits + 1 : 1;
  if (movedHits >= hitsUntilMoved) return { url: movedTo, movedTo: null, movedHits: 0 };
  return { url: null, movedTo, movedHits };
}
