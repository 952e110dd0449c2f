import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeServer } from './support/describeServer.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { readJson } from './support/readJson.ts';
import { startWordPress, type WordPress, type WordPressAccount } from './support/startWordPress.ts';

type Login = Pick<WordPressAccount, 'username' | 'applicationPassword'>;
type Post = { slug: string; status?: 'publish' | 'pending' };

describeServer('wordpress', () => {
  let wordpress: WordPress;
  let proxy: LossyProxy;

  beforeAll(async () => {
    wordpress = await startWordPress();
    proxy = await openLossyProxy(wordpress.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await wordpress?.stop();
  });

  it('stores a post and finds it by its slug', async () => {
    const answer = await post(wordpress.editor, { slug: 'a-boat' });

    const { id } = await readJson(answer);
    expect(answer.status).toBe(201);
    expect(await found('a-boat')).toEqual([expect.objectContaining({ id, slug: 'a-boat' })]);
  });

  it('stores the same post again under another slug', async () => {
    await post(wordpress.editor, { slug: 'twice' });

    const again = await post(wordpress.editor, { slug: 'twice' });

    expect(again.status).toBe(201);
    expect(await readJson(again)).toMatchObject({ slug: 'twice-2' });
  });

  it('has stored the post whose answer is lost', async () => {
    proxy.loseAnswers(({ method }) => method === 'POST');

    const sent = post(wordpress.editor, { slug: 'lost' }, proxy.url);

    await expect(sent).rejects.toThrow('fetch failed');
    expect(await found('lost')).toHaveLength(1);
  });

  it('refuses a wrong password as if the right to post were missing', async () => {
    const wrong = { username: 'editor', applicationPassword: 'aaaa bbbb cccc dddd eeee ffff' };

    const answer = await post(wrong, { slug: 'never' });

    expect(answer.status).toBe(401);
    expect(await readJson(answer)).toMatchObject({ code: 'rest_cannot_create' });
  });

  it('lets a contributor hand in and not publish', async () => {
    const published = await post(wordpress.contributor, { slug: 'published' });
    const handedIn = await post(wordpress.contributor, { slug: 'handed-in', status: 'pending' });

    expect(published.status).toBe(403);
    expect(await readJson(published)).toMatchObject({ code: 'rest_cannot_publish' });
    expect(handedIn.status).toBe(201);
  });

  it('refuses a password that was revoked', async () => {
    await wordpress.contributor.revokeApplicationPassword();

    const answer = await post(wordpress.contributor, { slug: 'revoked', status: 'pending' });

    expect(answer.status).toBe(401);
  });

  function post(login: Login, { slug, status = 'publish' }: Post, url = wordpress.url): Promise<Response> {
    return fetch(`${url}/wp-json/wp/v2/posts`, {
      method: 'POST',
      headers: { authorization: basic(login), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A boat', content: '<p>It was built.</p>', slug, status }),
    });
  }

  async function found(slug: string): Promise<unknown> {
    const query = new URLSearchParams({ slug, status: 'any', context: 'edit' });
    const headers = { authorization: basic(wordpress.editor) };
    return readJson(await fetch(`${wordpress.url}/wp-json/wp/v2/posts?${query}`, { headers }));
  }
});

function basic({ username, applicationPassword }: Login): string {
  return `Basic ${Buffer.from(`${username}:${applicationPassword}`).toString('base64')}`;
}
