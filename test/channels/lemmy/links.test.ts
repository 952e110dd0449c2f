import { describe, expect, it } from 'vitest';
import { hasLink, linkForms } from '../../../src/channels/lemmy/links.ts';

describe('the forms of a link that an instance may have stored', () => {
  it.each([
    ['https://news.test/a', ['https://news.test/a', 'https://news.test/a/']],
    ['https://news.test/a/', ['https://news.test/a/', 'https://news.test/a']],
    ['https://news.test', ['https://news.test/']],
    ['HTTPS://News.test/a?b=2&a=1', ['https://news.test/a?b=2&a=1', 'https://news.test/a/?b=2&a=1']],
    [
      'https://news.test/a?utm_source=x&id=a%20b#top',
      [
        'https://news.test/a?id=a+b',
        'https://news.test/a/?id=a+b',
        'https://news.test/a?utm_source=x&id=a%20b#top',
        'https://news.test/a/?utm_source=x&id=a%20b#top',
      ],
    ],
    [
      'http://news.test/a',
      ['http://news.test/a', 'http://news.test/a/', 'https://news.test/a', 'https://news.test/a/'],
    ],
  ])('of %s', (link, forms) => {
    expect(linkForms(link)).toEqual(forms);
  });
});

describe('a stored link', () => {
  it.each([
    ['https://news.test/a/', true],
    ['http://news.test/a?utm_source=x', true],
    ['https://lemmy.test/api/v3/image_proxy?url=https%3A%2F%2Fnews.test%2Fa', true],
    ['https://news.test/b', false],
    ['magnet:?xt=urn:btih:1', false],
    [null, false],
  ])('%s is ours: %s', (stored, isOurs) => {
    expect(hasLink(stored, 'https://news.test/a')).toBe(isOurs);
  });
});
