import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes } from '../../src/text/bytes.ts';
import { graphemes, splitGraphemes } from '../../src/text/graphemes.ts';

const cases: [string, string, number, number][] = [
  ['nothing', '', 0, 0],
  ['ASCII', 'a b', 3, 3],
  ['a line end of two characters', 'a\r\nb\r\n', 4, 6],
  ['a line end of one character', 'a\nb\r', 4, 4],
  ['an umlaut in one code point', 'ä', 1, 2],
  ['an umlaut of letter and mark', 'a\u0308', 1, 3],
  ['three marks on a letter', 'e\u0301\u0323\u0330', 1, 7],
  ['an astral emoji', '😀', 1, 4],
  ['a family joined with ZWJ', '👨‍👩‍👧‍👦', 1, 25],
  ['a skin tone', '👍🏽', 1, 8],
  ['two flags', '🇩🇪🇫🇷', 2, 16],
  ['a keycap', '#️⃣', 1, 7],
  ['Hebrew', 'שלום', 4, 8],
  ['Korean in parts', '\u1112\u1161\u11ab', 1, 9],
  ['half a surrogate pair', '\ud83d', 1, 3],
];

describe('graphemes', () => {
  it.each(cases)('counts %s', (_, text, count) => {
    expect(graphemes(text)).toBe(count);
  });

  it('splits any text as the segmenter does', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const units = fc.constantFrom(
      'a',
      ' ',
      '\r',
      '\n',
      '\r\n',
      'ä',
      '\u0308',
      '\u200d',
      '\u0600',
      '👨',
      '🇩',
      '見',
      '\ud83d',
    );
    const texts = fc.oneof(fc.string({ unit: units }), fc.string({ unit: 'binary' }));

    fc.assert(
      fc.property(texts, text => {
        const expected = Array.from(segmenter.segment(text), ({ segment }) => segment);

        expect(splitGraphemes(text)).toEqual(expected);
        expect(graphemes(text)).toBe(expected.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('bytes', () => {
  it.each(cases)('measures %s', (_, text, _count, size) => {
    expect(bytes(text)).toBe(size);
  });
});
