import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { trash } from './wordpress/posts.ts';
import { type FakeWordPress, fakeWordPress } from './wordpress.ts';

// There is no client library that is maintained: what is stated here was seen on WordPress 6.1.9, request by request.
let site: FakeWordPress;
let open: OpenFake;

beforeEach(async () => {
  site = fakeWordPress();
  open = await openProtocolFake(site);
});
afterEach(() => open.close());

type Options = { as?: string; json?: unknown; headers?: Record<string, string>; body?: string };

async function ask(method: string, path: string, { as = 'editor', json, headers = {}, body }: Options = {}) {
  const password = site.users.find(({ name }) => name === as)?.password ?? 'wrong';
  const authorization = `Basic ${Buffer.from(`${as}:${password}`).toString('base64')}`;
  const answer = await fetch(`${open.url}${path}`, {
    method,
    headers: { authorization, ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, headers: answer.headers, said: Object(await answer.json()) };
}

const posts = '/wp-json/wp/v2/posts';
const post = (as: string, json: unknown) => ask('POST', posts, { as, json });

describe('the fake WordPress', () => {
  it('stores the same post twice, under another slug', async () => {
    const first = await post('editor', { title: 'A', slug: 'a', status: 'publish' });
    const second = await post('editor', { title: 'A', slug: 'a', status: 'publish' });

    expect([first, second].map(({ status, said }) => [status, said.slug])).toEqual([
      [201, 'a'],
      [201, 'a-2'],
    ]);
  });

  it.each([
    ['a wrong password to a post', 'nobody', { title: 'x' }, 401, 'rest_cannot_create'],
    ['a subscriber', 'subscriber', { title: 'x' }, 403, 'rest_cannot_create'],
    [
      'a contributor who publishes',
      'contributor',
      { title: 'x', status: 'publish' },
      403,
      'rest_cannot_publish',
    ],
    ['a status that does not exist', 'editor', { title: 'x', status: 'nope' }, 400, 'rest_invalid_param'],
    ['an empty post', 'editor', { status: 'draft' }, 400, 'empty_content'],
  ])('refuses %s', async (_name, as, json, status, code) => {
    const answer = await post(as, json);

    expect(answer).toMatchObject({ status, said: { code, data: { status } } });
  });

  it('says of a wrong password only that nobody is logged in', async () => {
    const me = await ask('GET', '/wp-json/wp/v2/users/me?context=edit', { as: 'nobody' });
    const published = await ask('GET', posts, { as: 'nobody' });
    const any = await ask('GET', `${posts}?status=any`, { as: 'nobody' });

    expect(me).toMatchObject({ status: 401, said: { code: 'rest_not_logged_in' } });
    expect(published.status).toBe(200);
    expect(any).toMatchObject({ status: 400, said: { code: 'rest_invalid_param' } });
    expect(any.said.data.details.status.data.status).toBe(401);
  });

  it('ignores categories and pictures that do not exist', async () => {
    const { status, said } = await post('author', {
      title: 'x',
      status: 'publish',
      categories: [9_999],
      tags: [777],
      featured_media: 99,
    });

    expect([status, said.categories, said.tags, said.featured_media]).toEqual([201, [1], [], 0]);
  });

  it("drops the slug of a contributor's pending post, and keeps that of a draft", async () => {
    const pending = await post('contributor', { title: 'x', status: 'pending', slug: 's-1' });
    const draft = await post('contributor', { title: 'x', status: 'draft', slug: 's-2' });

    expect([pending.said.slug, draft.said.slug]).toEqual(['', 's-2']);
  });

  it('leaves the trash out of any, and renames what lies there', async () => {
    const written = site.write({ slug: 's' });
    trash(written);

    const any = await ask('GET', `${posts}?slug=s,s__trashed&status=any,trash`);
    const trashed = await ask('GET', `${posts}?slug=s,s__trashed&status=trash`);

    expect(any.said).toEqual([]);
    expect(trashed.said).toMatchObject([{ slug: 's__trashed', status: 'trash' }]);
  });

  it('counts what it hides: drafts of others, and in edit what the user may not change', async () => {
    site.write({ slug: 'published', author: 2 });
    site.write({ slug: 'draft', author: 2, status: 'draft' });

    const view = await ask('GET', `${posts}?status=any`, { as: 'author' });
    const edit = await ask('GET', `${posts}?status=any&context=edit`, { as: 'author' });

    expect(view.said.map(({ slug }: { slug: string }) => slug)).toEqual(['published']);
    expect(edit.said).toEqual([]);
    expect([view, edit].map(({ headers }) => headers.get('x-wp-total'))).toEqual(['2', '2']);
  });

  it('typesets what it shows', async () => {
    site.write({ title: 'It\'s "2x3" ... & more' });

    const { said } = await ask('GET', posts);

    expect(said[0].title.rendered).toBe('It&#8217;s &#8220;2&#215;3&#8221; &#8230; &#038; more');
  });

  it('answers the id of a tag that exists, in whatever case', async () => {
    const made = await ask('POST', '/wp-json/wp/v2/tags', { json: { name: 'R&D' } });
    const again = await ask('POST', '/wp-json/wp/v2/tags', { as: 'contributor', json: { name: 'r&d' } });

    expect(made).toMatchObject({ status: 201, said: { name: 'R&amp;D' } });
    expect(again).toMatchObject({ status: 400, said: { code: 'term_exists' } });
    expect(again.said.data.term_id).toBe(made.said.id);
  });

  it.each([
    ['a picture', 'author', 'image/png', 201, undefined],
    ['a contributor', 'contributor', 'image/png', 403, 'rest_cannot_create'],
    [
      'a file type that is forbidden, with a 500',
      'author',
      'image/svg+xml',
      500,
      'rest_upload_sideload_error',
    ],
  ])('takes or refuses the upload of %s', async (_name, as, type, status, code) => {
    const headers = { 'content-type': type, 'content-disposition': 'attachment; filename="a-b.png"' };

    const answer = await ask('POST', '/wp-json/wp/v2/media?alt_text=A%20%26%20b', {
      as,
      headers,
      body: 'png',
    });

    expect([answer.status, answer.said.code]).toEqual([status, code]);
    if (status === 201) expect(answer.said).toMatchObject({ slug: 'a-b', alt_text: 'A & b' });
  });

  it('has the same API as a parameter of its start page', async () => {
    const { status, said } = await ask('GET', '/?rest_route=/wp/v2/users/me&context=edit');

    expect([status, said.roles]).toEqual([200, ['editor']]);
  });
});
