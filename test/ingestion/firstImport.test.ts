import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { type FakeItem, rssOf } from './fakeFeeds.ts';
import { feedUrl, ingestionScene, queued, titlesQueued } from './scene.ts';

const database = useDatabase();
const dayMs = 86_400_000;
const nowMs = Date.parse('2026-09-07T12:00:00Z');

/** 500 items over ten years, newest first, every 17th of the first 500 without a date: 30 of them. */
const tenYears: FakeItem[] = Array.from({ length: 500 }, (_, n) => ({
  title: `Item ${n}`,
  link: `https://blog.test/${n}`,
  ...(n % 17 === 0 ? {} : { date: new Date(nowMs - n * 7.3 * dayMs).toUTCString() }),
}));

const modes: [object, string[] | number][] = [
  [{ mode: 'baseline' }, []],
  [{ mode: 'last', count: 3 }, ['Item 3', 'Item 2', 'Item 1']],
  [{ mode: 'since', sinceMs: 14 * dayMs }, ['Item 1']],
  [{ mode: 'since', sinceMs: 22 * dayMs }, ['Item 3', 'Item 2', 'Item 1']],
  [{ mode: 'since', at: '2026-08-24T00:00:00Z' }, ['Item 1']],
  [{ mode: 'all' }, 500],
  [{ mode: 'last', count: 471 }, 471],
  [{ mode: 'last', count: 1_000 }, 500],
];

describe('the first import', () => {
  it('has thirty undated items to deal with', () => {
    expect(tenYears.filter(item => item.date === undefined)).toHaveLength(30);
  });

  it.each(modes)('queues of 500 items what %j chooses, and later ones all', async (firstImport, expected) => {
    const { answers, ingest, clock } = await ingestionScene(database.db, {
      feed: { first_import: JSON.stringify(firstImport) },
    });
    answers.set(feedUrl, { body: rssOf(tenYears) });

    const first = await ingest();
    const titles = await titlesQueued(database.db);
    clock.advance({ minutes: 15 });
    answers.set(feedUrl, { body: rssOf([{ title: 'New', link: 'https://blog.test/new' }, ...tenYears]) });
    const second = await ingest();

    const count = typeof expected === 'number' ? expected : expected.length;
    expect(first.feeds).toMatchObject([{ newArticles: 500, routed: count }]);
    if (typeof expected !== 'number') expect(titles).toEqual(expected);
    expect(second.feeds).toMatchObject([{ newArticles: 1, routed: 1 }]);
    expect((await titlesQueued(database.db)).at(-1)).toBe('New');
  });

  it('waits for a complete read: a failed one imports nothing and uses nothing up', async () => {
    const { answers, ingest, clock } = await ingestionScene(database.db, {
      feed: { first_import: '{"mode":"baseline"}' },
    });
    const document = rssOf(tenYears);
    answers.set(feedUrl, { body: document.slice(0, document.length / 2) });
    await ingest();
    clock.advance({ minutes: 15 });
    answers.set(feedUrl, { body: document });

    const { feeds } = await ingest();

    expect(feeds).toMatchObject([{ outcome: 'read', newArticles: 500, routed: 0 }]);
  });

  it.each([
    ['baseline', ['Posted since']],
    ['all', ['Old', 'Posted since', 'Undated']],
  ])('is not used up by a feed that is empty at first: %s', async (mode, expected) => {
    const { answers, ingest, clock } = await ingestionScene(database.db, {
      feed: { first_import: JSON.stringify({ mode }) },
    });
    answers.set(feedUrl, { body: rssOf([]) });
    await ingest();
    clock.advance({ minutes: 60 });
    answers.set(feedUrl, {
      body: rssOf([
        { title: 'Posted since', link: 'https://blog.test/3', date: 'Mon, 07 Sep 2026 12:30:00 GMT' },
        { title: 'Undated', link: 'https://blog.test/2' },
        { title: 'Old', link: 'https://blog.test/1', date: 'Mon, 07 Sep 2026 11:30:00 GMT' },
      ]),
    });

    const { feeds } = await ingest();

    expect(feeds).toMatchObject([{ newArticles: 3, routed: expected.length }]);
    expect((await titlesQueued(database.db)).sort()).toEqual(expected);
  });

  it('stores and queues 20,000 items in one go, in bounded time', async () => {
    const { answers, ingest } = await ingestionScene(database.db);
    const description = '<p>Some <b>text</b> with words.</p>'.repeat(5);
    const items = Array.from({ length: 20_000 }, (_, n) => ({
      title: `Item ${n}`,
      link: `https://blog.test/${n}?utm_source=rss`,
      guid: `guid-${n}`,
      date: new Date(nowMs - n * 60_000).toUTCString(),
      description,
    }));
    answers.set(feedUrl, { body: rssOf(items) });
    const startedMs = performance.now();

    const { feeds } = await ingest();

    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(feeds).toMatchObject([{ newArticles: 20_000, routed: 20_000 }]);
    const rows = await queued(database.db);
    expect([rows[0].title, rows.at(-1).title]).toEqual(['Item 19999', 'Item 0']);
  });
});
