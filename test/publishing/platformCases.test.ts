import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLemmyFake, type LemmyFake } from '../fakes/lemmy.ts';
import { fakeMastodon, type MastodonFake } from '../fakes/mastodon.ts';
import { useDatabase } from '../support/database.ts';
import { alertKinds } from '../support/factories.ts';
import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, lostAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { openPlatformScene, type PlatformScene } from '../support/realPlatforms.ts';

// What the channels' own tests show for one request, here for ticks: what becomes of the article, of its channel,
// and of the others.

const database = useDatabase();
const link = 'https://news.test/a/1';

let scene: PlatformScene;
let lemmy: LemmyFake;
let mastodon: MastodonFake;
let lemmyServer: OpenFake;
let mastodonServer: OpenFake;

beforeEach(async () => {
  scene = openPlatformScene(database.db, { startsAt: new Date('2026-09-07T10:00:00Z'), env: {} });
  lemmy = createLemmyFake({ clock: scene.clock });
  mastodon = fakeMastodon({ token: 'token', now: () => scene.clock.now() });
  lemmyServer = await openProtocolFake(lemmy);
  mastodonServer = await openProtocolFake(mastodon);
  await scene.apply(`
workspaces:
  - { name: default, dailyCap: 2 }
accounts:
  - { name: lemmy, platform: lemmy, instance: "${lemmyServer.url}", username: headway, password: "a password of lemmy" }
  - { name: mastodon, platform: mastodon, instance: "${mastodonServer.url}", username: bot, token: token }
channels:
  - { name: news, platform: lemmy, account: lemmy, target: news }
  - { name: world, platform: lemmy, account: lemmy, target: world@other.test }
  - { name: timeline, platform: mastodon, account: mastodon }
feeds:
  - { name: blog, url: "https://blog.test/feed.xml" }
  - { name: links, url: "https://links.test/feed.xml" }
routes:
  - { feed: blog, channel: news, approval: auto }
  - { feed: blog, channel: timeline, approval: auto }
`);
});

afterEach(async () => {
  await Promise.all([lemmyServer.close(), mastodonServer.close()]);
});

/** What a tick tried, as `channel outcome code`. */
async function tick(minutes = 5): Promise<string[]> {
  scene.clock.advance({ minutes });
  const { tried } = await scene.tick();
  return tried.map(({ channel, outcome, code }) => [channel, outcome, code].filter(Boolean).join(' '));
}

const threeHoursAgo = () => new Date(scene.clock.now().getTime() - 3 * 3_600_000);
const isSearch = ({ path }: ReceivedRequest) => /\/search\?/.test(path);

describe('C-08: the community already has that link', () => {
  it('skips it, with a trailing slash too, and publishes the next candidate in the same tick, no cap used', async () => {
    lemmy.world.add({ url: `${link}/`, publishedAt: threeHoursAgo() });
    await scene.article({ url: link });

    const first = await tick();
    const rows = await scene.rows();

    expect(first).toEqual(['news skipped already_there', 'timeline published']);
    expect(rows.news).toMatchObject({ status: 'skipped', attempts: 4 });
    expect(await database.db('publications').count()).toEqual([{ count: 1 }]);
    expect(lemmy.posts()).toHaveLength(1);
  });

  it('does not post blind when the look-up fails: the channel is held, the next candidate goes out', async () => {
    lemmyServer.plan({
      when: 'before',
      on: isSearch,
      behaviour: { kind: 'answer', status: 500, body: 'oops' },
    });
    await scene.article({ url: link });

    const first = await tick();

    expect(first).toEqual(['news blocked lookup_failed', 'timeline published']);
    expect(await scene.rows()).toMatchObject({ news: { status: 'pending', attempts: 0 } });
    expect(lemmy.posts()).toEqual([]);
  });

  it('costs the article, and not its channel, where only the search for its own link fails', async () => {
    await database.db('channels').where({ name: 'timeline' }).update({ paused: true });
    await database.db('workspaces').update({ daily_cap: null });
    lemmyServer.plan({
      when: 'before',
      on: request => isSearch(request) && request.path.includes('unsearchable'),
      behaviour: { kind: 'answer', status: 414, body: 'too long' },
    });
    await scene.article({
      title: 'The link that nobody can search for',
      url: 'https://news.test/unsearchable',
    });
    await scene.article({ title: 'The one behind it' });

    await scene.tickUntilIdle(24 * 60);

    const { id } = await database.db('channels').where({ name: 'news' }).first();
    const rows = await database.db('route_articles').where({ channel_id: id }).orderBy('id');
    expect(rows).toMatchObject([
      { publish_status: 'dead', publish_attempts: 4, last_error_code: 'lookup_failed' },
      { publish_status: 'published' },
    ]);
    expect(lemmy.posts()).toHaveLength(1);
  });

  it('reads the list of new posts where there is no search', async () => {
    lemmyServer.plan({ when: 'before', on: isSearch, behaviour: jsonAnswer(404, { error: 'not_found' }) });
    lemmy.world.add({ url: link, publishedAt: threeHoursAgo() });
    await scene.article({ url: link });

    const first = await tick();

    expect(first).toEqual(['news skipped already_there', 'timeline published']);
  });

  it('publishes what is only in another community', async () => {
    lemmy.world.add({ url: link, communityId: lemmy.world.world.id, publishedAt: threeHoursAgo() });
    await scene.article({ url: link });

    const first = await tick();

    expect(first).toEqual(['news published']);
  });
});

describe('C-28: rate limits in disguise', () => {
  const inAnHour = () => new Date(scene.clock.now().getTime() + 3_600_000);

  it.each<[string, () => Behaviour, number]>([
    ['429 with seconds', () => jsonAnswer(429, {}, { 'Retry-After': '1800' }), 30],
    ['429 with a date', () => jsonAnswer(429, {}, { 'Retry-After': inAnHour().toUTCString() }), 60],
    ['a reset in the past', () => jsonAnswer(429, {}, { 'X-RateLimit-Reset': '2020-01-01T00:00:00Z' }), 5],
    [
      'a reset in 55 years',
      () => jsonAnswer(429, {}, { 'X-RateLimit-Reset': '2081-01-01T00:00:00Z' }),
      24 * 60,
    ],
    ['429 without a word', () => ({ kind: 'answer', status: 429 }), 5],
  ])(
    'holds what is limited until then, clamped, no attempt counted: %s',
    async (_name, behaviour, minutes) => {
      await scene.article();
      await tick();
      scene.clock.advance({ minutes: 5 });
      mastodonServer.plan({ when: 'before', behaviour: behaviour() });

      const at = scene.clock.now();
      await scene.tick();
      const held = [
        ...(await database.db('accounts').whereNotNull('held_until')),
        ...(await database.db('channels').whereNotNull('held_until')),
      ];

      expect(held).toHaveLength(1);
      expect(held[0].held_until.getTime() - at.getTime()).toBeLessThanOrEqual(minutes * 60_000);
      expect(held[0].held_until.getTime() - at.getTime()).toBeGreaterThan((minutes - 5.1) * 60_000);
      expect(await scene.rows()).toMatchObject({ timeline: { status: 'pending', attempts: 0 } });
      expect(mastodon.posts()).toEqual([]);
    },
  );

  it('takes 400 rate_limit_error for one, and publishes elsewhere in the same tick', async () => {
    lemmyServer.plan({ when: 'before', behaviour: jsonAnswer(400, { error: 'rate_limit_error' }) });
    await scene.article();

    const first = await tick();

    expect(first).toEqual(['news throttled rate_limited', 'timeline published']);
    expect(await scene.rows()).toMatchObject({ news: { status: 'pending', attempts: 0 } });
  });

  it('lets 400 invalid_url kill the article at once, in the words of the remote side', async () => {
    lemmyServer.plan({ when: 'before', behaviour: jsonAnswer(400, { error: 'invalid_url' }) });
    await scene.article();

    await tick();

    const { news } = await scene.rows();
    expect(news).toMatchObject({
      status: 'dead',
      attempts: 1,
      error: expect.stringContaining('invalid_url'),
    });
  });

  it('holds a channel whose community has banned the account, and not the account', async () => {
    lemmyServer.plan({
      when: 'before',
      behaviour: jsonAnswer(400, { error: 'banned_from_community' }),
    });
    await scene.article();

    await tick();

    const [news] = await database.db('channels').where({ name: 'news' });
    const [account] = await database.db('accounts').where({ name: 'lemmy' });
    expect(news.hold_reason).toBe('forbidden');
    expect(account).toMatchObject({ hold_reason: null, status: 'active' });
    expect(await alertKinds(database.db)).toEqual(['channel_down']);
  });
});

describe('C-03 and C-42: one publication, one identity', () => {
  const keys = () => mastodonServer.sent().map(({ headers }) => headers['idempotency-key']);

  beforeEach(async () => {
    await database.db('channels').where({ name: 'news' }).update({ paused: true });
    await scene.article();
  });

  it('finds a post whose answer was lost, and never sends it a second time', async () => {
    mastodonServer.plan(lostAnswer());

    const results = await scene.tickUntilIdle(24 * 60);

    expect(results[0]).toMatchObject({ outcome: 'idle', reason: 'unknown_outcome' });
    expect(await scene.rows()).toMatchObject({ timeline: { status: 'published' } });
    expect(mastodonServer.sent()).toHaveLength(1);
    expect(mastodon.posts()).toHaveLength(1);
  });

  it('keeps its key after a lost request that left nothing, when that is sure', async () => {
    mastodonServer.plan({ when: 'before', behaviour: { kind: 'reset' }, times: 1 });

    await scene.tickUntilIdle(24 * 60);

    const [first, second] = keys();
    expect(keys()).toHaveLength(2);
    expect(second).toBe(first);
    expect(mastodon.posts()).toHaveLength(1);
  });

  it('takes another key after a definite refusal', async () => {
    mastodonServer.plan({
      when: 'before',
      behaviour: jsonAnswer(403, { error: 'This action is not allowed' }),
      times: 1,
    });

    await scene.tickUntilIdle(24 * 60);

    const [first, second] = keys();
    expect(keys()).toHaveLength(2);
    expect(second).not.toBe(first);
    expect(mastodon.posts()).toHaveLength(1);
  });

  it('looks for what was refused before it is sent again, even where duplicates are not looked for', async () => {
    const settings = { visibility: 'public', sensitive: false, image: 'optional', duplicates: 'off' };
    await database.db('channels').where({ name: 'timeline' }).update({ settings });
    // A firewall that has let the request through, and not the answer.
    mastodonServer.plan({
      when: 'after',
      behaviour: { kind: 'answer', status: 403, body: '<html>no' },
      times: 1,
    });

    await scene.tickUntilIdle(24 * 60);

    expect(mastodonServer.sent()).toHaveLength(1);
    expect(mastodon.posts()).toHaveLength(1);
    expect(await scene.rows()).toMatchObject({ timeline: { status: 'skipped' } });
  });
});
