import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseId, parseIds, parseInstant, parseInteger } from '../../src/cli/parseArguments.ts';

describe('parseInstant', () => {
  it.each([
    ['2026-11-30T09:00:00Z', '2026-11-30T09:00:00.000Z'],
    ['2026-11-30T10:00:00+01:00', '2026-11-30T09:00:00.000Z'],
    ['2026-11-30T14:45+0545', '2026-11-30T09:00:00.000Z'],
    ['2026-11-30t09:00:00.250z', '2026-11-30T09:00:00.250Z'],
    ['2026-11-29T22:00:00-11:00', '2026-11-30T09:00:00.000Z'],
  ])('reads %s', (text, instant) => {
    expect(parseInstant(text).toISOString()).toBe(instant);
  });

  it.each([
    '2026-11-30T09:00:00',
    '2026-11-30T09:00',
    '2026-11-30',
    '2026-11-30Z',
    '09:00Z',
    'now',
    '',
    '1796029200',
    '2026-02-30T09:00:00Z',
    '2026-11-30T25:00:00Z',
    '2026-11-30T09:00:00 Europe/Berlin',
  ])('refuses "%s" and says what is allowed', text => {
    expect(() => parseInstant(text)).toThrow(InvalidArgumentError);
    expect(() => parseInstant(text)).toThrow('an ISO 8601 instant with its offset');
  });
});

describe('parseId', () => {
  it('reads the number of an article, and several', () => {
    expect(parseId('42')).toBe(42);
    expect(['42', '7'].reduce((ids: readonly number[], text) => parseIds(text, ids), [])).toEqual([42, 7]);
  });

  it.each(['0', '-1', '1.5', '4 2', 'x', '', '99999999999999999999'])('refuses "%s"', text => {
    expect(() => parseId(text)).toThrow('the number that "headway queue list" shows');
  });
});

describe('parseInteger', () => {
  it('takes both ends and refuses what is beyond', () => {
    const parse = parseInteger(-3, 3);

    expect([parse('-3'), parse('3')]).toEqual([-3, 3]);
    for (const text of ['-4', '4', '1.5', '1e1', '']) expect(() => parse(text)).toThrow('from -3 to 3');
  });
});
