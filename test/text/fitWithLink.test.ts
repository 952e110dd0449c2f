import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLink } from '../../src/text/findLinks.ts';
import { fitWithLink } from '../../src/text/fitWithLink.ts';
import { graphemes } from '../../src/text/graphemes.ts';
import { mastodonLength } from '../../src/text/mastodonLength.ts';

const url = 'https://a.test/1';
const fitIn = (text: string, max: number, link: string | null = url) =>
  fitWithLink({ text, url: link, max, measure: graphemes, separator: '\n\n' });

describe('fitWithLink', () => {
  it.each<[string, string, number, string]>([
    ['all of it, exactly', 'A long title', 30, `A long title\n\n${url}`],
    ['one less than all', 'A long title', 29, `A long…\n\n${url}`],
    ['the ellipsis of the text alone', 'Title', 19, url],
    ['the link alone', 'A long title', 16, url],
    ['no text', '', 20, url],
    ['blanks', ' \n', 20, url],
    ['the link in the text', `Read ${url} now`, 40, `Read ${url} now`],
    ['the link in the text, that is too long', `Read this ${url}`, 23, `Read… ${url}`],
    ['only the link in the text', url, 16, url],
    ['a longer address in the text', `${url}/2`, 36, `${url}/2\n\n${url}`],
  ])('fits %s', (_, text, max, expected) => {
    expect(fitIn(text, max)?.text).toBe(expected);
  });

  it('says whether something was cut', () => {
    expect(fitIn('Title', 23)).toEqual({ text: `Title\n\n${url}`, isCut: false });
    expect(fitIn('Title', 22)?.isCut).toBe(true);
    expect(fitIn('', 16)?.isCut).toBe(false);
  });

  it('cuts only the text where there is no link', () => {
    expect(fitIn('A long title', 8, null)).toEqual({ text: 'A long…', isCut: true });
  });

  it.each(['', 'Title', `Read ${url}`])('gives up when not even the link fits: %j', text => {
    expect(fitIn(text, 15)).toBeNull();
  });

  it("counts the link by the platform's measure", () => {
    const long = `https://a.org/${'x'.repeat(600)}`;
    const measure = (text: string) => mastodonLength(text, { charactersReservedPerUrl: 23 });

    expect(fitWithLink({ text: 'A long title', url: long, max: 33, measure, separator: ' ' })?.text).toBe(
      `A long… ${long}`,
    );
  });

  it('fits any text with any link that fits alone', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });

    fc.assert(
      fc.property(texts, fc.webUrl(), fc.nat(120), (text, link, max) => {
        const fitted = fitIn(text, max, link);

        expect(fitted === null).toBe(graphemes(link) > max);
        if (fitted === null) return;
        expect(graphemes(fitted.text)).toBeLessThanOrEqual(max);
        expect(findLink(fitted.text, link)).not.toBeNull();
      }),
    );
  });
});
