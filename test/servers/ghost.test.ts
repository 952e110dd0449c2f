import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { describeServer } from './support/describeServer.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { readJson } from './support/readJson.ts';
import { type Ghost, startGhost } from './support/startGhost.ts';

describeServer('ghost', () => {
  let ghost: Ghost;
  let proxy: LossyProxy;

  beforeAll(async () => {
    ghost = await startGhost();
    proxy = await openLossyProxy(ghost.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await ghost?.stop();
  });

  it('stores a post and finds it by its canonical URL', async () => {
    const answer = await post('https://example.com/boat');

    expect(answer.status).toBe(201);
    expect(await found('https://example.com/boat')).toHaveLength(1);
  });

  it('has stored the post whose answer is lost', async () => {
    proxy.loseAnswers(({ method }) => method === 'POST');

    await expect(post('https://example.com/lost', { url: proxy.url })).rejects.toThrow('fetch failed');

    expect(await found('https://example.com/lost')).toHaveLength(1);
  });

  it('refuses a wrong key with 401', async () => {
    const [id] = ghost.adminApiKey.split(':');

    const answer = await post('https://example.com/never', { key: `${id}:${'ab'.repeat(32)}` });

    expect(answer.status).toBe(401);
    expect(await readJson(answer)).toMatchObject({ errors: [{ code: 'INVALID_JWT' }] });
  });

  // Last, since nothing works after it.
  it('refuses a key whose integration was removed', async () => {
    await ghost.revokeAdminApiKey();

    const answer = await post('https://example.com/revoked');

    expect(answer.status).toBe(401);
    expect(await readJson(answer)).toMatchObject({ errors: [{ code: 'UNKNOWN_ADMIN_API_KEY' }] });
  });

  function post(canonical_url: string, { url = ghost.url, key = ghost.adminApiKey } = {}): Promise<Response> {
    return fetch(`${url}/ghost/api/admin/posts/?source=html`, {
      method: 'POST',
      headers: { ...headersFor(key), 'content-type': 'application/json' },
      body: JSON.stringify({
        posts: [{ title: 'A boat', html: '<p>It was built.</p>', status: 'published', canonical_url }],
      }),
    });
  }

  async function found(canonicalUrl: string): Promise<unknown> {
    const query = new URLSearchParams({ filter: `canonical_url:'${canonicalUrl}'` });
    const answer = await fetch(`${ghost.url}/ghost/api/admin/posts/?${query}`, {
      headers: headersFor(ghost.adminApiKey),
    });
    return (await readJson(answer)).posts;
  }
});

function headersFor(key: string) {
  const [id = '', secret = ''] = key.split(':');
  const iat = Math.floor(systemClock.now().getTime() / 1000);
  const signed = [
    { alg: 'HS256', typ: 'JWT', kid: id },
    { iat, exp: iat + 240, aud: '/admin/' },
  ]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64url');
  return { authorization: `Ghost ${signed}.${signature}`, 'accept-version': 'v5.0' };
}
