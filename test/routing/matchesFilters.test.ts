import { describe, expect, it } from 'vitest';
import { matchesFilters } from '../../src/routing/matchesFilters.ts';

const article = { title: 'Release 2.0 of Café', summary: 'Faster builds', tags: ['Node.js', 'tools'] };

describe('matchesFilters', () => {
  it.each<[string[], string[], boolean]>([
    [[], [], true],
    [['release'], [], true],
    [['nope', 'FASTER'], [], true],
    [['node'], [], true],
    [['nope'], [], false],
    [[], ['builds'], false],
    [[], ['nope'], true],
    [['release'], ['TOOLS'], false],
    [['cafe\u0301'], [], true],
    // Blank phrases are none: they neither let everything pass nor stop everything.
    [[' '], [''], true],
    [['café faster'], [], false],
  ])('include %j and exclude %j: %s', (include, exclude, expected) => {
    expect(matchesFilters(article, { include, exclude })).toBe(expected);
  });

  it('takes an article without a summary', () => {
    expect(matchesFilters({ ...article, summary: null }, { include: ['null'], exclude: [] })).toBe(false);
  });
});
