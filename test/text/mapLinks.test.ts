import { describe, expect, it } from 'vitest';
import { mapLinks } from '../../src/text/mapLinks.ts';

const markup = { words: (text: string) => text.toUpperCase(), link: (url: string) => `<${url}>` };

describe('mapLinks', () => {
  it.each([
    ['', ''],
    ['no link', 'NO LINK'],
    ['https://news.test/a', '<https://news.test/a>'],
    ['see https://news.test/a, and b', 'SEE <https://news.test/a>, AND B'],
    ['https://a.test https://b.test', '<https://a.test> <https://b.test>'],
  ])('writes %o as %o', (text, expected) => {
    expect(mapLinks(text, [], markup)).toBe(expected);
  });

  it('takes a known link as a whole, whatever it ends with', () => {
    expect(mapLinks('at https://news.test/a. ok', ['https://news.test/a.'], markup)).toBe(
      'AT <https://news.test/a.> OK',
    );
  });
});
