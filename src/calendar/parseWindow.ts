/** A stretch of the week in which a workspace publishes, in the workspace's own local time. */
export type Window = {
  /** ISO weekdays, 1 = Monday … 7 = Sunday, ascending: the days on which the window opens. */
  days: readonly number[];
  /** Minutes after local midnight, 0 … 1439. */
  fromMinute: number;
  /** First minute outside; more than `fromMinute`, and more than 1440 where the window crosses midnight. */
  toMinute: number;
};

/** What may be written for a window, for messages. */
export const windowForm =
  'days and times such as "mon-fri 08:00-22:00", "sat,sun 10:00-18:00" or "22:00-02:00" (every day)';

const dayNames = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const everyDay = [1, 2, 3, 4, 5, 6, 7];
const minutesPerDay = 1440;

/**
 * Reads a window. Without days it opens every day; an end before its start lies on the next day; `24:00`
 * is the end of the day. Throws an Error that says what is allowed.
 */
export function parseWindow(text: string): Window {
  const [, days, from, to] = /^\s*(?:(\S.*?)\s+)?(\S+?)\s*-\s*(\S+)\s*$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw invalid('is not a window');
  const fromMinute = parseMinute(from);
  const endMinute = parseMinute(to);
  if (fromMinute === minutesPerDay) throw invalid('cannot open at 24:00');
  if (fromMinute === endMinute)
    throw invalid('opens and closes at the same time (a whole day is 00:00-24:00)');
  const toMinute = endMinute > fromMinute ? endMinute : endMinute + minutesPerDay;
  return { days: days === undefined ? everyDay : parseDays(days), fromMinute, toMinute };
}

function parseMinute(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  if (hours === undefined || Number(minutes) > 59 || minute > minutesPerDay) {
    throw invalid(`has a time that is not one between 00:00 and 24:00`);
  }
  return minute;
}

function parseDays(text: string): number[] {
  const days = text.toLowerCase().split(',').flatMap(parseDayRange);
  return everyDay.filter(day => days.includes(day));
}

// fri-mon goes round the end of the week.
function parseDayRange(text: string): number[] {
  const [first = '', last = first, ...rest] = text.split('-').map(name => name.trim());
  const from = dayNames.indexOf(first);
  const to = dayNames.indexOf(last);
  if (from < 0 || to < 0 || rest.length > 0)
    throw invalid(`has a day that is none of ${dayNames.join(', ')}`);
  const length = ((to - from + 7) % 7) + 1;
  return Array.from({ length }, (_, step) => ((from + step) % 7) + 1);
}

function invalid(what: string): Error {
  return new Error(`${what}, allowed: ${windowForm}`);
}
