import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCapReached, nextLocalDay } from '../../src/calendar/localDay.ts';

const hourMs = 3_600_000;

// The server's own zone must not matter; the offset proves that Node took it.
const serverZones = [
  { zone: 'UTC', offsetInMarch: 0 },
  { zone: 'Asia/Kolkata', offsetInMarch: -330 },
  { zone: 'America/St_Johns', offsetInMarch: 210 },
  { zone: 'Pacific/Auckland', offsetInMarch: -780 },
] as const;

describe.each(serverZones)('on a server in $zone', ({ zone: serverZone, offsetInMarch }) => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = serverZone;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  it('runs in that zone at all', () => {
    expect(new Date('2026-03-01T12:00:00Z').getTimezoneOffset()).toBe(offsetInMarch);
  });

  describe('nextLocalDay', () => {
    it.each([
      ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 23],
      ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 25],
      ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z', 23],
      ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z', 25],
      ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z', 24.5],
      ['Australia/Lord_Howe', '2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z', 23.5],
      ['Asia/Kathmandu', '2026-03-28T18:15:00Z', '2026-03-29T18:15:00Z', 24],
      // Midnight is missing in spring and comes twice in autumn.
      ['America/Havana', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z', 23],
      ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z', 25],
      ['Atlantic/Azores', '2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z', 23],
      ['Atlantic/Azores', '2026-10-25T00:00:00Z', '2026-10-26T01:00:00Z', 25],
      // 23:00 comes twice, and the second 23:00 is still the old day.
      ['America/Nuuk', '2026-10-24T01:00:00Z', '2026-10-25T02:00:00Z', 25],
      ['Pacific/Apia', '2026-12-30T11:00:00Z', '2026-12-31T11:00:00Z', 24],
      // The day that Samoa left out: the 29th is followed by the 31st.
      ['Pacific/Apia', '2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z', 24],
      ['UTC', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z', 24],
    ])('ends the day of %s that begins at %s at %s, %d hours later', (zone, begin, end, hours) => {
      const begins = new Date(begin);
      const ends = new Date(end);

      expect(nextLocalDay(new Date(begins.getTime() - 1), zone)).toEqual(begins);
      expect(nextLocalDay(begins, zone)).toEqual(ends);
      expect(nextLocalDay(new Date(begins.getTime() + 1.5 * hourMs), zone)).toEqual(ends);
      expect(nextLocalDay(new Date(ends.getTime() - 1), zone)).toEqual(ends);
      expect(ends.getTime() - begins.getTime()).toBe(hours * hourMs);
    });

    it('is the first instant that is dated otherwise, for any zone and instant', () => {
      const instants = fc.date({
        min: new Date('2015-01-01'),
        max: new Date('2035-12-31'),
        noInvalidDate: true,
      });
      fc.assert(
        fc.property(instants, fc.constantFrom(...zones), (at, zone) => {
          const next = nextLocalDay(at, zone);

          expect(next > at).toBe(true);
          expect(dated(next, zone)).not.toBe(dated(at, zone));
          expect(dated(new Date(next.getTime() - 1), zone)).toBe(dated(at, zone));
        }),
        { numRuns: 150 },
      );
    });
  });

  describe('isCapReached', () => {
    it.each([
      ['no cap', null, '2026-09-07T10:00:00Z', false],
      ['a cap of nothing', 0, null, true],
      ['fewer than the cap so far', 4, null, false],
      ['the cap-th of today', 4, '2026-09-06T22:00:00Z', true],
      ['the cap-th one millisecond before local midnight', 4, '2026-09-06T21:59:59.999Z', false],
      ['the cap-th dated tomorrow, by a clock that was set back', 4, '2026-09-08T10:00:00Z', true],
    ])('knows %s', (_, cap, capth, isReached) => {
      const at = new Date('2026-09-07T12:00:00Z');
      const capthCountedAt = capth === null ? null : new Date(capth);

      expect(isCapReached(cap, { capthCountedAt, at, zone: 'Europe/Berlin' })).toBe(isReached);
    });

    it.each([
      // Both midnights, and the hour between them, are one day.
      ['America/Havana', '2026-11-01T04:10:00Z', '2026-11-01T05:10:00Z', true],
      ['America/Havana', '2026-11-01T03:59:59Z', '2026-11-01T05:10:00Z', false],
      ['Atlantic/Azores', '2026-10-25T00:10:00Z', '2026-10-25T01:10:00Z', true],
      ['Atlantic/Azores', '2026-10-24T23:59:59Z', '2026-10-25T01:10:00Z', false],
      ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z', true],
      ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', false],
      ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05T13:29:59Z', true],
      ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z', false],
    ])('counts by the calendar of %s: from %s to %s it is %s', (zone, counted, instant, isReached) => {
      const at = new Date(instant);

      expect(isCapReached(1, { capthCountedAt: new Date(counted), at, zone })).toBe(isReached);
    });
  });
});

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Havana',
  'Atlantic/Azores',
  'America/Nuuk',
  'America/Santiago',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'UTC',
] as const;

/** Written anew, by other means than the code's: what a calendar on the wall there says. */
function dated(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
}
