import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createFeed } from '../support/factories.ts';
import { until } from '../support/until.ts';
import { type FakeItem, rssOf } from './fakeFeeds.ts';
import { createRoute, feedUrl, ingestionScene, titlesQueued } from './scene.ts';

const database = useDatabase();
const story = 'https://news.test/a/1';
const wrap = (number: number | string) => `https://wrap.test/${number}`;
const item = (number: number, more: FakeItem = {}): FakeItem => ({
  title: `Story ${number}`,
  link: wrap(number),
  ...more,
});

type Given = Parameters<typeof ingestionScene>[1];

/** A feed whose items stand behind links that are counted. */
async function linkScene(given: Given = {}) {
  const scene = await ingestionScene(database.db, given);
  return {
    ...scene,
    async read(items: readonly FakeItem[]) {
      scene.answers.set(feedUrl, { body: rssOf(items) });
      const { feeds } = await scene.ingest();
      scene.clock.advance({ minutes: 15 });
      return feeds[0];
    },
    articles: () => database.db('articles').orderBy('id'),
  };
}

describe('the links of new items', () => {
  it('are followed once, and posted as the feed gave them', async () => {
    const { read, ends, world, articles } = await linkScene();
    ends.set(wrap(1), { url: `${story}/?utm_source=x` });

    await read([item(1)]);
    await read([item(1)]);
    await read([item(1, { title: 'Story 1, corrected' })]);

    expect(world.followed).toEqual([wrap(1)]);
    expect(await articles()).toMatchObject([{ url: wrap(1), canonical_url: story }]);
  });

  it('bring nothing twice where a feed wraps them anew at each read', async () => {
    const { read, ends, world, articles } = await linkScene();
    for (const number of [1, 2, 3]) ends.set(wrap(number), { url: story });

    for (const number of [1, 2, 3, 3]) await read([item(number, { title: 'Story' })]);

    expect(await articles()).toHaveLength(1);
    expect(world.followed).toEqual([wrap(1), wrap(2), wrap(3)]);
  });

  it('bring both where later items end at a page that is none of theirs', async () => {
    const { read, ends, articles } = await linkScene();
    for (const number of [1, 2, 3]) ends.set(wrap(number), { url: 'https://news.test/welcome' });

    for (const number of [1, 2, 3]) await read([item(number)]);

    expect(await titlesQueued(database.db)).toEqual(['Story 1', 'Story 2', 'Story 3']);
    expect(new Set((await articles()).map(row => row.url_key)).size).toBe(3);
  });

  it.each(['https://news.test/', 'https://news.test/welcome', 'https://news.test/login?next=/a/1'])(
    'keep their own addresses where all of them end at %s',
    async wall => {
      const { read, ends, articles } = await linkScene();
      for (const number of [1, 2]) ends.set(wrap(number), { url: wall });

      await read([item(1), item(2)]);

      expect((await articles()).map(row => row.canonical_url).sort()).toEqual([wrap(1), wrap(2)]);
    },
  );

  it('keep their own addresses where nobody answers', async () => {
    const { read, articles } = await linkScene();

    const outcome = await read([item(1), item(2)]);

    expect(outcome).toMatchObject({ outcome: 'read', newArticles: 2, routed: 2 });
    expect((await articles()).map(row => row.canonical_url).sort()).toEqual([wrap(1), wrap(2)]);
  });

  it('are not followed for what is not going to be sent', async () => {
    const day = 'Mon, 07 Sep 2026 10:00:00 GMT';
    const { read, world } = await linkScene({
      feed: { first_import: '{"mode":"last","count":1}', max_age_ms: 7 * 86_400_000 },
      route: { exclude: ['advert'] },
    });

    await read([item(1, { date: day }), item(2, { date: 'Sun, 06 Sep 2026 10:00:00 GMT' })]);
    await read([
      item(3, { date: 'Mon, 07 Sep 2020 10:00:00 GMT' }),
      item(4, { title: 'An advert' }),
      item(5, { date: day }),
      { title: 'Without a link' },
    ]);

    expect(world.followed).toEqual([wrap(1), wrap(5)]);
  });

  it.each<[string, Given]>([
    ['a baseline', { feed: { first_import: '{"mode":"baseline"}' } }],
    ['a feed without a route', { route: { archived_at: new Date('2026-01-01') } }],
  ])('are not followed for %s', async (_, given) => {
    const { read, world } = await linkScene(given);

    const outcome = await read([item(1)]);

    expect(outcome).toMatchObject({ newArticles: 1, routed: 0 });
    expect(world.followed).toEqual([]);
  });

  it('are followed for the newest two hundred of thousands', async () => {
    const { read, world, ends } = await linkScene();
    const hosts = (number: number) => `https://host${number % 50}.test/${number}`;
    const items = Array.from({ length: 1_000 }, (_, number) => item(number, { link: hosts(number) }));
    for (const { link = '' } of items) ends.set(link, { url: link });

    await read(items);

    expect(world.followed).toHaveLength(200);
    expect(new Set(world.followed)).toContain(hosts(0));
  });

  it('are asked for one at a time of each host, also beside the feeds on it', async () => {
    const { answers, ends, ingest, world, workspaceId, channelId } = await linkScene();
    const urls = Array.from({ length: 6 }, (_, n) => `https://host${n}.test/feed.xml`);
    for (const [place, url] of urls.entries()) {
      const feedId = await createFeed(database.db, workspaceId, { url, first_import: '{"mode":"all"}' });
      await createRoute(database.db, { workspaceId, feedId, channelId });
      const links = [0, 1, 2].map(n => `https://host${n}.test/${place}`);
      for (const link of links) ends.set(link, { url: link });
      answers.set(url, { body: rssOf(links.map(link => ({ title: link, link }))) });
    }

    await ingest();

    expect(world.followed).toHaveLength(18);
    expect(world.mostAtOneHost()).toBe(1);
  });

  it('hold up no shutdown: the feed is given back, and read again', async () => {
    const { answers, ends, ingest, world, feedId } = await linkScene();
    answers.set(feedUrl, { body: rssOf([item(1)]) });
    ends.set(wrap(1), null);
    const stop = new AbortController();

    const reading = ingest({}, stop.signal);
    await until(() => world.followed.length === 1);
    stop.abort();
    const stopped = await reading;
    ends.set(wrap(1), { url: story });
    const again = await ingest();

    expect(stopped.feeds).toMatchObject([{ outcome: 'stopped' }]);
    expect(again.feeds).toMatchObject([{ outcome: 'read', newArticles: 1 }]);
    expect(await database.db('feeds').where({ id: feedId }).first()).toMatchObject({ failures: 0 });
  });
});
