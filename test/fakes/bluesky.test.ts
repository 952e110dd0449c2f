import { afterEach, describe, expect, it } from 'vitest';
import { openProtocolFake } from '../support/protocolFake.ts';
import { describePds, type PdsWorld } from './bluesky/describePds.ts';
import { type BlueskyFakeOptions, createBlueskyFake } from './bluesky.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function openFake(options: BlueskyFakeOptions = {}) {
  const fake = createBlueskyFake(options);
  const { url, close } = await openProtocolFake(fake);
  closing.push(close);
  return { fake, url };
}

async function openWorld(): Promise<PdsWorld> {
  const { fake, url } = await openFake({ hasRateLimits: false });
  const { did, handle, password, appPassword } = fake;
  return {
    ...{ url, did, handle, password, appPassword },
    revokeAppPassword: async () => fake.revokeAppPassword(),
    deactivate: async () => fake.becomes('deactivated'),
    takeDown: async () => fake.becomes('takendown'),
    remove: async () => fake.becomes('deleted'),
  };
}

describePds('the fake of Bluesky', openWorld);

describe('rate limits of the fake of Bluesky', () => {
  it('refuses the thirty-first log-in of five minutes, and says until when in seconds of the epoch', async () => {
    const { fake, url } = await openFake();
    const logIn = () =>
      fetch(`${url}/xrpc/com.atproto.server.createSession`, {
        method: 'POST',
        body: JSON.stringify({ identifier: fake.handle, password: 'wrong' }),
      });

    for (let place = 0; place < 30; place += 1) expect((await logIn()).status).toBe(401);
    const refused = await logIn();

    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: 'RateLimitExceeded', message: 'Rate Limit Exceeded' });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'ratelimit-limit': '30',
      'ratelimit-remaining': '0',
      'ratelimit-policy': '30;w=300',
      'ratelimit-reset': String(Date.parse('2026-09-07T08:35:01.000Z') / 1_000),
    });
    expect(refused.headers.has('retry-after')).toBe(false);
  });

  it('forgets files that no record names', async () => {
    const { fake } = await openFake();
    const { ref } = fake.repository.upload(Buffer.from('a picture'), 'image/png');

    fake.repository.collectBlobs();

    const thumb = { $type: 'blob', ref, mimeType: 'image/png', size: 9 };
    const external = { uri: 'https://news.test/a', title: '', description: '', thumb };
    const embed = { $type: 'app.bsky.embed.external', external };
    const record = { $type: 'app.bsky.feed.post', text: '', createdAt: '2026-09-07T08:30:00.000Z', embed };
    expect(fake.repository.put('3lbxxxxxxxx22', record, null)).toMatchObject({ error: 'BlobNotFound' });
  });
});
