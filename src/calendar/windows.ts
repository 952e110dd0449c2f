import { DateTime } from 'luxon';
import { parseWindow, type Window } from './parseWindow.ts';

const minuteMs = 60_000;
const minutesPerDay = 24 * 60;
const quarterMinutes = 15;
// A weekly window that a clock change leaves out opens a week later.
const longestSearchMinutes = 15 * minutesPerDay;

/** Whether `at` lies in one of the windows, by the local clock of `zone`. No windows: always open. */
export function isInsideWindows(at: Date, windows: readonly string[], zone: string): boolean {
  return windows.length === 0 || isInside(readLocal(at.getTime(), zone), windows.map(parseWindow));
}

/**
 * When the next window opens at or after `at`, to the minute; null when none does within fifteen days.
 * Local times hold: a window that begins in the hour that a clock change leaves out opens after it, and
 * one that lies in the hour that comes twice opens twice.
 *
 * Searched by the local clock instead of computed from it, as the end of a local day is. Clocks change on
 * quarters of an hour, so within one they run evenly.
 */
export function nextOpening(at: Date, windows: readonly string[], zone: string): Date | null {
  if (isInsideWindows(at, windows, zone)) return at;
  const parsed = windows.map(parseWindow);
  const first = Math.ceil(at.getTime() / minuteMs);
  const firstQuarter = first - (first % quarterMinutes);
  for (let quarter = firstQuarter; quarter < first + longestSearchMinutes; quarter += quarterMinutes) {
    const { weekday, minute } = readLocal(quarter * minuteMs, zone);
    for (let step = Math.max(0, first - quarter); step < quarterMinutes; step++) {
      if (isInside({ weekday, minute: minute + step }, parsed)) return new Date((quarter + step) * minuteMs);
    }
  }
  return null;
}

type LocalMinute = { weekday: number; minute: number };

function readLocal(millis: number, zone: string): LocalMinute {
  const { weekday, hour, minute } = DateTime.fromMillis(millis, { zone });
  return { weekday, minute: hour * 60 + minute };
}

function isInside({ weekday, minute }: LocalMinute, windows: readonly Window[]): boolean {
  const yesterday = weekday === 1 ? 7 : weekday - 1;
  return windows.some(
    ({ days, fromMinute, toMinute }) =>
      (days.includes(weekday) && minute >= fromMinute && minute < toMinute) ||
      (days.includes(yesterday) && minute + minutesPerDay < toMinute),
  );
}
