import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes } from '../../src/text/bytes.ts';
import { cutText } from '../../src/text/cutText.ts';
import { findLink } from '../../src/text/findLinks.ts';
import { graphemes, splitGraphemes } from '../../src/text/graphemes.ts';
import { mastodonLength } from '../../src/text/mastodonLength.ts';

const family = '👨‍👩‍👧‍👦';
const link = 'https://a.test/1';
const mastodon = (text: string) => mastodonLength(text, { charactersReservedPerUrl: 23 });

describe('cutText', () => {
  it.each<[string, string, number, string]>([
    ['nothing', '', 0, ''],
    ['what has exactly the maximum', 'Hello world', 11, 'Hello world'],
    ['one too many', 'Hello world', 10, 'Hello…'],
    ['at a blank', 'Hello world out there', 12, 'Hello world…'],
    ['before a blank that would be last', 'Hello world out there', 13, 'Hello world…'],
    ['several blanks', 'Hello you   world', 14, 'Hello you…'],
    ['what an ellipsis does not follow', 'Hello, world – out there', 14, 'Hello, world…'],
    ['no number in two', 'Now 1,000 of them', 10, 'Now 1,000…'],
    ['a line end', 'One\n\ntwo three', 9, 'One\n\ntwo…'],
    ['one long word', 'Donaudampfschiff', 6, 'Donau…'],
    ['a long word behind a short one', 'Oh Donaudampfschiff', 12, 'Oh Donaudam…'],
    ['without blanks', '日本語の長い文章です', 6, '日本語の長…'],
    ['to the ellipsis alone', 'Hello', 1, '…'],
    ['to nothing', 'Hello', 0, ''],
    ['families', `${family}${family} ${family}`, 3, `${family}${family}…`],
    ['before a family', `a ${family}`, 2, 'a…'],
    ['combining marks', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['Hebrew', 'שלום עולם טוב', 10, 'שלום עולם…'],
  ])('cuts %s', (_, text, max, expected) => {
    expect(cutText(text, { max, measure: graphemes })).toEqual({ text: expected, isCut: expected !== text });
  });

  it.each<[string, string, number, string]>([
    ['only a link', link, 16, link],
    ['a link at the start', `${link} and more text`, 21, `${link} and…`],
    ['a link at the start, with room for it alone', `${link} and more text`, 18, link],
    ['a link in the middle, with room behind it', `Read ${link} about it now`, 28, `Read ${link} about…`],
    ['a link in the middle, with no room behind it', `Read ${link} about it now`, 22, `Read ${link}`],
    ['a link in the middle, with less room', `Read this ${link} about it now`, 23, `Read… ${link}`],
    ['a link at the end', `A long title\n\n${link}`, 25, `A long…\n\n${link}`],
    ['a link at the end, with room for it alone', `A long title\n\n${link}`, 17, link],
    ['a link in brackets', `Long words (${link})`, 22, `Long… ${link}`],
    ['hashtags behind a link', `Title ${link} #one #two`, 30, `Title ${link} #one…`],
    ['half a hashtag behind a link', `Title ${link} #MachineLearning`, 35, `Title ${link}`],
    ['another link before it', `See https://b.test/22 ${link}`, 36, `See… ${link}`],
    ['another link behind it', `${link} https://b.test/22 and so on`, 37, `${link} https://b.test/22`],
    ['the beginning of a longer address', `Long text ${link}/more`, 20, 'Long text…'],
    ['a link that does not fit', `${link} text`, 10, '…'],
    ['a link that does not fit, behind text', `Some text ${link}`, 15, 'Some text…'],
  ])('keeps %s', (_, text, max, expected) => {
    expect(cutText(text, { max, measure: graphemes, protect: [link] }).text).toBe(expected);
  });

  it('keeps the first of the protected links that fits, and cuts none of them', () => {
    const other = 'https://b.test/a-very-long-address';
    const text = `Long words ${link} more ${other}`;

    expect(cutText(text, { max: 24, measure: graphemes, protect: [other, link] }).text).toBe(`Long… ${link}`);
    expect(cutText(text, { max: 42, measure: graphemes, protect: [other, link] }).text).toBe(
      `Long… ${other}`,
    );
  });

  it.each<[string, number, string]>([
    [`Words and ${link} at the end`, 27, `Words and ${link}`],
    [`Words and ${link}. More of it`, 29, `Words and ${link}.`],
    [`Words and ${link}/more`, 20, 'Words and…'],
    [`${link}/more`, 10, 'https://a…'],
  ])('cuts no link that it meets, and puts nothing behind it: %j to %i', (text, max, expected) => {
    expect(cutText(text, { max, measure: graphemes }).text).toBe(expected);
  });

  it('measures as it is told', () => {
    expect(cutText('Größe zählt', { max: 10, measure: bytes }).text).toBe('Größe…');
    expect(
      cutText(`One two https://a.org/${'x'.repeat(90)} three four`, { max: 38, measure: mastodon }).text,
    ).toBe(`One two https://a.org/${'x'.repeat(90)} three…`);
  });
});

describe('cutText, of any text', () => {
  const words = fc.string({ unit: 'grapheme', maxLength: 12 });
  const anything = fc.oneof(words, fc.string({ unit: 'binary' }), fc.constantFrom(' ', '\n', ', ', family));
  const texts = fc.array(anything, { maxLength: 12 }).map(parts => parts.join(' '));
  const measures = fc.constantFrom(graphemes, bytes, mastodon, (text: string) => text.length);
  const maxima = fc.nat(80);

  it('measures at most the maximum, and is the text itself when that fits', () => {
    fc.assert(
      fc.property(texts, measures, maxima, (text, measure, max) => {
        const cut = cutText(text, { max, measure });

        expect(measure(cut.text)).toBeLessThanOrEqual(max);
        expect(cut.isCut).toBe(measure(text) > max);
        if (!cut.isCut) expect(cut.text).toBe(text);
      }),
    );
  });

  it('is a beginning of it in whole graphemes, and an ellipsis', () => {
    fc.assert(
      fc.property(texts, measures, maxima, (text, measure, max) => {
        fc.pre(measure(text) > max && !text.includes('http'));
        const cut = cutText(text, { max, measure }).text;
        const beginning = cut.slice(0, -1);

        expect(cut.slice(-1)).toBe(max < measure('…') ? '' : '…');
        expect(text.startsWith(beginning)).toBe(true);
        expect(boundaries(text)).toContain(beginning.length);
        expect(beginning).toBe(beginning.trimEnd());
      }),
    );
  });

  it('could not be longer by another word', () => {
    const plain = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 20 });

    fc.assert(
      fc.property(plain, fc.integer({ min: 8, max: 60 }), (list, max) => {
        const text = list.join(' ');
        fc.pre(text.length > max);
        const { text: cut } = cutText(text, { max, measure: graphemes });
        const next = text.indexOf(' ', cut.length);

        expect(`${next === -1 ? text : text.slice(0, next)}…`.length).toBeGreaterThan(max);
      }),
    );
  });

  it('holds the protected link whole whenever that fits alone', () => {
    const addresses = fc.webUrl({ withQueryParameters: true, withFragments: true });

    fc.assert(
      fc.property(texts, addresses, texts, measures, fc.nat(200), (before, url, after, measure, max) => {
        const text = `${before} ${url} ${after}`;
        fc.pre(measure(url) <= max);
        const cut = cutText(text, { max, measure, protect: [url] }).text;

        expect(findLink(cut, url)).not.toBeNull();
        expect(measure(cut)).toBeLessThanOrEqual(max);
      }),
    );
  });
});

function boundaries(text: string): number[] {
  let end = 0;
  return [0, ...splitGraphemes(text).map(grapheme => (end += grapheme.length))];
}
