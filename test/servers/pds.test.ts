import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeServer } from './support/describeServer.ts';
import { type LossyProxy, openLossyProxy } from './support/openLossyProxy.ts';
import { readJson } from './support/readJson.ts';
import { type Pds, type PdsAccount, startPds } from './support/startPds.ts';

const collection = 'app.bsky.feed.post';

describeServer('pds', () => {
  let pds: Pds;
  let proxy: LossyProxy;

  beforeAll(async () => {
    pds = await startPds();
    proxy = await openLossyProxy(pds.url);
  });

  afterAll(async () => {
    await proxy?.close();
    await pds?.stop();
  });

  it('stores a post once under its key, and says where it was to one that differs', async () => {
    const token = await logIn(pds.account);

    const first = await put(token, { rkey: '3lbaaaaaaaa22', text: 'A boat' });
    const again = await put(token, { rkey: '3lbaaaaaaaa22', text: 'A boat' });
    const other = await put(token, { rkey: '3lbaaaaaaaa22', text: 'A ship' });

    const { cid } = await readJson(first);
    expect(first.status).toBe(200);
    expect(await readJson(again)).toMatchObject({ cid });
    expect(other.status).toBe(400);
    expect(await readJson(other)).toMatchObject({ error: 'InvalidSwap', message: `Record was at ${cid}` });
  });

  it('has stored the post whose answer is lost', async () => {
    const token = await logIn(pds.account);
    proxy.loseAnswers(({ path }) => path.endsWith('putRecord'));

    const sent = put(token, { rkey: '3lbaaaaaaaa23', text: 'Lost on the way back', url: proxy.url });

    await expect(sent).rejects.toThrow('fetch failed');
    const { did } = pds.account;
    const query = new URLSearchParams({ repo: did, collection, rkey: '3lbaaaaaaaa23' });
    const found = await fetch(`${pds.url}/xrpc/com.atproto.repo.getRecord?${query}`);
    expect(await readJson(found)).toMatchObject({ value: { text: 'Lost on the way back' } });
  });

  it('refuses a wrong password with 401', async () => {
    const answer = await createSession({ ...pds.account, appPassword: 'aaaa-bbbb-cccc-dddd' });

    expect(answer.status).toBe(401);
    expect(await readJson(answer)).toMatchObject({ error: 'AuthenticationRequired' });
  });

  it('lets the session of a revoked password go on, and gives no new one', async () => {
    const account = await pds.createAccount('revoked');
    const session = await readJson(await createSession(account));
    await account.revokeAppPassword();

    const post = await put(session.accessJwt, { rkey: '3lbaaaaaaaa24', text: 'Still', did: account.did });
    const refresh = await call('server.refreshSession', { token: session.refreshJwt });
    const login = await createSession(account);

    expect(post.status).toBe(200);
    expect(refresh.status).toBe(400);
    expect(await readJson(refresh)).toMatchObject({ error: 'ExpiredToken' });
    expect(login.status).toBe(401);
  });

  it('refuses the posts of an account that was taken down', async () => {
    const account = await pds.createAccount('takendown');
    const token = await logIn(account);
    await account.takeDown();

    const post = await put(token, { rkey: '3lbaaaaaaaa25', text: 'Never', did: account.did });

    expect(post.status).toBe(401);
    expect(await readJson(post)).toMatchObject({ error: 'AccountTakedown' });
  });

  async function logIn(account: PdsAccount): Promise<string> {
    const { accessJwt } = await readJson(await createSession(account));
    return accessJwt;
  }

  function createSession({ handle, appPassword }: PdsAccount): Promise<Response> {
    return call('server.createSession', { body: { identifier: handle, password: appPassword } });
  }

  function put(token: string, { rkey, text, url = pds.url, did = pds.account.did }: Put): Promise<Response> {
    const record = { $type: collection, text, createdAt: '2026-01-02T03:04:05.000Z' };
    return call('repo.putRecord', {
      url,
      token,
      body: { repo: did, collection, rkey, record, swapRecord: null },
    });
  }

  function call(method: string, { url = pds.url, token, body }: Call): Promise<Response> {
    return fetch(`${url}/xrpc/com.atproto.${method}`, {
      method: 'POST',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
});

type Put = { rkey: string; text: string; url?: string; did?: string };
type Call = { url?: string; token?: string; body?: object };
