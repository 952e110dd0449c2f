import { DateTime } from 'luxon';
import { monthNumber } from './monthNumber.ts';

export type FeedDate = {
  at: Date;
  /** Whether the text named an offset or a known zone; if not, it was read in the workspace's zone. */
  hasOffset: boolean;
};

const minuteMs = 60_000;
/** Before this year stand the zero values of programs (`0001-01-01`), not dates. */
const firstYear = 1900;

/** Zone names that feeds use, in minutes east of UTC. Ambiguous ones (IST) are left out. */
const zoneNames =
  'Z=0 UT=0 UTC=0 GMT=0 WET=0 WEST=60 BST=60 CET=60 CEST=120 MET=60 MEST=120 EET=120 EEST=180 ' +
  'MSK=180 SGT=480 HKT=480 AWST=480 JST=540 KST=540 ACST=570 ACDT=630 AEST=600 AEDT=660 NZST=720 ' +
  'NZDT=780 NST=-210 NDT=-150 AST=-240 ADT=-180 EST=-300 EDT=-240 CST=-360 CDT=-300 MST=-420 ' +
  'MDT=-360 PST=-480 PDT=-420 AKST=-540 AKDT=-480 HST=-600';
const zoneMinutes: ReadonlyMap<string, number> = new Map(
  zoneNames.split(' ').map((pair): [string, number] => {
    const [name = '', minutes] = pair.split('=');
    return [name, Number(minutes)];
  }),
);

const time = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?(?:\s*(?<meridiem>[ap])\.?m\.?(?![a-z]))?`;
const zone = String.raw`\s*(?<zone>[a-z]{1,5}|(?:utc|gmt)?\s*[+-]\d{1,2}:?(?:\d{2})?)?`;
const mail = new RegExp(
  String.raw`^(?:\p{L}+\.?,?\s+)?(?<day>\d{1,2})\.?[\s\-]+(?<month>[\p{L}\p{M}]{3,12})\.?,?[\s\-]+(?<year>\d{2,4})(?:,?\s+${time}${zone})?$`,
  'iu',
);
const iso = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:(?:\s*t\s*|\s+)${time}${zone})?$`,
  'i',
);
/** ISO 8601 without its hyphens or colons. */
const basic = new RegExp(
  String.raw`^(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})t(?<hour>\d{2}):?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?${zone}$`,
  'i',
);

/**
 * Reads a feed's date: RFC 822 and 2822 (named zones, two-digit years, no weekday, months of other languages),
 * RFC 3339, ISO 8601, W3CDTF from the day on. Null
 * for what cannot be a date, such as 29 February 2026: JavaScript's own parser would roll it over, and
 * would read a time without a zone in the machine's. Without an offset, or with a zone name that nobody
 * knows, the time is read in `zoneName` (an IANA name), a bare day as its midnight.
 */
export function parseFeedDate(text: string, zoneName: string): FeedDate | null {
  const trimmed = text.replace(/\([^()]*\)/g, ' ').trim();
  if (trimmed.length > 100) return null;
  const groups = (mail.exec(trimmed) ?? iso.exec(trimmed) ?? basic.exec(trimmed))?.groups;
  if (groups === undefined) return null;
  const local = localTime(groups);
  if (local === null) return null;
  const offset = offsetMinutes(groups.zone);
  if (offset === 'impossible') return null;
  if (offset !== null) return { at: new Date(local.getTime() - offset * minuteMs), hasOffset: true };
  const inZone = DateTime.fromJSDate(local, { zone: 'utc' }).setZone(zoneName, { keepLocalTime: true });
  // A time that comes twice, when clocks go back, is the first of the two.
  const [first] = inZone.isValid ? inZone.getPossibleOffsets() : [];
  return first ? { at: first.toJSDate(), hasOffset: false } : null;
}

/** The clock's reading as if it were UTC, or null where a field is out of its range. */
function localTime(groups: Record<string, string | undefined>): Date | null {
  const year = fullYear(groups.year ?? '');
  const month = monthNumber(groups.month ?? '');
  const day = Number(groups.day);
  const hour = hourOfDay(Number(groups.hour ?? 0), groups.meridiem);
  const minute = Number(groups.minute ?? 0);
  // 60 is a leap second, and rolls into the next minute.
  const second = Number(groups.second ?? 0);
  if (year < firstYear || month === null || hour === null || minute > 59 || second > 60) return null;
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== month - 1) return null;
  const milliseconds = Math.trunc(Number(`0.${groups.fraction ?? '0'}`) * 1000);
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds));
}

/** RFC 2822, section 4.3: 00 to 49 are this century, 50 to 999 count from 1900. */
function fullYear(text: string): number {
  const year = Number(text);
  if (text.length >= 4) return year;
  return text.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

function hourOfDay(hour: number, meridiem: string | undefined): number | null {
  if (meridiem === undefined) return hour < 24 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (meridiem.toLowerCase() === 'p' ? 12 : 0);
}

function offsetMinutes(text: string | undefined): number | null | 'impossible' {
  if (text === undefined) return null;
  const digits = /([+-])(\d{1,2}):?(\d{2})?$/.exec(text);
  if (digits === null) return zoneMinutes.get(text.toUpperCase()) ?? null;
  const [, sign, hours = '0', minutes = '0'] = digits;
  if (Number(hours) > 15 || Number(minutes) > 59) return 'impossible';
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
