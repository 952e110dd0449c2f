import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeItem, rssOf } from '../ingestion/fakeFeeds.ts';
import { createRoute } from '../ingestion/scene.ts';
import { createFeed } from '../support/factories.ts';
import { runCommand } from './support/command.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();
const farOff = new Date('2100-01-01T00:00:00Z');
let items: readonly FakeItem[] = [];
let server: Server;

beforeEach(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/rss+xml');
    response.end(rssOf(items));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const command = (...args: (string | number)[]) => runCommand(scene.url, args);
const original = {
  title: 'News',
  link: 'https://blog.test/1',
  guid: 'one',
  date: 'Mon, 09 Nov 2026 10:00:00 GMT',
};

/** A feed whose items go to /news without approval; read by a command only. */
async function openFeed() {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId, 'news');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const feedId = await createFeed(scene.db, workspaceId, {
    url: `http://127.0.0.1:${port}/feed.xml`,
    first_import: '{"mode":"all"}',
    next_fetch_at: farOff,
  });
  await createRoute(scene.db, { workspaceId, feedId, channelId });
  return { workspaceId, channelId };
}

async function ingest(...now: FakeItem[]) {
  items = now;
  expect(await command('ingest')).toMatchObject({ exitCode: 0 });
}

const only = async () => {
  const ids: number[] = await scene.db('route_articles').orderBy('id').pluck('id');
  expect(ids).toHaveLength(1);
  return ids[0] ?? 0;
};

describe('a published article that its feed brings again', () => {
  const saved: [string, FakeItem][] = [
    ['an old date', { ...original, date: 'Thu, 01 Jan 2015 00:00:00 GMT' }],
    ['another text and title', { ...original, title: 'News, corrected', description: 'It was otherwise.' }],
    ['another link', { ...original, link: 'https://blog.test/1-corrected' }],
    ['all of it new but its identity', { ...original, title: 'Else', date: 'Thu, 01 Jan 2099 00:00:00 GMT' }],
  ];

  it('F28 stays as it is, however it was saved, until a person wants it once more', async () => {
    const { channelId } = await openFeed();
    await ingest(original);
    const id = await only();
    await scene.worker();
    const first = await scene.reached(id, 'published');

    for (const [, item] of saved) await ingest(item);
    for (const action of ['retry', 'approve', 'publish-now', 'skip']) {
      expect(await command('queue', action, id), action).toMatchObject({ exitCode: 1 });
    }
    const marker = await scene.article(channelId);
    await scene.reached(marker, 'published');
    const afterSaving = await scene.row(id);
    const postsAfterSaving = scene.publisher.posts.map(({ postKey }) => postKey);
    const again = await command('queue', 'publish-again', id);
    const second = await scene.reached(id, 'published');
    await scene.publisher.accepted('news', 3);
    const pressedAgain = await command('queue', 'retry', id);

    expect(afterSaving).toEqual(first);
    expect(postsAfterSaving).toHaveLength(2);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(second).toMatchObject({ generation: 2, publish_attempts: 1 });
    expect(second.post_key).not.toBe(first.post_key);
    expect(pressedAgain).toMatchObject({ exitCode: 1 });
    expect(scene.publisher.posts).toHaveLength(3);
    await scene.expectInvariants();
  });
});
