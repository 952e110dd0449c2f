import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInsideWindows, nextOpening } from '../../src/calendar/windows.ts';

const minuteMs = 60_000;

// The server's own zone must not matter.
describe.each(['UTC', 'Asia/Kolkata', 'America/St_Johns'])('on a server in %s', serverZone => {
  const before = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = serverZone;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  describe('isInsideWindows', () => {
    it.each([
      ['no windows at all', [], 'UTC', '2026-09-06T03:00:00Z', true],
      ['the first minute', ['mon-fri 08:00-22:00'], 'Europe/Berlin', '2026-09-07T06:00:00Z', true],
      [
        'one millisecond before it',
        ['mon-fri 08:00-22:00'],
        'Europe/Berlin',
        '2026-09-07T05:59:59.999Z',
        false,
      ],
      ['the last millisecond', ['mon-fri 08:00-22:00'], 'Europe/Berlin', '2026-09-07T19:59:59.999Z', true],
      [
        'the first minute after the end',
        ['mon-fri 08:00-22:00'],
        'Europe/Berlin',
        '2026-09-07T20:00:00Z',
        false,
      ],
      ['another day', ['mon-fri 08:00-22:00'], 'Europe/Berlin', '2026-09-06T12:00:00Z', false],
      [
        'a day of the workspace, not of UTC',
        ['mon 00:00-01:00'],
        'Asia/Kathmandu',
        '2026-09-06T18:30:00Z',
        true,
      ],
      [
        'the second of two windows',
        ['mon 08:00-09:00', 'mon 10:00-11:00'],
        'UTC',
        '2026-09-07T10:30:00Z',
        true,
      ],
      [
        'the pause between two windows',
        ['mon 08:00-09:00', 'mon 10:00-11:00'],
        'UTC',
        '2026-09-07T09:30:00Z',
        false,
      ],
      ['the evening of one that crosses midnight', ['sun 22:00-02:00'], 'UTC', '2026-09-06T23:59:59Z', true],
      ['its morning, on the next day', ['sun 22:00-02:00'], 'UTC', '2026-09-07T01:59:59Z', true],
      ['its end', ['sun 22:00-02:00'], 'UTC', '2026-09-07T02:00:00Z', false],
      ['the morning before it', ['sun 22:00-02:00'], 'UTC', '2026-09-06T01:00:00Z', false],
      ['a whole day', ['sun 00:00-24:00'], 'UTC', '2026-09-06T23:59:59.999Z', true],
      ['the midnight after a whole day', ['sun 00:00-24:00'], 'UTC', '2026-09-07T00:00:00Z', false],
      // Clock changes: local times hold.
      [
        '08:00 the day before the clocks go forward',
        ['08:00-09:00'],
        'Europe/Berlin',
        '2026-03-28T07:00:00Z',
        true,
      ],
      ['08:00 the day that they do', ['08:00-09:00'], 'Europe/Berlin', '2026-03-29T06:00:00Z', true],
      ['09:00 that day', ['08:00-09:00'], 'Europe/Berlin', '2026-03-29T07:00:00Z', false],
      ['08:00 the day that they go back', ['08:00-09:00'], 'Europe/Berlin', '2026-10-25T07:00:00Z', true],
      ['the first 02:30 of that day', ['02:30-02:45'], 'Europe/Berlin', '2026-10-25T00:30:00Z', true],
      ['the second 02:30 of that day', ['02:30-02:45'], 'Europe/Berlin', '2026-10-25T01:30:00Z', true],
      ['between the two', ['02:30-02:45'], 'Europe/Berlin', '2026-10-25T01:00:00Z', false],
      [
        'half an hour back on Lord Howe',
        ['01:30-02:00'],
        'Australia/Lord_Howe',
        '2026-04-04T15:15:00Z',
        true,
      ],
    ])('knows %s', (_, windows, zone, instant, isInside) => {
      expect(isInsideWindows(new Date(instant), windows, zone)).toBe(isInside);
    });
  });

  describe('nextOpening', () => {
    it.each([
      ['now, when it is open', ['08:00-22:00'], 'UTC', '2026-09-07T08:00:00Z', '2026-09-07T08:00:00Z'],
      ['now, without windows', [], 'UTC', '2026-09-07T03:00:00Z', '2026-09-07T03:00:00Z'],
      ['later today', ['08:00-22:00'], 'Europe/Berlin', '2026-09-07T05:59:59.999Z', '2026-09-07T06:00:00Z'],
      [
        'after the weekend',
        ['mon-fri 08:00-22:00'],
        'Europe/Berlin',
        '2026-09-04T20:00:00Z',
        '2026-09-07T06:00:00Z',
      ],
      [
        'in a week, when it closed just now',
        ['mon 08:00-09:00'],
        'UTC',
        '2026-09-07T09:00:00Z',
        '2026-09-14T08:00:00Z',
      ],
      ['across the year', ['fri 00:00-01:00'], 'UTC', '2026-12-31T23:00:00Z', '2027-01-01T00:00:00Z'],
      [
        'across the clocks going forward',
        ['mon 08:00-09:00'],
        'Europe/Berlin',
        '2026-03-28T12:00:00Z',
        '2026-03-30T06:00:00Z',
      ],
      [
        'across the clocks going back',
        ['mon 08:00-09:00'],
        'Europe/Berlin',
        '2026-10-24T12:00:00Z',
        '2026-10-26T07:00:00Z',
      ],
      [
        'after the gap that its beginning lies in',
        ['02:30-04:00'],
        'Europe/Berlin',
        '2026-03-29T00:00:00Z',
        '2026-03-29T01:00:00Z',
      ],
      [
        'the day after, when it lies in the gap altogether',
        ['02:15-02:45'],
        'Europe/Berlin',
        '2026-03-29T00:00:00Z',
        '2026-03-30T00:15:00Z',
      ],
      [
        'in two weeks, when that is the only day',
        ['sun 02:15-02:45'],
        'Europe/Berlin',
        '2026-03-22T02:00:00Z',
        '2026-04-05T00:15:00Z',
      ],
      [
        'after the midnight that is left out',
        ['sun 00:00-02:00'],
        'America/Havana',
        '2026-03-08T04:00:00Z',
        '2026-03-08T05:00:00Z',
      ],
      [
        'at the second of two equal times',
        ['02:30-02:45'],
        'Europe/Berlin',
        '2026-10-25T00:50:00Z',
        '2026-10-25T01:30:00Z',
      ],
      [
        'at the second of two midnights',
        ['00:00-00:30'],
        'America/Havana',
        '2026-11-01T04:45:00Z',
        '2026-11-01T05:00:00Z',
      ],
    ])('is %s', (_, windows, zone, instant, opening) => {
      expect(nextOpening(new Date(instant), windows, zone)).toEqual(new Date(opening));
    });

    it('is the first minute inside, as found by trying every one', () => {
      fc.assert(
        fc.property(moments, fc.array(windowTexts, { minLength: 1, maxLength: 3 }), (moment, windows) => {
          const { zone, at } = moment;
          const next = nextOpening(at, windows, zone);

          expect(next).toEqual(firstInside(at, windows, zone));
        }),
        { numRuns: 60 },
      );
    });
  });
});

const transitions = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['America/Havana', '2026-03-08T05:00:00Z'],
  ['America/Havana', '2026-11-01T05:00:00Z'],
  ['Atlantic/Azores', '2026-10-25T01:00:00Z'],
  ['America/Nuuk', '2026-10-25T01:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
] as const;

/** Instants up to four hours before a clock change, or two after. */
const moments = fc
  .tuple(fc.constantFrom(...transitions), fc.integer({ min: -240, max: 120 }))
  .map(([[zone, iso], minutes]) => ({ zone, at: new Date(Date.parse(iso) + minutes * minuteMs) }));

const times = fc
  .tuple(fc.integer({ min: 0, max: 27 }), fc.constantFrom(0, 15, 30, 45))
  .map(([hour, minute]) => `${String(hour > 23 ? hour - 24 : hour).padStart(2, '0')}:${minute || '00'}`);

const windowTexts = fc
  .tuple(fc.constantFrom('', 'sat,sun ', 'sun ', 'sun-mon '), times, times)
  .filter(([, from, to]) => from !== to)
  .map(([days, from, to]) => `${days}${from}-${to}`);

/** The plain definition: minute after minute, for as long as the code promises to look. */
function firstInside(at: Date, windows: readonly string[], zone: string): Date | null {
  if (isInsideWindows(at, windows, zone)) return at;
  const wholeMinute = Math.ceil(at.getTime() / minuteMs) * minuteMs;
  for (let minute = 0; minute < 15 * 1_440; minute++) {
    const candidate = new Date(wholeMinute + minute * minuteMs);
    if (isInsideWindows(candidate, windows, zone)) return candidate;
  }
  return null;
}
