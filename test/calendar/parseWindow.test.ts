import { describe, expect, it } from 'vitest';
import { parseWindow } from '../../src/calendar/parseWindow.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7];

describe('parseWindow', () => {
  it.each([
    ['mon-fri 08:00-22:00', [1, 2, 3, 4, 5], 480, 1320],
    ['sat,sun 10:00-18:00', [6, 7], 600, 1080],
    ['08:00-22:00', everyDay, 480, 1320],
    ['00:00-24:00', everyDay, 0, 1440],
    ['22:00-02:00', everyDay, 1320, 1560],
    ['22:00-00:00', everyDay, 1320, 1440],
    ['fri-mon 9:30-9:31', [1, 5, 6, 7], 570, 571],
    ['SUN, Mon-Tue 08:00 - 09:00', [1, 2, 7], 480, 540],
    ['wed 23:59-00:01', [3], 1439, 1441],
  ])('reads %s', (text, days, fromMinute, toMinute) => {
    expect(parseWindow(text)).toEqual({ days, fromMinute, toMinute });
  });

  it.each([
    ['', 'is not a window'],
    ['always', 'is not a window'],
    ['mon-fri', 'has a time'],
    ['mon-fry 08:00-22:00', 'has a day'],
    ['mon-tue-wed 08:00-22:00', 'has a day'],
    ['mon,,tue 08:00-22:00', 'has a day'],
    ['08:00-25:00', 'has a time'],
    ['08:60-09:00', 'has a time'],
    ['8-9', 'has a time'],
    ['24:00-08:00', 'cannot open at 24:00'],
    ['08:00-08:00', 'opens and closes at the same time'],
  ])('refuses "%s" and says what is allowed', (text, problem) => {
    expect(() => parseWindow(text)).toThrow(problem);
    expect(() => parseWindow(text)).toThrow('mon-fri 08:00-22:00');
  });
});
