import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeServer } from './support/describeServer.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { readJson } from './support/readJson.ts';
import { type Snac, startSnac } from './support/startSnac.ts';

// What CHANNELS' page on the Mastodon family says of snac, seen on the server itself.
describeServer('snac', () => {
  let snac: Snac;
  let proxy: LossyProxy;

  beforeAll(async () => {
    snac = await startSnac();
    proxy = await openLossyProxy(snac.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await snac?.stop();
  });

  it('stores a post and lists it for its account', async () => {
    const answer = await post('A boat was built https://example.com/boat');

    const { id } = await readJson(answer);
    expect(answer.status).toBe(200);
    expect(await listed()).toContainEqual(expect.objectContaining({ id }));
  });

  it('posts twice for the same idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const before = await listed();

    await post('Only once', { headers });
    await post('Only once', { headers });

    expect((await listed()).length - before.length).toBe(2);
  });

  it('has stored the post whose answer is lost', async () => {
    const before = await listed();
    proxy.loseAnswers(({ method }) => method === 'POST');

    await expect(post('Lost on the way back', { url: proxy.url })).rejects.toThrow('fetch failed');

    expect((await listed()).length - before.length).toBe(1);
    expect(proxy.lost()).toBe(1);
  });

  it('refuses a token that it does not know with 401 and without a word', async () => {
    const answer = await post('Never', { token: 'a'.repeat(32) });

    expect(answer.status).toBe(401);
    expect(await answer.text()).toBe('');
  });

  it('refuses a token that was revoked, and goes on for others', async () => {
    await snac.other.revokeToken();

    const revoked = await post('Never', { token: snac.other.accessToken });
    const other = await post('Still');

    expect(revoked.status).toBe(401);
    expect(other.status).toBe(200);
  });

  function post(
    status: string,
    { url = snac.url, token = snac.bot.accessToken, headers = {} }: PostOptions = {},
  ): Promise<Response> {
    return fetch(`${url}/api/v1/statuses`, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        connection: 'close',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ status }),
    });
  }

  async function listed(): Promise<unknown[]> {
    const headers = { authorization: `Bearer ${snac.bot.accessToken}`, connection: 'close' };
    const me = await fetch(`${snac.url}/api/v1/accounts/verify_credentials`, { headers });
    const { id } = await readJson(me);
    const answer = await fetch(`${snac.url}/api/v1/accounts/${id}/statuses?limit=40`, { headers });
    return readJson(answer);
  }
});

type PostOptions = { url?: string; token?: string; headers?: Readonly<Record<string, string>> };
