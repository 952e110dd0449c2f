import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lemmy } from '../../src/channels/lemmy.ts';
import { createLemmyFake } from '../fakes/lemmy.ts';
import { examplePost } from '../support/examplePost.ts';
import type { Behaviour } from '../support/fakeReceiver.ts';
import { openProtocolFake } from '../support/protocolFake.ts';
import { describeChannel } from './describeChannel.ts';
import { lemmyHarness } from './harnesses/lemmy.ts';
import { type OpenLemmy, openLemmy, versions } from './lemmy/openLemmy.ts';

let place: OpenLemmy;

afterEach(() => place?.open.close());

async function openNewer() {
  const fake = createLemmyFake({ version: '1.0' });
  const open = await openProtocolFake(fake);
  const account = { instance: open.url, username: 'headway', password: fake.world.me.password };
  return { settings: { target: 'news' }, account, posts: async () => fake.posts(), close: open.close };
}

describeChannel('lemmy 1.0', {
  ...lemmyHarness,
  open: openNewer,
  refusals: [],
  network: lemmyHarness.network && {
    ...lemmyHarness.network,
    fake: () => createLemmyFake({ version: '1.0' }),
  },
});

describe.each(versions)('a post on Lemmy %s', version => {
  beforeEach(async () => {
    place = await openLemmy(version);
  });

  it('is the title and the link, with the picture as its thumbnail', async () => {
    const outcome = await place.user.publish(examplePost({ title: 'Ours', text: 'New: Ours' }));

    expect(outcome).toEqual({
      kind: 'succeeded',
      remoteId: '101',
      remoteUrl: 'https://lemmy.test/post/101',
    });
    expect(place.fake.world.posts).toMatchObject([
      {
        name: 'New: Ours',
        url: 'https://news.test/a/1?x=1',
        body: null,
        thumbnail: 'https://news.test/a/1.png',
        altText: 'A queue that moves.',
        isNsfw: false,
        creatorId: 2,
        communityId: 10,
      },
    ]);
  });

  it.each([
    [{ body: 'summary' }, { name: 'New: Ours', body: 'How it \\*does\\*.' }],
    [{ body: 'text' }, { name: 'Ours', body: 'New: Ours' }],
    [
      { nsfw: true, languageId: 37, image: 'off' },
      { isNsfw: true, languageId: 37, thumbnail: null, altText: null },
    ],
    [{ target: '!world@other.test' }, { communityId: 11 }],
  ])('obeys %o', async (settings, expected) => {
    const post = examplePost({ title: 'Ours', text: 'New: Ours', summary: 'How it *does*.' });

    await place.as(settings).publish(post);

    expect(place.fake.world.posts).toMatchObject([expected]);
  });

  it('is asked for with what its account may do', async () => {
    place.fake.world.news.isModsOnly = true;
    const closed = await place.user.publish(examplePost());
    place.fake.world.news.moderatorIds.push(2);
    const open = await place.user.publish(examplePost());

    expect(closed).toMatchObject({ kind: 'blocked', scope: 'channel', code: 'forbidden', isGone: false });
    expect(open.kind).toBe('succeeded');
  });

  it('waits for a person where its community is gone', async () => {
    place.fake.world.news.isRemoved = true;

    const outcome = await place.user.publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'blocked', scope: 'channel', code: 'gone', isGone: true });
  });

  it('is held where its community does not exist', async () => {
    const outcome = await place.as({ target: 'olds' }).publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'blocked', scope: 'channel', code: 'not_found', isGone: false });
  });

  it('finds its session lost where that hides its community', async () => {
    await place.user.session();
    place.fake.server.revokeTokens();
    place.fake.world.news.name = 'unknown here';

    const outcome = await place.user.tryToCompose(examplePost());

    expect(outcome).toMatchObject({ kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false });
  });

  it.each([
    ['optional', { kind: 'composed', notes: ['without its picture: HTTP 404'] }],
    ['required', { kind: 'failed', code: 'image_unavailable', blames: 'article', isFinal: false }],
  ])('with a picture that is %s and cannot be had', async (image, expected) => {
    const answer = await place.as({ image }, { picture: null }).tryToCompose(examplePost());

    expect(answer).toMatchObject(expected);
  });
});

describe('an answer of Lemmy', () => {
  const article = { kind: 'failed', code: 'invalid_post', isFinal: true, blames: 'article' };
  const later = { kind: 'failed', code: 'server_error', isFinal: false, blames: 'channel' };
  const channel = (code: string, isGone = false) => ({ kind: 'blocked', scope: 'channel', code, isGone });
  const account = (code: string) => ({ kind: 'blocked', scope: 'account', code, isGone: false });
  const throttled = { kind: 'throttled', scope: 'account', code: 'rate_limited', until: null };
  const unknown = { kind: 'unknown' };

  beforeEach(async () => {
    place = await openLemmy('1.0');
  });

  async function outcomeOf(behaviour: Behaviour) {
    const composed = await place.user.compose(examplePost());
    place.open.plan({ when: 'before', behaviour });
    return place.user.send(composed);
  }

  it.each([
    ['rate_limit_error', throttled],
    ['too_many_requests', throttled],
    ['not_logged_in', account('unauthorized')],
    ['registration_application_is_pending', account('forbidden')],
    ['email_not_verified', account('forbidden')],
    ['site_ban', channel('forbidden')],
    ['banned_from_community', channel('forbidden')],
    ['person_is_banned_from_community', channel('forbidden')],
    ['only_mods_can_post_in_community', channel('forbidden')],
    ['not_a_moderator', channel('forbidden')],
    ['community_is_blocked', channel('forbidden')],
    ['instance_is_private', channel('forbidden')],
    ['couldnt_find_community', channel('not_found')],
    ['deleted', channel('gone', true)],
    ['language_not_allowed', channel('rejected')],
    ['nsfw_not_allowed', channel('rejected')],
    ['invalid_post_title', article],
    ['invalid_body_field', article],
    ['url_length_overflow', article],
    ['invalid_url', article],
    ['invalid_url_scheme', article],
    ['blocked_url', article],
    ['slurs', article],
    ['alt_text_length_overflow', article],
    ['couldnt_create_post', later],
    // They can come when the post is there already.
    ['couldnt_like_post', unknown],
    ['couldnt_mark_post_as_read', unknown],
    ['not_found', unknown],
    ['unknown', unknown],
    ['something_new', unknown],
  ])('maps %s', async (error, expected) => {
    const body = JSON.stringify({ error, message: 'its own words' });

    const outcome = await outcomeOf({ kind: 'answer', status: error === 'not_found' ? 404 : 400, body });

    expect(outcome).toMatchObject({ ...expected, detail: expect.stringContaining(error) });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('its own words') });
  });

  it.each<[string, number, Record<string, string>, object]>([
    ['a bare 401', 401, {}, account('unauthorized')],
    ['a bare 403', 403, {}, channel('forbidden')],
    ['a bare 404', 404, {}, channel('not_found')],
    ['a 301', 301, {}, { kind: 'failed', code: 'rejected', isFinal: false, blames: 'channel' }],
    ['a 413', 413, {}, { kind: 'failed', code: 'too_long', isFinal: true, blames: 'article' }],
    ['a 422 for a key that it knows', 422, {}, unknown],
    ['a bare 400', 400, {}, unknown],
    ['a 502', 502, {}, unknown],
    ['a 503', 503, {}, unknown],
    ['a 503 with Retry-After', 503, { 'retry-after': '60' }, unknown],
    ['a 303', 303, {}, unknown],
    ['a 408', 408, {}, unknown],
    ['a 429', 429, {}, throttled],
    [
      'a 429 with Retry-After',
      429,
      { 'retry-after': '90' },
      { ...throttled, until: new Date('2026-09-07T08:31:31.000Z') },
    ],
    [
      'a 429 with a countdown',
      429,
      { 'x-ratelimit-reset': '30' },
      { ...throttled, until: new Date('2026-09-07T08:30:31.000Z') },
    ],
    ['a 429 with nonsense', 429, { 'x-ratelimit-reset': 'soon' }, throttled],
    ['a 202', 202, {}, { kind: 'unknown', code: 'unreadable_answer' }],
  ])('maps %s', async (_name, status, headers, expected) => {
    const outcome = await outcomeOf({ kind: 'answer', status, headers, body: '<html>' });

    expect(outcome).toMatchObject(expected);
  });

  it('is read to its end, however long the post is that it repeats', async () => {
    place = await openLemmy('0.19', { body: 'text' });

    const outcome = await place.user.publish(examplePost({ text: '字'.repeat(49_000) }));

    expect(outcome.kind).toBe('succeeded');
  });

  it('names each attempt by a key of its own, for proxies that send twice', async () => {
    const composed = await place.user.compose(examplePost());
    await place.user.send(composed);
    const again = await place.user.send(composed);

    const keys = place.open.sent().map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(again.kind).toBe('unknown');
    expect(place.fake.posts()).toHaveLength(1);
  });
});

describe('a preview of Lemmy', () => {
  it('counts as the instance does', () => {
    const settings = lemmy.settings.parse({ target: 'news', body: 'summary' });

    const { parts, notes } = lemmy.preview(examplePost({ text: '🙂🙂🙂', summary: '🙂' }), settings, null);

    expect(notes).toEqual([]);
    expect(parts).toEqual([
      { name: 'title', text: '🙂🙂🙂', count: { length: 3, limit: 200, unit: 'characters' } },
      {
        name: 'link',
        text: 'https://news.test/a/1?x=1',
        count: { length: 25, limit: 2_000, unit: 'UTF-16 units' },
      },
      { name: 'body', text: '🙂', count: { length: 2, limit: 50_000, unit: 'UTF-16 units' } },
      { name: 'picture', text: 'https://news.test/a/1.png', count: null },
    ]);
  });

  it('says that a post cannot be posted', () => {
    const settings = lemmy.settings.parse({ target: 'news' });

    const { notes } = lemmy.preview(examplePost({ text: 'ab' }), settings, null);

    expect(notes).toEqual([expect.stringContaining('a title needs 3 characters')]);
  });
});

describe('settings of Lemmy', () => {
  it.each([
    [{}, 'target'],
    [{ target: 'two words' }, 'target'],
    [{ target: 'https://lemmy.test/u/ada' }, 'target'],
    [{ target: 'news', body: 'all' }, 'body'],
    [{ target: 'news', nsfw: 'yes' }, 'nsfw'],
    [{ target: 'news', languageId: -1 }, 'languageId'],
    [{ target: 'news', languageId: 'en' }, 'languageId'],
    [{ target: 'news', duplicates: 'always' }, 'duplicates'],
  ])('refuse %o, naming the key', (settings, key) => {
    const parsed = lemmy.settings.safeParse(settings);

    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([key]);
  });

  it.each([
    ['News', 'news'],
    ['!news@lemmy.test', 'news'],
    ['https://lemmy.test/c/news', 'news'],
    ['https://lemmy.test/c/world@Other.test', 'world@other.test'],
    ['world@other.test', 'world@other.test'],
  ])('know %s by one name', (target, name) => {
    const settings = lemmy.settings.parse({ target });

    const destination = lemmy.destination(settings, { instance: 'https://lemmy.test', username: 'headway' });

    expect(destination).toEqual({ instance: 'https://lemmy.test', target: name });
  });
});
