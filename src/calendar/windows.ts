import { DateTime } from 'luxon';
import { parseWindow, type Window } from './parseWindow.ts';

const minuteMs = 60_000;
const minutesPerDay = 24 * 60;
const longestShiftMinutes = 180;

/** Whether `at` lies in one of the windows, by the local clock of `zone`. No windows: always open. */
export function isInsideWindows(at: Date, windows: readonly string[], zone: string): boolean {
  return windows.length === 0 || isInside(at, windows.map(parseWindow), zone);
}

/**
 * When the next window opens at or after `at`, to the minute; null when none does within eight days.
 * Local times hold: a window that begins in the hour that a clock change leaves out opens after it.
 */
export function nextOpening(at: Date, windows: readonly string[], zone: string): Date | null {
  if (isInsideWindows(at, windows, zone)) return at;
  const parsed = windows.map(parseWindow);
  const openings = parsed
    .flatMap(window => beginnings(at, window, zone))
    .filter(opening => opening > at && isInside(opening, parsed, zone))
    .map(opening => firstMinuteInside(opening, at, parsed, zone));
  const earliest = Math.min(...openings.map(opening => opening.getTime()));
  return Number.isFinite(earliest) ? new Date(earliest) : null;
}

function isInside(at: Date, windows: readonly Window[], zone: string): boolean {
  const local = DateTime.fromJSDate(at, { zone });
  const minute = local.hour * 60 + local.minute;
  const yesterday = local.weekday === 1 ? 7 : local.weekday - 1;
  return windows.some(
    ({ days, fromMinute, toMinute }) =>
      (days.includes(local.weekday) && minute >= fromMinute && minute < toMinute) ||
      (days.includes(yesterday) && minute + minutesPerDay < toMinute),
  );
}

function beginnings(at: Date, { days, fromMinute }: Window, zone: string): Date[] {
  const today = DateTime.fromJSDate(at, { zone });
  const next8Days = Array.from({ length: 9 }, (_, offset) => today.plus({ days: offset }));
  return next8Days
    .filter(day => days.includes(day.weekday))
    .map(day => day.set({ hour: Math.floor(fromMinute / 60), minute: fromMinute % 60, second: 0, millisecond: 0 }))
    .map(beginning => beginning.toJSDate());
}

// A beginning that a clock change skips is read an hour late: walk back to where the window really opens.
function firstMinuteInside(opening: Date, after: Date, windows: readonly Window[], zone: string): Date {
  let first = opening;
  for (let step = 0; step < longestShiftMinutes; step++) {
    const earlier = new Date(first.getTime() - minuteMs);
    if (earlier <= after || !isInside(earlier, windows, zone)) return first;
    first = earlier;
  }
  return first;
}
