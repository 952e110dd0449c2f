import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { fakeMastodon, type MastodonFake } from '../fakes/mastodon.ts';
import { type FakeAnswer, fakeFetch, fakeLocks } from '../ingestion/fakeFeeds.ts';
import { useDatabase } from '../support/database.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { openPlatformScene, type PlatformScene } from '../support/realPlatforms.ts';
import { recordingLogger } from '../support/recordingLogger.ts';

// From a feed with a picture, by a tick, to a platform that takes pictures.

const database = useDatabase();

let scene: PlatformScene;
let mastodon: MastodonFake;
let server: OpenFake;
let pictures: FakeReceiver;

beforeEach(async () => {
  scene = openPlatformScene(database.db, { startsAt: new Date('2026-09-07T10:00:00Z'), env: {} });
  mastodon = fakeMastodon({ token: 'token', now: () => scene.clock.now() });
  server = await openProtocolFake(mastodon);
  pictures = await openFakeReceiver();
});

afterEach(async () => {
  await Promise.all([server.close(), pictures.close()]);
});

/** Reads a feed of one item with a picture into one channel, whose rule about pictures is `image`. */
async function readStory(image: 'optional' | 'required'): Promise<void> {
  await scene.apply(`
workspaces:
  - { name: default }
accounts:
  - { name: mastodon, platform: mastodon, instance: "${server.url}", username: bot, token: token }
channels:
  - { name: timeline, platform: mastodon, account: mastodon, image: ${image} }
feeds:
  - { name: blog, url: "https://blog.test/feed.xml", firstImport: all }
routes:
  - { feed: blog, channel: timeline, approval: auto }
`);
  const body = `<rss version="2.0"><channel><title>Blog</title><item><title>Story</title><link>https://news.test/a</link>
    <enclosure url="${pictures.url}/a.png" type="image/png" length="1"/></item></channel></rss>`;
  const { fetch } = fakeFetch(new Map<string, FakeAnswer>([['https://blog.test/feed.xml', { body }]]));
  const { logger } = recordingLogger();
  const job = new IngestFeedsJob({ db: database.db, lock: fakeLocks().lock, fetch, logger });
  await job.handle({}, { clock: scene.clock, signal: new AbortController().signal });
}

async function tick(minutes = 5) {
  scene.clock.advance({ minutes });
  return scene.tick();
}

const held = async () => (await database.db('channels').first()).held_until;

describe.each<[string, Behaviour]>([
  ['413', { kind: 'answer', status: 413 }],
  ['404', { kind: 'answer', status: 404 }],
  ['429', { kind: 'answer', status: 429, headers: { 'Retry-After': '3600' } }],
  ['a web page', { kind: 'answer', status: 200, body: '<html><body>Sorry</body></html>' }],
])('an article whose picture answers %s', (_, behaviour) => {
  it('goes out without it, at its turn', async () => {
    pictures.behave(behaviour);
    await readStory('optional');

    const { outcome } = await tick();

    expect(outcome).toBe('published');
    expect(pictures.requests).toHaveLength(1);
    expect(mastodon.statuses).toMatchObject([{ mediaIds: [] }]);
    expect(await held()).toBeNull();
  });

  it('fails alone where the channel requires pictures, and holds nothing', async () => {
    pictures.behave(behaviour);
    await readStory('required');

    const { tried } = await tick();

    expect(tried).toMatchObject([{ outcome: 'failed', code: 'image_unavailable', attempts: 1 }]);
    expect(mastodon.statuses).toEqual([]);
    expect(await held()).toBeNull();
  });
});

describe('a 429 of the platform itself, without headers', () => {
  it('holds the account for a while, and costs the article no attempt', async () => {
    server.plan({ when: 'before', behaviour: { kind: 'answer', status: 429 }, times: 1 });
    await readStory('optional');

    const first = await tick();
    const second = await tick(6);

    expect(first.tried).toMatchObject([{ outcome: 'throttled', code: 'rate_limited', attempts: 0 }]);
    expect(second.outcome).toBe('published');
  });
});
