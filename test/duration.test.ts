import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../src/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['90s', 90_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    [' 15 m ', 900_000],
  ])('reads %s as %d ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(['', '5', 'm', '-5m', '1.5h', '5 minutes', '5M', '5m3s', '9999999999s'])('refuses "%s"', text => {
    expect(() => parseDuration(text)).toThrow('a number and a unit, such as 500ms, 90s, 5m, 2h or 7d');
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [1, '1ms'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [3_600_000, '1h'],
    [86_400_000, '1d'],
  ])('writes %d ms as %s', (durationMs, expected) => {
    expect(formatDuration(durationMs)).toBe(expected);
  });

  it('writes what is read back as the same', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), durationMs => {
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
  });
});
