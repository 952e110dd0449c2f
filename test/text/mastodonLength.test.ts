import { describe, expect, it } from 'vitest';
import { mastodonLength } from '../../src/text/mastodonLength.ts';

const long = 'x'.repeat(200);
const link = 23;

// Each counted as well by Mastodon's own expressions, over twitter-text.
const cases: [string, number][] = [
  ['', 0],
  [' \n ', 0],
  ['a\nb', 3],
  ['👨‍👩‍👧‍👦 e\u0301', 3],
  [`https://a.org/${long}`, link],
  ['https://a.de', link],
  [`see https://a.org/${long}?a=1&b=2#top now`, 4 + link + 4],
  [`https://a.org/${long} http://b.org/${long}`, 2 * link + 1],
  ['https://a.org/x.', link + 1],
  ['(https://a.org/x_(y))', link + 2],
  ['https://a.org/x(y', link + 2],
  ['https://a.org/x=, https://a.org/?x=', link + 3 + link],
  ['https://a.org#top', link + 4],
  ['https://a.org/…', link],
  ['https://a.org:8080/x', link],
  ['https://größe.de/ https://пример.рф/путь', 2 * link + 1],
  ['https://a.org見て', link + 2],
  ['見https://a.org/見。', 1 + link],
  ['xhttps://a.org/abc', 18],
  ['ftp://a.org/abc a.org', 21],
  ['https://localhost/abc', 21],
  ['https://a.test/abc', 18],
  ['https://192.168.1.10/abc', 24],
  ['@ada@example.social hi', 7],
  ['@ada hi', 7],
  ['@ada.l-b@social.example.com, @bob@b.org', 8 + 2 + 4],
  ['mail ada@example.org', 20],
  ['@ada@b.org@', 11],
  ['https://a.org/@ada@b.org', link],
];

describe('mastodonLength', () => {
  it.each(cases)('counts %j', (text, count) => {
    expect(mastodonLength(text, { charactersReservedPerUrl: link })).toBe(count);
  });

  it("counts a link as the instance's settings say", () => {
    expect(mastodonLength(`to https://a.org/${long}`, { charactersReservedPerUrl: 30 })).toBe(33);
  });
});
