import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLink, findLinks } from '../../src/text/findLinks.ts';

const urlsIn = (text: string, known: string[] = []) => findLinks(text, known).map(({ url }) => url);

describe('findLinks', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['no link: http, https://, http:// x', []],
    ['https://a.test', ['https://a.test']],
    ['https://a.test/1 first', ['https://a.test/1']],
    ['in https://a.test/1 the middle', ['https://a.test/1']],
    ['last HTTP://A.test/1', ['HTTP://A.test/1']],
    [
      'https://a.test/1 https://b.test/2\nhttps://c.test',
      ['https://a.test/1', 'https://b.test/2', 'https://c.test'],
    ],
    [
      'Read https://a.test/1. Or https://a.test/2, https://a.test/3!?',
      ['https://a.test/1', 'https://a.test/2', 'https://a.test/3'],
    ],
    ['(see https://a.test/1)', ['https://a.test/1']],
    ['(https://a.test/1).', ['https://a.test/1']],
    ['https://a.test/x_(y)', ['https://a.test/x_(y)']],
    ['(https://a.test/x_(y))', ['https://a.test/x_(y)']],
    ['[text](https://a.test/1)', ['https://a.test/1']],
    [
      '"https://a.test/1" “https://a.test/2” ‘https://a.test/3’ «https://a.test/4»',
      ['https://a.test/1', 'https://a.test/2', 'https://a.test/3', 'https://a.test/4'],
    ],
    ['<https://a.test/1>', ['https://a.test/1']],
    ['https://a.test/1…', ['https://a.test/1']],
    ['https://a.test/?q=1&r=a%20b#top', ['https://a.test/?q=1&r=a%20b#top']],
    ['https://web.test/2020/https://a.test/1', ['https://web.test/2020/https://a.test/1']],
    ['https://a.test:8080/1 http://[::1]/x', ['https://a.test:8080/1', 'http://[::1]/x']],
    ['https://größe.test/naïve', ['https://größe.test/naïve']],
    ['見てhttps://a.test/1 見て', ['https://a.test/1']],
    ['xhttps://a.test/1 @https://a.test/2 #https://a.test/3', []],
    ['ftp://a.test/1 www.a.test a.test', []],
  ])('finds in %j', (text, expected) => {
    expect(urlsIn(text)).toEqual(expected);
  });

  it('tells where they are, in UTF-16 units', () => {
    expect(findLinks('😀 https://a.test/1, שלום https://b.test')).toEqual([
      { url: 'https://a.test/1', start: 3, end: 19 },
      { url: 'https://b.test', start: 26, end: 40 },
    ]);
  });

  it.each<[string, string, string[]]>([
    ['See https://a.test/Inc.', 'https://a.test/Inc.', ['https://a.test/Inc.']],
    ['See https://a.test/Inc..', 'https://a.test/Inc.', ['https://a.test/Inc.']],
    ['See https://a.test/a) now', 'https://a.test/a)', ['https://a.test/a)']],
    ['See https://a.test/a/b', 'https://a.test/a', ['https://a.test/a/b']],
    ['See https://a.test/a.html', 'https://a.test/a', ['https://a.test/a.html']],
  ])('takes a known address as it is: %j, %s', (text, known, expected) => {
    expect(urlsIn(text, [known])).toEqual(expected);
  });

  it('takes the longer of two known addresses', () => {
    expect(urlsIn('https://a.test/Inc.', ['https://a.test/Inc', 'https://a.test/Inc.'])).toEqual([
      'https://a.test/Inc.',
    ]);
  });

  it('finds any address between two words, where it stands', () => {
    const addresses = fc.webUrl({ withQueryParameters: true, withFragments: true });

    fc.assert(
      fc.property(addresses, fc.string(), (url, words) => {
        const text = `${words} ${url} end`;

        expect(text.slice(...offsets(findLink(text, url)))).toBe(url);
        for (const link of findLinks(text, [url])) expect(text.slice(link.start, link.end)).toBe(link.url);
      }),
    );
  });
});

describe('findLink', () => {
  it.each<[string, number | null]>([
    ['', null],
    ['https://a.test/1', 0],
    ['to https://a.test/1, and https://a.test/1', 3],
    ['(https://a.test/1)', 1],
    ['https://a.test/12 https://a.test/1/ https://a.test/1?x https://a.test/1#x', null],
    ['https://a.test/12 https://a.test/1', 18],
    ['https://web.test/https://a.test/1', null],
    ['HTTPS://a.test/1', null],
  ])('looks in %j', (text, start) => {
    expect(findLink(text, 'https://a.test/1')?.start ?? null).toBe(start);
  });
});

function offsets(link: { start: number; end: number } | null): [number, number] {
  return link === null ? [0, 0] : [link.start, link.end];
}
