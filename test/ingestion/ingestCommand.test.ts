import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { useHeadway } from '../support/headway.ts';
import { rssOf } from './fakeFeeds.ts';
import { createRoute } from './scene.ts';

const database = useDatabase();
const { headway } = useHeadway({ databaseUrl: () => database.url });

let receiver: FakeReceiver;
let workspaceId = 0;
let channelId = 0;

beforeEach(async () => {
  receiver = await openFakeReceiver();
  workspaceId = await createWorkspace(database.db);
  channelId = await createChannel(database.db, workspaceId, { platform: 'files' });
});

afterEach(() => receiver.close());

async function routedFeed(path: string): Promise<void> {
  const url = `${receiver.url}${path}`;
  const feedId = await createFeed(database.db, workspaceId, { url, first_import: '{"mode":"all"}' });
  await createRoute(database.db, { workspaceId, feedId, channelId });
}

const served = (body: string): Behaviour => ({
  kind: 'answer',
  status: 200,
  headers: { 'Content-Type': 'text/xml' },
  body,
});

describe('headway ingest', () => {
  it('follows links to addresses that it cannot reach, and waits for nobody', async () => {
    const address = 'https://news.invalid/a/1?utm_source=x';
    receiver.behave(({ path }) =>
      path.startsWith('/r/')
        ? { kind: 'answer', status: 302, headers: { Location: address } }
        : served(rssOf([{ title: 'Story', link: `${receiver.url}/r${path}` }])),
    );
    await routedFeed('/one.xml');
    await routedFeed('/two.xml');
    const startedMs = performance.now();

    const ran = await headway(['ingest', '--json']);

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    const articles = await database.db('articles').orderBy('url');
    expect(articles.map(({ url, canonical_url }) => [url, canonical_url])).toEqual([
      [`${receiver.url}/r/one.xml`, 'https://news.invalid/a/1'],
      [`${receiver.url}/r/two.xml`, 'https://news.invalid/a/1'],
    ]);
  });

  it('imports 20,000 items of a feed in a process that may use no more than 256 MB', async () => {
    const story = (n: number) => ({
      title: `Item ${n}`,
      // To hosts that do not exist.
      link: `https://host${n % 100}.blog.invalid/${n}`,
      date: new Date(Date.parse('2026-09-07T12:00:00Z') - n * 60_000).toUTCString(),
      description: '<p>Some <b>text</b> with words.</p>'.repeat(5),
    });
    receiver.behave(served(rssOf(Array.from({ length: 20_000 }, (_, n) => story(n)))));
    await routedFeed('/feed.xml');

    const ran = await headway(['ingest', '--json'], { env: { NODE_OPTIONS: '--max-old-space-size=256' } });

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const counted = await database.db('route_articles').count('* as total').first();
    expect(Number(counted?.total)).toBe(20_000);
  }, 60_000);
});
