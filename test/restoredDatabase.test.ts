import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../src/ingestion/IngestFeedsJob.ts';
import { changeRouteArticle } from '../src/publishing/changeRouteArticle.ts';
import { type FakeAnswer, type FakeItem, fakeFetch, fakeLocks, rssOf } from './ingestion/fakeFeeds.ts';
import { createRoute } from './ingestion/scene.ts';
import { alertKinds, createFeed } from './support/factories.ts';
import { recordingLogger } from './support/recordingLogger.ts';
import { useScene } from './support/scene.ts';

const scene = useScene();
const feedUrl = 'https://blog.test/feed.xml';
const story = (day: number): FakeItem => ({
  title: `Story of day ${day}`,
  link: `https://blog.test/${day}`,
  guid: `day-${day}`,
});

/** A feed that goes out by itself, and what brings it back to where it was at an earlier instant. */
async function blog() {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const feedId = await createFeed(scene.db, workspaceId, { name: 'blog', url: feedUrl });
  await createRoute(scene.db, { workspaceId, feedId, channelId });
  const answers = new Map<string, FakeAnswer>();
  const { fetch, requests } = fakeFetch(answers);
  const { logger } = recordingLogger();
  const job = new IngestFeedsJob({ db: scene.db, lock: fakeLocks().lock, fetch, logger });
  const read = async (items: readonly FakeItem[], headers: Record<string, string> = {}) => {
    answers.set(feedUrl, { body: rssOf(items), headers });
    const signal = new AbortController().signal;
    return job.handle({ isForced: true }, { clock: scene.clock, signal });
  };
  const publishAll = async () => {
    for (let tick = 0; tick < 5; tick++) await scene.nextTick(workspaceId);
    return scene.platform.posts.map(post => post.title);
  };
  return { workspaceId, feedId, read, requests, publishAll };
}

async function putBack(table: string, { id: _id, ...columns }: Readonly<Record<string, unknown>>) {
  await scene.db(table).update(columns);
}

const waiting = () =>
  scene.db('route_articles').where({ publish_status: 'pending', approval_status: 'pending' }).orderBy('id');

describe('a database that was restored from a backup of ten days ago', () => {
  async function restored() {
    const world = await blog();
    await world.read([story(0)]);
    scene.clock.advance({ minutes: 30 });
    await world.read([story(1), story(0)]);
    await world.publishAll();
    const tables = ['article_keys', 'attempts', 'publications', 'route_articles', 'articles'];
    const lastIds = new Map<string, number>();
    for (const table of tables.slice(1)) {
      lastIds.set(table, (await scene.db(table).max('id as id').first())?.id ?? 0);
    }
    const backup = {
      feeds: await scene.db('feeds').first(),
      workspaces: await scene.db('workspaces').first(),
      channels: await scene.db('channels').first(),
    };
    for (let day = 2; day <= 10; day++) {
      scene.clock.advance({ minutes: 24 * 60 });
      await world.read([story(day), story(day - 1)]);
      await world.publishAll();
    }
    const before = scene.platform.posts.map(post => post.title);

    await scene
      .db('article_keys')
      .where('article_id', '>', lastIds.get('articles') ?? 0)
      .delete();
    for (const [table, id] of lastIds) await scene.db(table).where('id', '>', id).delete();
    for (const [table, row] of Object.entries(backup)) await putBack(table, row);
    return { ...world, before };
  }

  it('holds all that is new to it, and posts nothing again by itself', async () => {
    const { read, publishAll, before } = await restored();

    const { feeds } = await read([story(11), story(10), story(9), story(1)]);
    const after = await publishAll();

    expect(before).toHaveLength(10);
    expect(after).toEqual(before);
    expect(feeds).toMatchObject([{ newArticles: 3, routed: 3, detail: '3 held for approval' }]);
    expect((await waiting()).map(row => [row.title, row.approval_reason, row.approval_detail])).toEqual(
      [9, 10, 11].map(day => [
        `Story of day ${day}`,
        'after_gap',
        'found after a gap of 9 days without a complete read',
      ]),
    );
    expect(await alertKinds(scene.db)).toEqual(['articles_held']);
    expect((await scene.db('alerts').first()).message).toMatch(
      /^3 posts from feed "blog" wait for approval, found after a gap of 9 days without a complete read since 2026-09-/,
    );
  });

  it('alerts nobody where the feed brought nothing meanwhile', async () => {
    const { read } = await restored();

    const { feeds } = await read([story(1), story(0)]);

    expect(feeds).toMatchObject([{ newArticles: 0, routed: 0 }]);
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('holds it although the feed was empty at first', async () => {
    const { read, publishAll, before } = await restored();
    await read([]);
    scene.clock.advance({ minutes: 15 });

    await read([story(11), story(10)]);

    expect(await publishAll()).toEqual(before);
    expect((await waiting()).map(row => row.approval_reason)).toEqual(['after_gap', 'after_gap']);
  });

  it('asks for the whole of a feed that was empty, so that nothing unchanged ends the gap', async () => {
    const { read, requests } = await restored();
    await read([], { etag: '"empty"' });
    scene.clock.advance({ minutes: 15 });

    await read([]);

    expect(requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
  });

  it('lets out what a person approves, and what the next read brings', async () => {
    const { read, publishAll, before } = await restored();
    await read([story(11), story(10)]);
    const [, newest] = await waiting();

    const now = scene.clock.now();
    await changeRouteArticle(scene.db, {
      id: newest?.id,
      change: { action: 'approve' },
      actor: 'test',
      now,
    });
    scene.clock.advance({ minutes: 15 });
    await read([story(12), story(11), story(10)]);
    const after = await publishAll();

    expect(after).toEqual([...before, 'Story of day 11', 'Story of day 12']);
    expect(await scene.db('route_articles').where({ id: newest?.id }).first()).toMatchObject({
      publish_status: 'published',
      approval_reason: null,
      approval_detail: null,
    });
  });
});

describe('a lost database', () => {
  it('takes a feed for a new one, whose first read is a baseline: nothing goes out again', async () => {
    const { read, publishAll } = await blog();

    const { feeds } = await read(Array.from({ length: 50 }, (_, day) => story(day)));
    const after = await publishAll();

    expect(feeds).toMatchObject([{ newArticles: 50, routed: 0 }]);
    expect(after).toEqual([]);
    expect(await waiting()).toEqual([]);
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('lets out what appears after that', async () => {
    const { read, publishAll } = await blog();
    await read([story(1)]);
    scene.clock.advance({ minutes: 15 });

    await read([story(2), story(1)]);

    expect(await publishAll()).toEqual(['Story of day 2']);
  });
});
