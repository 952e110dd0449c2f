import { describe, expect, it } from 'vitest';
import { sameLink } from '../../src/text/sameLink.ts';

describe('sameLink', () => {
  it.each([
    ['https://a.test/1', 'https://a.test/1'],
    ['https://a.test/1', 'HTTPS://A.test:443/1/?utm_source=rss#top'],
    ['https://a.test/?b=2&a=1', 'https://a.test?a=1&b=2'],
    ['http://a.test/1', 'https://a.test/1'],
    ['http://a.test:80/1?fbclid=x', 'https://a.test:443/1'],
    ['nonsense', 'nonsense'],
  ])('takes %s and %s for one', (a, b) => {
    expect(sameLink(a, b)).toBe(true);
    expect(sameLink(b, a)).toBe(true);
  });

  it.each([
    ['https://a.test/1', 'https://a.test/2'],
    ['https://a.test/1', 'https://b.test/1'],
    ['https://a.test/?id=1', 'https://a.test/?id=2'],
    ['https://a.test/#!/1', 'https://a.test/#!/2'],
    ['https://a.test/#/1', 'https://a.test/'],
    ['https://a.test:8443/1', 'https://a.test/1'],
    ['https://www.a.test/1', 'https://a.test/1'],
    ['https://a.test/1', ''],
    ['https://a.test/1', '/1'],
    ['magnet:?xt=1', 'magnet:?xt=2'],
    ['nonsense', 'Nonsense'],
  ])('keeps %s and %s apart', (a, b) => {
    expect(sameLink(a, b)).toBe(false);
    expect(sameLink(b, a)).toBe(false);
  });
});
