import { describe, expect, it } from 'vitest';
import { oldestFirst } from '../../src/ingestion/oldestFirst.ts';

const now = new Date('2026-09-07T12:00:00Z');
const order = (items: [string, number | null][]) =>
  oldestFirst(
    items.map(([name, hour]) => ({
      name,
      publishedAt: hour === null ? null : new Date(Date.UTC(2026, 8, 7, hour)),
    })),
    now,
  )
    .map(({ name }) => name)
    .join('');

describe('oldestFirst', () => {
  it.each<[string, [string, number | null][], string]>([
    [
      'newest on top',
      [
        ['c', 9],
        ['b', 8],
        ['a', 7],
      ],
      'abc',
    ],
    [
      'newest at the bottom',
      [
        ['a', 7],
        ['b', 8],
        ['c', 9],
      ],
      'abc',
    ],
    [
      'no dates: the top is the newest',
      [
        ['c', null],
        ['b', null],
        ['a', null],
      ],
      'abc',
    ],
    [
      'undated among newest on top',
      [
        ['d', null],
        ['b', 8],
        ['c', null],
        ['a', 7],
      ],
      'abcd',
    ],
    [
      'undated among newest at the bottom',
      [
        ['a', 7],
        ['c', null],
        ['b', 8],
        ['d', null],
      ],
      'abcd',
    ],
    [
      'same dates, newest on top',
      [
        ['c', 9],
        ['b', 8],
        ['a', 8],
      ],
      'abc',
    ],
    [
      'same dates, newest at the bottom',
      [
        ['a', 8],
        ['b', 8],
        ['c', 9],
      ],
      'abc',
    ],
    [
      'a date a little ahead',
      [
        ['b', 13],
        ['a', null],
      ],
      'ab',
    ],
    ['nothing', [], ''],
  ])('sorts %s', (_, items, expected) => {
    expect(order(items)).toBe(expected);
  });
});
