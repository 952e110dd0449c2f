import { describe, expect, it } from 'vitest';
import { documentLimits } from '../../src/ingestion/documentLimits.ts';
import { jsonExcess } from '../../src/ingestion/jsonExcess.ts';

const { maxNesting, maxJsonObjects, maxJsonValues } = documentLimits;

describe('jsonExcess', () => {
  it.each([
    ['lists in each other', (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`, maxNesting],
    ['objects', (count: number) => '{}'.repeat(count), maxJsonObjects],
    ['values', (count: number) => '1,'.repeat(count), maxJsonValues],
  ])('takes as many %s as there may be, and refuses more', (_, documentOf, limit) => {
    const most = jsonExcess(documentOf(limit));
    const more = jsonExcess(documentOf(limit + 1));

    expect(most).toBeNull();
    expect(more).toContain(`more than ${limit.toLocaleString('en')} `);
  });

  it('counts nothing in strings, whatever is escaped there', () => {
    const json = `{"a":"\\"${'['.repeat(1_000)}","b":"\\\\"}`;

    expect(JSON.parse(json)).toMatchObject({ b: '\\' });
    expect(jsonExcess(json)).toBeNull();
  });

  it.each(['"', '"\\', ']]]]', ''])('leaves what does not close to the parser: %s', json => {
    expect(jsonExcess(json)).toBeNull();
  });
});
