import { describe, expect, it } from 'vitest';
import { parseFeedDate } from '../../src/ingestion/parseFeedDate.ts';

const withOffset: [string, string][] = [
  ['Mon, 07 Sep 2026 10:00:00 GMT', '2026-09-07T10:00:00.000Z'],
  ['Mon, 7 Sep 26 10:00 PDT', '2026-09-07T17:00:00.000Z'],
  ['7 Sep 2026 10:00:00 +0200', '2026-09-07T08:00:00.000Z'],
  ['7 Sep 2026 10:00:00 +02:00', '2026-09-07T08:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 CEST', '2026-09-07T08:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 CET', '2026-09-07T09:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 EST', '2026-09-07T15:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 EDT', '2026-09-07T14:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 CST', '2026-09-07T16:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 MDT', '2026-09-07T16:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 PST', '2026-09-07T18:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 UT', '2026-09-07T10:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 Z', '2026-09-07T10:00:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 -0330', '2026-09-07T13:30:00.000Z'],
  ['Mon, 07 Sep 2026 10:00:00 -0700 (PDT)', '2026-09-07T17:00:00.000Z'],
  ['Mon, 07 September 2026 10:00:00 GMT+2', '2026-09-07T08:00:00.000Z'],
  ['Mon, 07 Sep 2026 1:05 PM EDT', '2026-09-07T17:05:00.000Z'],
  ['Fri, 31 Dec 99 23:59:60 GMT', '2000-01-01T00:00:00.000Z'],
  ['Monday, 07-Sep-26 10:00:00 GMT', '2026-09-07T10:00:00.000Z'],
  // A weekday that contradicts the date is passed over.
  ['Sun, 07 Sep 2026 10:00:00 GMT', '2026-09-07T10:00:00.000Z'],
  ['2026-09-07T10:00:00Z', '2026-09-07T10:00:00.000Z'],
  ['2026-09-07t10:00:00.1239z', '2026-09-07T10:00:00.123Z'],
  ['2026-09-07T10:00+05:45', '2026-09-07T04:15:00.000Z'],
  ['2026-09-07 10:00:00 +0200', '2026-09-07T08:00:00.000Z'],
  ['2026-09-07 10:00:00 UTC', '2026-09-07T10:00:00.000Z'],
  ['  2026-09-07T10:00:00Z\n', '2026-09-07T10:00:00.000Z'],
  ['2026-09-07 T 10:00:00Z', '2026-09-07T10:00:00.000Z'],
  ['20260907T100000.5+0200', '2026-09-07T08:00:00.500Z'],
  ['2026-09-07T1000Z', '2026-09-07T10:00:00.000Z'],
  ['Mo., 07. Dez. 2026 10:00:00 +0100', '2026-12-07T09:00:00.000Z'],
  ['sáb, 05 ago 2026 10:00:00 GMT', '2026-08-05T10:00:00.000Z'],
  ['07 février 2026 10:00:00 GMT', '2026-02-07T10:00:00.000Z'],
  ['Tue, 01 Jan 2099 00:00:00 GMT', '2099-01-01T00:00:00.000Z'],
  ['Thu, 01 Jan 1970 00:00:00 GMT', '1970-01-01T00:00:00.000Z'],
  ['29 Feb 2028 12:00 GMT', '2028-02-29T12:00:00.000Z'],
];

const withoutOffset: [string, string, string][] = [
  ['2026-09-07', 'Europe/Berlin', '2026-09-06T22:00:00.000Z'],
  ['2026-09-07T10:00:00', 'UTC', '2026-09-07T10:00:00.000Z'],
  ['2026-09-07 10:00', 'Asia/Kathmandu', '2026-09-07T04:15:00.000Z'],
  ['Mon, 7 Sep 2026 10:00:00', 'America/New_York', '2026-09-07T14:00:00.000Z'],
  ['7 Sep 2026', 'Europe/Berlin', '2026-09-06T22:00:00.000Z'],
  // Summer and winter time of the zone, a time that the clock change leaves out, and one that comes twice.
  ['2026-07-01T12:00:00', 'Europe/Berlin', '2026-07-01T10:00:00.000Z'],
  ['2026-12-01T12:00:00', 'Europe/Berlin', '2026-12-01T11:00:00.000Z'],
  ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  // IST is India, Israel or Ireland: better the workspace's zone than no date at all.
  ['Mon, 07 Sep 2026 10:00:00 IST', 'UTC', '2026-09-07T10:00:00.000Z'],
];

const impossible = [
  '',
  '2026',
  '2026-09',
  '20260907',
  '07 Foo 2026 10:00 GMT',
  '20261301T100000Z',
  'not a date',
  '29 Feb 2026 10:00 GMT',
  '2026-02-29T10:00:00Z',
  '2026-04-31',
  '2026-13-01',
  '2026-00-10',
  '32 Jan 2026 10:00 GMT',
  '0 Jan 2026 10:00 GMT',
  '7 Foo 2026 10:00 GMT',
  '2026-09-07T24:00:00Z',
  '2026-09-07T10:60:00Z',
  '2026-09-07T10:00:61Z',
  '2026-09-07T10:00:00+16:00',
  '0001-01-01T00:00:00Z',
  '0000-00-00 00:00:00',
  '1788775200',
  '12.5',
  '2026-09',
  '09/07/2026 10:00',
  `Mon, ${' '.repeat(50_000)}x`,
];

describe('parseFeedDate', () => {
  it.each(withOffset)('reads %j', (text, expected) => {
    const date = parseFeedDate(text, 'Pacific/Auckland');

    expect(date).toEqual({ at: new Date(expected), hasOffset: true });
  });

  it.each(withoutOffset)('reads %j in %s, and says so', (text, zone, expected) => {
    const date = parseFeedDate(text, zone);

    expect(date).toEqual({ at: new Date(expected), hasOffset: false });
  });

  it.each(impossible)('refuses %j', text => {
    expect(parseFeedDate(text, 'UTC')).toBeNull();
  });
});
