import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/network/retryAfter.ts';

const now = new Date('2026-09-07T08:30:00.000Z');

describe('parseRetryAfter', () => {
  it.each([
    ['0', '2026-09-07T08:30:00.000Z'],
    ['120', '2026-09-07T08:32:00.000Z'],
    [' 1.5 ', '2026-09-07T08:30:01.500Z'],
    ['Mon, 07 Sep 2026 09:00:00 GMT', '2026-09-07T09:00:00.000Z'],
    ['Monday, 07-Sep-26 09:00:00 GMT', '2026-09-07T09:00:00.000Z'],
    ['Fri, 31 Dec 1999 23:59:59 GMT', '1999-12-31T23:59:59.000Z'],
  ])('reads "%s"', (value, expected) => {
    expect(parseRetryAfter(value, now)?.toISOString()).toBe(expected);
  });

  it.each([undefined, '', '-5', 'soon', '12.', '5 minutes', 'Mon, 99 Foo 2026 GMT', '9'.repeat(30)])(
    'reads "%s" as nothing',
    value => {
      expect(parseRetryAfter(value, now)).toBeNull();
    },
  );
});
