const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
const longestMinutes = 7 * 24 * 60;

/**
 * An RSS `ttl` (minutes) in ms: for how long the document asks not to be read again. At most a day, as for every
 * such wish. 0 for none, and for what is none: zero, less, or more than a week, which no publisher means.
 */
export function ttlMs(minutes: number | undefined): number {
  if (minutes === undefined || !(minutes > 0 && minutes <= longestMinutes)) return 0;
  return Math.round(Math.min(dayMs, minutes * minuteMs));
}
