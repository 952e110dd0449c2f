import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../src/ingestion/IngestFeedsJob.ts';
import { publishNow } from '../src/publishing/publishNow.ts';
import { type FakeItem, fakeFetch, fakeLocks, rssOf } from './ingestion/fakeFeeds.ts';
import { createRoute } from './ingestion/scene.ts';
import { createFeed } from './support/factories.ts';
import { lockInProcess, publishingTools, refused, succeeded } from './support/publishing.ts';
import { recordingLogger } from './support/recordingLogger.ts';
import { useScene } from './support/scene.ts';

const scene = useScene();

/** Feeds by URL, read by the real job into the scene's database. */
function feeds() {
  const answers = new Map<string, { body: string }>();
  const { logger } = recordingLogger();
  const job = new IngestFeedsJob({
    db: scene.db,
    lock: fakeLocks().lock,
    fetch: fakeFetch(answers).fetch,
    logger,
  });
  const { signal } = new AbortController();
  return {
    say: (url: string, items: readonly FakeItem[]) => answers.set(url, { body: rssOf(items) }),
    read: () => job.handle({ isForced: true }, { clock: scene.clock, signal }),
  };
}

async function routedFeed(workspaceId: number, channelIds: readonly number[], name: string): Promise<string> {
  const url = `https://${name}.test/feed.xml`;
  const feedId = await createFeed(scene.db, workspaceId, { name, url, first_import: '{"mode":"all"}' });
  for (const channelId of channelIds) await createRoute(scene.db, { workspaceId, feedId, channelId });
  return url;
}

describe('from a feed to its channels', () => {
  it('sends an article once, however often it is read, triggered and edited', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const url = await routedFeed(workspaceId, [channelId], 'blog');
    const world = feeds();
    world.say(url, [{ title: 'One', link: 'https://news.test/1', guid: '1' }]);
    await world.read();

    await scene.tick(workspaceId);
    const { id } = await scene.db('route_articles').first();
    const tools = { ...publishingTools(scene.db, scene.platform), lock: lockInProcess() };
    const { signal } = new AbortController();
    for (let press = 0; press < 5; press++) {
      await publishNow(tools, { id, actor: 'test', clock: scene.clock, signal });
    }
    world.say(url, [{ title: 'One, corrected', link: 'https://news.test/1', guid: '1' }]);
    await world.read();
    for (let tick = 0; tick < 20; tick++) {
      expect(await scene.nextTick(workspaceId)).toMatchObject({ reason: 'nothing_due', tried: [] });
    }

    expect(scene.platform.posts.map(({ title }) => title)).toEqual(['One']);
  });

  it('publishes one story of two feeds once per channel, and skips the other at its turn', async () => {
    const workspaceId = await scene.workspace();
    const channelIds = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    const world = feeds();
    const first = await routedFeed(workspaceId, channelIds, 'first');
    const second = await routedFeed(workspaceId, channelIds, 'second');
    world.say(first, [
      { title: 'Story', link: 'https://news.test/a/1/?utm_source=x', guid: 'f1' },
      { title: 'Document 1', link: 'https://news.test/doc?id=1', guid: 'f2' },
    ]);
    world.say(second, [
      { title: 'Story, retold', link: 'HTTPS://News.test:443/a/1#top', guid: 's1' },
      { title: 'Ten', link: 'https://news.test/a/10', guid: 's2' },
      { title: 'Document 2', link: 'https://news.test/doc?id=2', guid: 's3' },
    ]);
    await world.read();

    await scene.tick(workspaceId);
    for (let tick = 0; tick < 12; tick++) await scene.nextTick(workspaceId);

    const urls = scene.platform.posts.map(({ url }) => url).sort();
    expect(urls.filter(url => /\/a\/1(\W|$)/.test(url ?? ''))).toHaveLength(channelIds.length);
    expect(urls.filter(url => url?.includes('/doc'))).toHaveLength(2 * channelIds.length);
    expect(urls.filter(url => url?.endsWith('/a/10'))).toHaveLength(channelIds.length);
    const skipped = await scene.db('route_articles').where({ publish_status: 'skipped' });
    expect(skipped.map(row => [row.skip_reason, row.publish_attempts])).toEqual([
      ['duplicate', 4],
      ['duplicate', 4],
    ]);
  });

  it('posts one link to two communities by two feeds once in each', async () => {
    const workspaceId = await scene.workspace();
    const channelIds = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    const world = feeds();
    for (const [index, channelId] of channelIds.entries()) {
      const url = await routedFeed(workspaceId, [channelId], `feed-${index}`);
      world.say(url, [{ title: 'Story', link: 'https://news.test/a', guid: 'a' }]);
    }
    await world.read();

    const outcomes = [await scene.tick(workspaceId), await scene.nextTick(workspaceId)];

    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['published', 'published']);
    expect(new Set(outcomes.map(({ published }) => published?.channel)).size).toBe(2);
  });

  it('sends five of nine new items today and the other four tomorrow, and forgets none that failed', async () => {
    const workspaceId = await scene.workspace({ daily_cap: 5 });
    const channelId = await scene.channel(workspaceId);
    const world = feeds();
    const url = await routedFeed(workspaceId, [channelId], 'blog');
    const items = Array.from({ length: 9 }, (_, n) => ({
      title: `Item ${n}`,
      link: `https://news.test/${n}`,
      guid: `${n}`,
    }));
    world.say(url, items);
    await world.read();
    let isFailing = true;
    scene.platform.publish = () => {
      const outcome = isFailing ? refused : succeeded;
      isFailing = false;
      return outcome;
    };

    await scene.tick(workspaceId);
    for (let tick = 0; tick < 11; tick++) await scene.nextTick(workspaceId);
    const today = scene.platform.posts.length;
    await world.read();
    for (let slot = 0; slot < 24; slot++) await scene.nextTick(workspaceId, 12);

    expect(today).toBe(5);
    expect(scene.platform.posts.map(({ title }) => title).sort()).toEqual(items.map(({ title }) => title));
  });

  it("lets a feed's item of today go although another feed has one dated tomorrow", async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const world = feeds();
    const early = await routedFeed(workspaceId, [channelId], 'early');
    world.say(early, [
      { title: 'Tomorrow', link: 'https://x.test/1', guid: 'x', date: 'Tue, 08 Sep 2026 10:00:00 GMT' },
    ]);
    await world.read();
    const late = await routedFeed(workspaceId, [channelId], 'late');
    world.say(late, [
      { title: 'Today', link: 'https://y.test/1', guid: 'y', date: 'Mon, 07 Sep 2026 09:00:00 GMT' },
    ]);
    await world.read();

    await scene.tick(workspaceId);
    await scene.nextTick(workspaceId);

    expect(scene.platform.posts.map(({ title }) => title).sort()).toEqual(['Today', 'Tomorrow']);
  });
});
