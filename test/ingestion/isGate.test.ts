import { describe, expect, it } from 'vitest';
import { isGate } from '../../src/ingestion/isGate.ts';

const link = 'https://news.test/2026/09/a-story';

const gates: [string, string][] = [
  ['a front page', 'https://news.test/'],
  ['a front page with a tracker', 'https://news.test/?utm_source=gone'],
  ['a front page in a language', 'https://news.test/en-us/'],
  ['a front page with a name', 'https://news.test/index.html'],
  ['a log-in', 'https://news.test/login'],
  ['a log-in far inside', 'https://news.test/accounts/Sign-In/identifier'],
  ['a host for consent', 'https://consent.news.test/m?gl=DE'],
  ['a page of consent', 'https://news.test/v2/consent/collect'],
  ['a page for what is not there', 'https://news.test/404.html'],
  ['a page of errors', 'https://news.test/page-not-found/'],
  ['a page that remembers an address', 'https://wall.test/x?to=https%3A%2F%2Fnews.test%2Fa'],
  ['a page that remembers a path', 'https://wall.test/x?next=/2026/09/a-story'],
];

const articles: [string, string][] = [
  ['the article itself', 'https://news.test/a/1/?utm_source=x'],
  ['an article by its number alone', 'https://news.test/?p=17'],
  ['a route of a script', 'https://news.test/#!/a/1'],
  ['an article about such things', 'https://news.test/how-to-login-again'],
  ['an article in a section of that name', 'https://news.test/privacy/a-new-law'],
];

describe('isGate', () => {
  it.each(gates)('takes %s for one: %s', (_, end) => {
    expect(isGate(link, end)).toBe(true);
  });

  it.each(articles)('does not take %s for one: %s', (_, end) => {
    expect(isGate(link, end)).toBe(false);
  });

  it('believes a front page where the link was one', () => {
    expect(isGate('http://news.test/', 'https://www.news.test/')).toBe(false);
  });
});
