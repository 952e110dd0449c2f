import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examplePost } from '../../support/examplePost.ts';
import { sendingAt } from '../openChannel.ts';
import { type OpenLemmy, openLemmy, versions } from './openLemmy.ts';

let place: OpenLemmy;

const url = 'https://news.test/a';
const post = examplePost({ url });
const ago = (ms: number) => new Date(sendingAt.getTime() - ms);
const hours = 3_600_000;
const days = 24 * hours;

afterEach(() => place.open.close());

describe.each(versions)('C-08: a link that is there already, on Lemmy %s', version => {
  beforeEach(async () => {
    place = await openLemmy(version);
  });

  it('is found with a slash at its end, three hours after somebody else posted it', async () => {
    place.fake.world.add({ url: `${url}/`, publishedAt: ago(3 * hours) });

    const answer = await place.user.findExisting(post);

    expect(answer).toEqual({
      kind: 'found',
      remoteId: '101',
      remoteUrl: 'https://lemmy.test/post/101',
    });
  });

  it('proves nothing by a search that fails', async () => {
    place.open.plan({
      when: 'before',
      behaviour: { kind: 'answer', status: 500, body: 'oops' },
      on: ({ path }) => /\/(search|post\/list)/.test(path),
    });

    const answer = await place.user.findExisting(post);

    expect(answer).toEqual({ kind: 'incomplete', detail: 'HTTP 500: oops' });
  });

  it('is found among the new posts where there is no search', async () => {
    place.fake.server.hasSearch = false;
    for (let count = 0; count < 120; count++) place.fake.world.add({ publishedAt: ago(hours) });
    const absent = await place.user.findExisting(post);
    place.fake.world.add({ url: `${url}/`, publishedAt: ago(3 * hours) });

    const present = await place.user.findExisting(post);

    expect(absent).toEqual({ kind: 'not_found' });
    expect(present.kind).toBe('found');
  });

  it('does not count in another community', async () => {
    place.fake.world.add({ url, communityId: 11 });

    const here = await place.user.findExisting(post);
    const there = await place.as({ target: 'world@other.test' }).findExisting(post);

    expect([here.kind, there.kind]).toEqual(['not_found', 'found']);
  });

  it.each([
    ['30d', ago(30 * days), 'found'],
    ['30d', ago(30 * days + 1), 'not_found'],
    ['2h', ago(3 * hours), 'not_found'],
    ['off', ago(0), 'not_found'],
  ])('counts within %s', async (duplicates, publishedAt, kind) => {
    place.fake.world.add({ url, publishedAt });

    const answer = await place.as({ duplicates }).findExisting(post);

    expect(answer.kind).toBe(kind);
  });

  it('counts only since a person wished to see it once more', async () => {
    place.fake.world.add({ url, publishedAt: ago(hours) });

    const before = await place.user.findExisting(post, { notBefore: ago(hours + 1) });
    const since = await place.user.findExisting(post, { notBefore: ago(hours - 1) });

    expect([before.kind, since.kind]).toEqual(['found', 'not_found']);
  });

  it.each([
    ['https://news.test/a?utm_source=feed', 'https://news.test/a'],
    ['https://news.test/a?utm_source=feed&id=7', 'https://news.test/a/?id=7'],
    ['https://news.test/a#part', 'https://news.test/a'],
    ['http://news.test/a', 'https://news.test/a'],
    ['https://News.test:443/a', 'https://news.test/a'],
  ])('is found for %s where it is stored as %s', async (given, stored) => {
    place.fake.world.add({ url: stored });

    const answer = await place.user.findExisting(examplePost({ url: given }));

    expect(answer.kind).toBe('found');
  });

  it('asks nobody about an article without a link', async () => {
    await place.user.session();
    const before = place.asked().length;

    const answer = await place.user.findExisting(examplePost({ url: null }));

    expect(answer).toEqual({ kind: 'not_found' });
    expect(place.asked()).toHaveLength(before);
  });

  it('is not asked for with a token that is not taken any more', async () => {
    await place.user.session();
    place.fake.server.revokeTokens();

    const answer = await place.user.findExisting(post);

    const refusal = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
    expect(answer).toMatchObject({ kind: 'incomplete', refusal });
  });

  it('waits for a limit', async () => {
    await place.user.session();
    place.open.plan({
      when: 'before',
      behaviour: { kind: 'answer', status: 400, body: '{"error":"rate_limit_error"}' },
      on: ({ path }) => /\/(search|post\/list)/.test(path),
    });

    const answer = await place.user.findExisting(post);

    const refusal = { kind: 'throttled', scope: 'account', code: 'rate_limited' };
    expect(answer).toMatchObject({ kind: 'incomplete', refusal });
  });
});

it('looks itself at what a search that ignores its filters brings', async () => {
  place = await openLemmy('0.19');
  const elsewhere = place.fake.world.add({ url, communityId: 11 });
  const seen = {
    id: elsewhere.id,
    name: elsewhere.name,
    url,
    creator_id: 3,
    community_id: 11,
    published: sendingAt.toISOString(),
    ap_id: 'https://lemmy.test/post/101',
  };
  const body = JSON.stringify({ posts: [{ post: seen }] });
  place.open.plan({
    when: 'before',
    behaviour: { kind: 'answer', status: 200, body },
    on: ({ path }) => path.includes('/search') && path.endsWith('page=1'),
  });

  const answer = await place.user.findExisting(post);

  expect(answer).toEqual({ kind: 'not_found' });
});

describe('a search with blind spots', () => {
  it.each([
    [{ showBots: false }, 'Show bot accounts', {}],
    [{ showRead: false }, 'Show read posts', {}],
    [{ languageIds: [37] }, 'Undetermined', {}],
    [{ languageIds: [0] }, 'language 37', { languageId: 37 }],
    [{ showNsfw: false }, 'Show NSFW content', { nsfw: true }],
    [{ blockedInstanceIds: [1] }, 'blocked', {}],
  ])('proves nothing with %o, and says what to change', async (settings, advice, channel) => {
    place = await openLemmy('0.19', channel);
    Object.assign(place.fake.world.settings, settings);

    const answer = await place.user.findExisting(post);

    expect(answer).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining(advice) });
  });

  it('sees on 1.0 what it asks for, whatever the settings say', async () => {
    place = await openLemmy('1.0', { nsfw: true });
    Object.assign(place.fake.world.settings, { showRead: false, showNsfw: false });
    place.fake.world.add({ url, isNsfw: true, readBy: new Set([2]) });

    const answer = await place.user.findExisting(post);

    expect(answer.kind).toBe('found');
  });

  it('proves nothing on 1.0 with words that are blocked', async () => {
    place = await openLemmy('1.0');
    place.fake.world.settings.keywords = ['queue'];

    const answer = await place.user.findExisting(post);

    expect(answer).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining('keywords') });
  });
});

describe('the list of new posts, where there is no search', () => {
  beforeEach(async () => {
    place = await openLemmy('0.19');
    place.fake.server.hasSearch = false;
  });

  it('is read past old posts that are pinned', async () => {
    for (let count = 0; count < 60; count++) {
      place.fake.world.add({ isPinned: true, publishedAt: ago(300 * days) });
    }
    place.fake.world.add({ url, publishedAt: ago(hours) });

    const answer = await place.user.findExisting(post);

    expect(answer.kind).toBe('found');
  });

  it('is read no further than to what is too old', async () => {
    for (let count = 0; count < 200; count++) place.fake.world.add({ publishedAt: ago(40 * days) });

    const answer = await place.user.findExisting(post);

    expect(answer).toEqual({ kind: 'not_found' });
    expect(place.asked().filter(path => path.endsWith('/post/list'))).toHaveLength(1);
  });

  it('proves nothing where it is too long', async () => {
    for (let count = 0; count < 1_001; count++) place.fake.world.add({ publishedAt: ago(hours) });

    const answer = await place.user.findExisting(post);

    expect(answer).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining('too many posts') });
  });
});
