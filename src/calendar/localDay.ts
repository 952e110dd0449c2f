import { DateTime } from 'luxon';

const longestDayMs = 27 * 3_600_000;

/**
 * The first instant after `at` that is dated otherwise in `zone`: when a daily cap starts afresh.
 * Searched by date instead of computed from midnight, since midnight may be missing, or come twice; a
 * local date never runs backwards, so halving finds it exactly.
 */
export function nextLocalDay(at: Date, zone: string): Date {
  const today = localDate(at.getTime(), zone);
  let [before, after] = [at.getTime(), at.getTime() + longestDayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDate(middle, zone) === today) before = middle;
    else after = middle;
  }
  return new Date(after);
}

/**
 * Whether a daily cap is reached at `at`. It is exactly when the cap-th newest publication is dated
 * today in `zone`; one that is dated later still counts after a clock was set back.
 */
export function isCapReached(
  cap: number | null,
  { capthCountedAt, at, zone }: { capthCountedAt: Date | null; at: Date; zone: string },
): boolean {
  if (cap === null) return false;
  if (cap === 0) return true;
  return (
    capthCountedAt !== null && localDate(capthCountedAt.getTime(), zone) >= localDate(at.getTime(), zone)
  );
}

function localDate(millis: number, zone: string): string {
  return DateTime.fromMillis(millis, { zone }).toISODate() ?? '';
}
