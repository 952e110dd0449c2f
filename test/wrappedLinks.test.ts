import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../src/ingestion/IngestFeedsJob.ts';
import { type FakeEnd, type FakeItem, fakeFetch, fakeLocks, rssOf } from './ingestion/fakeFeeds.ts';
import { createRoute } from './ingestion/scene.ts';
import { createFeed } from './support/factories.ts';
import { recordingLogger } from './support/recordingLogger.ts';
import { useScene } from './support/scene.ts';

const scene = useScene();
const story = 'https://news.test/a/1/?utm_source=x';

/** Two feeds into two channels, read by the real job; `ends`: where links lead. */
async function twoFeeds(ends: Record<string, FakeEnd>) {
  const workspaceId = await scene.workspace();
  const channelIds = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
  const answers = new Map<string, { body: string }>();
  const { fetch } = fakeFetch(answers, new Map(Object.entries(ends)));
  const { logger } = recordingLogger();
  const job = new IngestFeedsJob({ db: scene.db, lock: fakeLocks().lock, fetch, logger });
  return {
    workspaceId,
    async say(name: string, items: readonly FakeItem[]) {
      const url = `https://${name}.test/feed.xml`;
      const feedId = await createFeed(scene.db, workspaceId, { name, url, first_import: '{"mode":"all"}' });
      for (const channelId of channelIds) await createRoute(scene.db, { workspaceId, feedId, channelId });
      answers.set(url, { body: rssOf(items) });
    },
    async publishAll() {
      await job.handle({ isForced: true }, { clock: scene.clock, signal: new AbortController().signal });
      await scene.tick(workspaceId);
      for (let tick = 0; tick < 14; tick++) await scene.nextTick(workspaceId);
      return scene.platform.posts.map(({ url }) => url).sort();
    },
    skipped: () => scene.db('route_articles').where({ publish_status: 'skipped' }),
  };
}

describe('one story that two feeds wrap', () => {
  it('goes out once per channel, under a link that a feed gave; the others are skipped at their turn', async () => {
    const world = await twoFeeds({
      'https://one.test/r/1': { url: story },
      'https://two.test/?to=7': { url: story },
    });
    await world.say('first', [{ title: 'Story', link: 'https://one.test/r/1', guid: 'f' }]);
    await world.say('second', [{ title: 'Story, retold', link: 'https://two.test/?to=7', guid: 's' }]);
    await world.say('third', [{ title: 'Bare', link: 'HTTPS://News.test:443/a/1#top', guid: 't' }]);

    const urls = await world.publishAll();

    // Whichever was stored first.
    expect([urls.length, new Set(urls).size]).toEqual([2, 1]);
    const links = ['https://one.test/r/1', 'https://two.test/?to=7', 'https://news.test/a/1#top'];
    expect(links).toContain(urls[0]);
    expect((await world.skipped()).map(row => [row.skip_reason, row.publish_attempts])).toEqual(
      Array(4).fill(['duplicate', 4]),
    );
  });

  it('is told from what must stay two', async () => {
    const world = await twoFeeds({
      'https://one.test/1': { url: 'https://news.test/doc?id=1' },
      'https://one.test/2': { url: 'https://news.test/a/1' },
      'https://two.test/1': { url: 'https://news.test/doc?id=2' },
      'https://two.test/2': { url: 'https://news.test/a/10' },
    });
    await world.say('first', [
      { title: 'A', link: 'https://one.test/1' },
      { title: 'B', link: 'https://one.test/2' },
    ]);
    await world.say('second', [
      { title: 'A', link: 'https://two.test/1' },
      { title: 'B', link: 'https://two.test/2' },
    ]);

    const urls = await world.publishAll();

    expect(new Set(urls).size).toBe(4);
    expect(urls).toHaveLength(8);
    expect(await world.skipped()).toEqual([]);
  });

  it('is told from another one behind the same wall', async () => {
    const wall = { url: 'https://consent.news.test/?continue=https%3A%2F%2Fnews.test%2F' };
    const world = await twoFeeds({ 'https://one.test/1': wall, 'https://two.test/1': wall });
    await world.say('first', [{ title: 'A', link: 'https://one.test/1' }]);
    await world.say('second', [{ title: 'B', link: 'https://two.test/1' }]);

    const urls = await world.publishAll();

    expect(urls).toHaveLength(4);
    expect(await world.skipped()).toEqual([]);
  });
});
