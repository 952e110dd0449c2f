import { describe, expect, it } from 'vitest';
import { absoluteLink, alternateLink, resolveLink } from '../../src/ingestion/resolveLink.ts';

const documentUrl = 'https://blog.test/feeds/all.xml';

describe('resolveLink', () => {
  it.each([
    ['https://x.test/a', 'https://x.test/a'],
    [' /a ', 'https://blog.test/a'],
    ['a', 'https://blog.test/feeds/a'],
    ['//cdn.test/a', 'https://cdn.test/a'],
    ['?id=1', 'https://blog.test/feeds/all.xml?id=1'],
    ['javascript:alert(1)', null],
    ['mailto:a@x.test', null],
    ['ftp://x.test/a', null],
    ['http://[broken', null],
    ['', null],
    [undefined, null],
    [`https://x.test/${'a'.repeat(8_000)}`, null],
  ])('resolves %j against the document as %j', (link, expected) => {
    expect(resolveLink(link, [documentUrl])).toBe(expected);
  });

  it('follows the chain of bases inwards and passes over a broken one', () => {
    expect(resolveLink('c', [documentUrl, '/a/', undefined, 'b/'])).toBe('https://blog.test/a/b/c');
    expect(resolveLink('c', [documentUrl, 'http://[broken'])).toBe('https://blog.test/feeds/c');
    expect(resolveLink('c', [documentUrl, `/${'a/'.repeat(4_000)}`])).toBe('https://blog.test/feeds/c');
  });
});

describe('absoluteLink', () => {
  it('takes no relative text for a link', () => {
    expect(absoluteLink('12345')).toBeNull();
    expect(absoluteLink('tag:x.test,2026:1')).toBeNull();
    expect(absoluteLink('https://x.test/1')).toBe('https://x.test/1');
  });
});

describe('alternateLink', () => {
  it('prefers HTML among the alternates, and takes a link without rel for one', () => {
    const json = { href: '/a.json', rel: 'alternate', type: 'application/json' };
    const html = { href: '/a', type: 'text/html; charset=utf-8' };

    expect(alternateLink([{ href: '/self', rel: 'self' }, json, html])).toBe('/a');
    expect(alternateLink([json])).toBe('/a.json');
    expect(alternateLink([{ href: '/b', rel: 'http://www.iana.org/assignments/relation/alternate' }])).toBe(
      '/b',
    );
    expect(alternateLink([{ href: '/self', rel: 'self' }])).toBeUndefined();
  });
});
