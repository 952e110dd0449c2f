import { describe, expect, it } from 'vitest';
import { guidsWithSeveralUrls, type Identity, identityKeys } from '../../src/ingestion/identityKeys.ts';
import { mergeItems } from '../../src/ingestion/mergeItems.ts';

const item = (given: Partial<Identity>): Identity => ({
  guid: null,
  canonicalUrl: null,
  title: 'Title',
  publishedAt: null,
  source: null,
  ...given,
});
const none = new Set<string>();
const shareKey = (a: Identity, b: Identity, repeated: ReadonlySet<string> = none) =>
  identityKeys(a, repeated).some(key => identityKeys(b, repeated).includes(key));

describe('identityKeys', () => {
  it('knows an item by its guid or by its canonical URL', () => {
    const first = item({ guid: 'g', canonicalUrl: 'https://x.test/a' });

    expect(shareKey(first, item({ guid: 'g', canonicalUrl: 'https://x.test/b', title: 'New' }))).toBe(true);
    expect(shareKey(first, item({ guid: 'h', canonicalUrl: 'https://x.test/a', title: 'New' }))).toBe(true);
    expect(shareKey(first, item({ guid: 'h', canonicalUrl: 'https://x.test/b' }))).toBe(false);
    expect(shareKey(item({ guid: 'https://x.test/a' }), item({ canonicalUrl: 'https://x.test/a' }))).toBe(
      false,
    );
  });

  it('knows what has neither by title with date, or with source', () => {
    const monday = new Date('2026-09-07T00:00:00Z');

    expect(shareKey(item({ publishedAt: monday }), item({ publishedAt: monday, source: 'x' }))).toBe(true);
    expect(shareKey(item({ publishedAt: monday }), item({}))).toBe(false);
    expect(shareKey(item({ source: 'x' }), item({ source: 'y' }))).toBe(false);
    expect(shareKey(item({ guid: 'g' }), item({}))).toBe(false);
  });

  it('leaves out a repeated guid, and falls back to the title where nothing else is left', () => {
    const repeated = new Set(['g']);
    const [a, b] = [
      item({ guid: 'g', canonicalUrl: 'https://x.test/a' }),
      item({ guid: 'g', title: 'Other' }),
    ];

    expect(shareKey(a, item({ guid: 'g', canonicalUrl: 'https://x.test/b' }), repeated)).toBe(false);
    expect(shareKey(b, item({ title: 'Other' }), repeated)).toBe(true);
  });
});

describe('guidsWithSeveralUrls', () => {
  it('names guids with different URLs, not mere doubles', () => {
    const items = [
      item({ guid: 'a', canonicalUrl: 'https://x.test/1' }),
      item({ guid: 'a', canonicalUrl: 'https://x.test/2' }),
      item({ guid: 'b', canonicalUrl: 'https://x.test/3' }),
      item({ guid: 'b', canonicalUrl: 'https://x.test/3' }),
      item({ guid: 'b' }),
      item({ canonicalUrl: 'https://x.test/4' }),
    ];

    expect(guidsWithSeveralUrls(items)).toEqual(new Set(['a']));
  });
});

describe('mergeItems', () => {
  it('makes one of items that share a key, the first of them, with the keys of all', () => {
    const items = ['a,1', 'b,2', 'c,1', 'c,3', 'd'];

    const merged = mergeItems(items, text => text.split(','));

    expect(merged).toEqual([
      { item: 'a,1', keys: ['a', '1', 'c', '3'] },
      { item: 'b,2', keys: ['b', '2'] },
      { item: 'd', keys: ['d'] },
    ]);
  });
});
