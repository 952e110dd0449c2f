import { LemmyHttp as LemmyHttpV3 } from 'lemmy-js-client';
import { LemmyHttp as LemmyHttpV4 } from 'lemmy-js-client-v4';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { createLemmyFake, type LemmyFake } from './lemmy.ts';

let fake: LemmyFake;
let open: OpenFake;

async function openVersion(version: '0.19' | '1.0'): Promise<void> {
  fake = createLemmyFake({ version });
  open = await openProtocolFake(fake);
}

afterEach(() => open.close());

const link = 'https://news.test/a?utm_source=feed&x=1';
const stored = 'https://news.test/a?x=1';

describe('the fake of Lemmy 0.19, driven by lemmy-js-client', () => {
  let client: LemmyHttpV3;

  beforeEach(async () => {
    await openVersion('0.19');
    client = new LemmyHttpV3(open.url);
    const { jwt } = await client.login({ username_or_email: 'headway', password: fake.world.me.password });
    client = new LemmyHttpV3(open.url, { headers: { Authorization: `Bearer ${jwt}` } });
  });

  it('logs in, and knows its own tokens', async () => {
    const anybody = new LemmyHttpV3(open.url, { headers: { Authorization: 'Bearer nonsense' } });

    await expect(client.validateAuth()).resolves.toMatchObject({ success: true });
    await expect(anybody.validateAuth()).rejects.toThrow('not_logged_in');
    expect((await anybody.getSite()).my_user).toBeUndefined();
    expect((await client.getSite()).my_user?.local_user_view.person.name).toBe('headway');
  });

  it('refuses a wrong password', async () => {
    const logIn = client.login({ username_or_email: 'headway', password: 'wrong' });

    await expect(logIn).rejects.toThrow('incorrect_login');
  });

  it('takes the same post twice, cleans its link, and lists both', async () => {
    const { community_view: place } = await client.getCommunity({ name: 'news' });
    const form = { name: 'A post', community_id: place.community.id, url: link };
    const first = await client.createPost(form);
    await client.createPost(form);

    const { posts } = await client.getPosts({ community_id: place.community.id, sort: 'New', limit: 50 });
    const profile = await client.getPersonDetails({ person_id: fake.world.me.id, sort: 'New' });

    expect(first.post_view.post).toMatchObject({ url: stored, ap_id: 'https://lemmy.test/post/101' });
    expect(posts.map(({ post }) => post.id)).toEqual([102, 101]);
    expect(profile.posts).toHaveLength(2);
  });

  it('searches for a link letter by letter', async () => {
    await client.createPost({ name: 'A post', community_id: 10, url: link });

    const given = await client.search({ q: link, type_: 'Url' });
    const clean = await client.search({ q: stored, type_: 'Url', community_id: 10 });
    const elsewhere = await client.search({ q: stored, type_: 'Url', community_id: 11 });

    expect([given, clean, elsewhere].map(({ posts }) => posts.length)).toEqual([0, 1, 0]);
  });

  it('hides bots, what was read and what was removed', async () => {
    await client.createPost({ name: 'A post', community_id: 10, url: link });
    const count = async () => (await client.getPosts({ community_id: 10 })).posts.length;

    fake.world.settings.showRead = false;
    const read = await count();
    const inProfile = (await client.getPersonDetails({ person_id: 2 })).posts.length;
    fake.world.settings.showRead = true;
    fake.world.settings.showBots = false;
    const bots = await count();
    fake.world.settings.showBots = true;
    for (const post of fake.world.posts) post.removedAt = fake.world.now();
    const removed = await count();
    const log = await client.getModlog({ other_person_id: 2, type_: 'ModRemovePost' });

    expect([read, inProfile, bots, removed]).toEqual([0, 1, 0, 0]);
    expect(log.removed_posts.map(({ post }) => post.url)).toEqual([stored]);
  });

  it('refuses with a code', async () => {
    fake.server.postsLeft = 1;

    await expect(client.createPost({ name: 'ab', community_id: 10 })).rejects.toThrow('invalid_post_title');
    await expect(client.createPost({ name: 'abc', community_id: 10 })).rejects.toThrow('rate_limit_error');
    await expect(client.getCommunity({ name: 'olds' })).rejects.toThrow('couldnt_find_community');
  });

  it('reads a list page by page', async () => {
    for (let count = 0; count < 5; count++) fake.world.add();

    const first = await client.getPosts({ community_id: 10, sort: 'New', limit: 3 });
    const { next_page: cursor = '' } = first;
    const second = await client.getPosts({ community_id: 10, sort: 'New', limit: 3, page_cursor: cursor });

    const ids = [...first.posts, ...second.posts].map(({ post }) => post.id);
    expect(ids).toEqual([105, 104, 103, 102, 101]);
  });
});

describe('the fake of Lemmy 1.0, driven by lemmy-js-client 1.0', () => {
  let client: LemmyHttpV4;

  beforeEach(async () => {
    // The client prints each refusal.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await openVersion('1.0');
    client = new LemmyHttpV4(open.url);
    const { jwt = '' } = said(
      await client.login({ username_or_email: 'headway', password: fake.world.me.password }),
    );
    client.setHeaders({ Authorization: `Bearer ${jwt}` });
  });

  afterEach(() => vi.restoreAllMocks());

  it('logs in, and knows its own tokens', async () => {
    const anybody = new LemmyHttpV4(open.url, { headers: { Authorization: 'Bearer nonsense' } });

    expect(said(await client.validateAuth())).toMatchObject({ success: true });
    expect(said(await client.getMyUser()).local_user_view.person.name).toBe('headway');
    expect(said(await client.getSite()).version).toMatch(/^1\./);
    expect(await anybody.validateAuth()).toMatchObject({ state: 'failed', err: { name: 'not_logged_in' } });
  });

  it('takes the same post twice, cleans its link, and lists both', async () => {
    const place = said(await client.getCommunity({ name: 'news' })).community_view.community;
    const form = { name: 'A post', community_id: place.id, url: link };
    const first = said(await client.createPost(form));
    await client.createPost(form);

    const list = said(
      await client.getPosts({ community_id: place.id, creator_id: 2, sort: 'new', limit: 50 }),
    );

    expect(first.post_view.post).toMatchObject({ url: stored, ap_id: 'https://lemmy.test/post/101' });
    expect(list.items.map(({ post }) => post.id)).toEqual([102, 101]);
  });

  it('cleans a link before it searches for it', async () => {
    await client.createPost({ name: 'A post', community_id: 10, url: link });

    const found = said(await client.search({ search_term: link, type_: 'posts', post_url_only: true }));
    const listed = said(
      await client.getPosts({ community_id: 10, search_term: link, search_url_only: true }),
    );
    const broken = said(await client.search({ search_term: 'no link', post_url_only: true }));
    const brokenList = await client.getPosts({ search_term: 'no link', search_url_only: true });

    expect(found).toMatchObject({ posts: [{ post: { url: stored } }] });
    expect(listed.items).toHaveLength(1);
    expect(broken).toMatchObject({ posts: [] });
    expect(brokenList.state).toBe('failed');
  });

  it('refuses with a code', async () => {
    expect(await client.createPost({ name: 'ab', community_id: 10 })).toMatchObject({
      state: 'failed',
      err: { name: 'invalid_post_title', status: 400 },
    });
    expect(await client.getCommunity({ name: 'olds' })).toMatchObject({
      state: 'failed',
      err: { name: 'not_found', status: 404 },
    });
    expect(await client.login({ username_or_email: 'headway', password: 'wrong' })).toMatchObject({
      state: 'failed',
      err: { name: 'incorrect_login', status: 401 },
    });
    fake.server.postsLeft = 0;
    expect(await client.createPost({ name: 'abc', community_id: 10 })).toMatchObject({
      state: 'failed',
      err: { status: 429 },
    });
  });

  it('shows in the log what a moderator removed', async () => {
    fake.world.add({ creatorId: 2, url: stored, removedAt: fake.world.now() });

    const log = said(await client.getModlog({ other_person_id: 2, type_: 'mod_remove_post' }));

    expect(log.items.map(({ target_post: post }) => post?.url)).toEqual([stored]);
  });

  it('has a v3 whose search forgets its filters', async () => {
    await client.createPost({ name: 'A post', community_id: 10, url: link });
    const old = new LemmyHttpV3(open.url);

    const byLink = await old.search({ q: stored, type_: 'Url', community_id: 10 });
    const elsewhere = await old.search({ q: 'A post', type_: 'Posts', community_id: 11 });

    expect([byLink.posts.length, elsewhere.posts.length]).toEqual([0, 1]);
    await expect(old.validateAuth()).rejects.toThrow();
  });
});

/** What an answer of the new client holds; throws where it is a refusal. */
function said<Data>(state: { state: string; data?: Data }): Data {
  if (state.state !== 'success' || state.data === undefined) throw new Error(JSON.stringify(state));
  return state.data;
}
