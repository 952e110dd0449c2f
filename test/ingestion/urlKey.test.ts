import { describe, expect, it } from 'vitest';
import { type KeyedArticle, urlKey } from '../../src/ingestion/urlKey.ts';

const article: KeyedArticle = {
  feedId: 1,
  canonicalUrl: 'https://news.test/a/1',
  guid: 'g-1',
  title: 'One',
  publishedAt: new Date('2026-09-07T10:00:00Z'),
};

describe('urlKey', () => {
  it('is the md5 of the canonical URL, whatever the feed', () => {
    const keys = [urlKey(article), urlKey({ ...article, feedId: 2, guid: null, title: 'Two' })];

    expect(keys).toEqual(['11e38746-79df-060b-2344-69acddff6d49', '11e38746-79df-060b-2344-69acddff6d49']);
  });

  it('falls back to feed and guid, then to feed, title and date', () => {
    const noUrl = { ...article, canonicalUrl: null };
    const bare = { ...noUrl, guid: null };
    const keys = [
      urlKey(noUrl),
      urlKey({ ...noUrl, feedId: 2 }),
      urlKey({ ...noUrl, guid: 'g-2' }),
      urlKey(bare),
      urlKey({ ...bare, title: 'Two' }),
      urlKey({ ...bare, publishedAt: null }),
    ];

    expect(new Set(keys).size).toBe(keys.length);
    expect(urlKey({ ...noUrl, title: 'Renamed', publishedAt: null })).toBe(keys[0]);
  });
});
