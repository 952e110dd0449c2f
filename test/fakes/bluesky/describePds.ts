import { beforeEach, describe, expect, it } from 'vitest';

/** One account on a PDS that may be destroyed. */
export type PdsWorld = {
  url: string;
  did: string;
  handle: string;
  password: string;
  appPassword: string;
  revokeAppPassword(): Promise<void>;
  deactivate(): Promise<void>;
  takeDown(): Promise<void>;
  remove(): Promise<void>;
};

type Session = { accessJwt: string; refreshJwt: string; did: string; handle: string };

const collection = 'app.bsky.feed.post';
const key = '3lbxxxxxxxx22';
const createdAt = '2026-09-07T08:30:00.000Z';
const hello = { $type: collection, text: 'hello', createdAt };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pngCid = 'bafkreidlp6sdj6jkroakvmbntpy2clsj77foijheae5byt3iwz7d2k542a';
const family = '👩‍👩‍👧';

/**
 * What the channel and its fake take for granted about a PDS. It was measured on @atproto/pds 0.4.217, and is asked of
 * the fake at every run and of the real one by `npm run test:servers`: where the two part, one of them is wrong.
 */
export function describePds(name: string, open: () => Promise<PdsWorld>): void {
  describe(name, () => {
    let world: PdsWorld;
    let session: Session;

    beforeEach(async () => {
      world = await open();
      session = await logIn();
    });

    async function logIn(password = world.appPassword): Promise<Session> {
      const { status, body } = await createSession(world.handle, password);
      if (status !== 200) throw new Error(`no session: ${JSON.stringify(body)}`);
      return Object(body);
    }

    const ask = (nsid: string, token: string | null, search: Record<string, string> = {}) =>
      call(`${world.url}/xrpc/${nsid}?${new URLSearchParams(search)}`, { headers: bearer(token) });
    const post = (nsid: string, token: string | null, json?: unknown) =>
      call(`${world.url}/xrpc/${nsid}`, {
        method: 'POST',
        headers: { ...bearer(token), ...(json !== undefined && { 'content-type': 'application/json' }) },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
    const upload = (bytes: Buffer, { token = session.accessJwt, type = 'image/png' } = {}) =>
      call(`${world.url}/xrpc/com.atproto.repo.uploadBlob`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': type },
        body: new Uint8Array(bytes),
      });
    const createSession = (identifier: string, password: string) =>
      post('com.atproto.server.createSession', null, { identifier, password });
    const refresh = (token: string) => post('com.atproto.server.refreshSession', token);
    const put = (record: unknown, rkey = key, more: Record<string, unknown> = {}) =>
      post('com.atproto.repo.putRecord', session.accessJwt, {
        ...{ repo: world.did, collection, rkey, record, swapRecord: null },
        ...more,
      });
    const list = (search: Record<string, string> = {}) =>
      ask('com.atproto.repo.listRecords', null, { repo: world.did, collection, ...search });

    it('logs in by handle and by DID, for two hours with the scope of an app password', async () => {
      const byHandle = await createSession(world.handle, world.appPassword);
      const byDid = await createSession(world.did, world.appPassword);

      expect(byHandle).toMatchObject({
        status: 200,
        body: { did: world.did, handle: world.handle, active: true },
      });
      expect(byDid.status).toBe(200);
      const { exp, iat, scope } = claimsOf(Object(byHandle.body).accessJwt);
      expect({ lifetimeSeconds: exp - iat, scope }).toEqual({
        lifetimeSeconds: 7_200,
        scope: 'com.atproto.appPass',
      });
      const { exp: end, iat: start } = claimsOf(Object(byHandle.body).refreshJwt);
      expect((end - start) / 86_400).toBe(90);
    });

    it('tells the own password of an account by its scope', async () => {
      const own = await logIn(world.password);

      expect(claimsOf(own.accessJwt).scope).toBe('com.atproto.access');
    });

    it('refuses a wrong password and an unknown account in the same words', async () => {
      const refused = refusal(401, 'AuthenticationRequired', 'Invalid identifier or password');

      expect(await createSession(world.handle, 'wrong')).toMatchObject(refused);
      expect(await createSession('nobody.test', world.appPassword)).toMatchObject(refused);
    });

    it('says who is logged in', async () => {
      const { status, body } = await ask('com.atproto.server.getSession', session.accessJwt);

      expect({ status, body }).toMatchObject({
        status: 200,
        body: { did: world.did, emailConfirmed: false },
      });
    });

    it('refuses tokens that are none with 400, and their absence with 401', async () => {
      const { accessJwt, refreshJwt } = session;

      expect(await ask('com.atproto.server.getSession', 'abc')).toMatchObject(refusal(400, 'InvalidToken'));
      expect(await ask('com.atproto.server.getSession', null)).toMatchObject(refusal(401, 'AuthMissing'));
      expect(await ask('com.atproto.server.getSession', refreshJwt)).toMatchObject(
        refusal(400, 'InvalidToken'),
      );
      expect(await refresh(accessJwt)).toMatchObject(refusal(400, 'InvalidToken'));
      expect(await upload(png, { token: 'abc' })).toMatchObject(refusal(500, 'InternalServerError'));
    });

    it('refreshes a session, and takes the old refresh token once more', async () => {
      const first = await refresh(session.refreshJwt);
      const second = await refresh(session.refreshJwt);

      expect(first).toMatchObject({ status: 200, body: { did: world.did, handle: world.handle } });
      expect(second.status).toBe(200);
    });

    it('puts a record where there is none', async () => {
      const answer = await put(hello);

      const uri = `at://${world.did}/${collection}/${key}`;
      expect(answer).toMatchObject({ status: 200, body: { uri, cid: expect.any(String) } });
    });

    it('takes the same record again for what is there', async () => {
      const first = await put(hello);
      const second = await put({ createdAt, text: 'hello', $type: collection });

      expect(second.status).toBe(200);
      expect(Object(second.body).cid).toBe(Object(first.body).cid);
      expect(Object((await list()).body).records).toHaveLength(1);
    });

    it('refuses another record under a taken key, and says which is there', async () => {
      const first = await put(hello);
      const second = await put({ ...hello, text: 'other' });

      expect(second).toMatchObject(refusal(400, 'InvalidSwap', `Record was at ${Object(first.body).cid}`));
    });

    it('lets one of eight through at the same time', async () => {
      const texts = Array.from({ length: 8 }, (_, place) => `race ${place}`);

      const answers = await Promise.all(texts.map(text => put({ ...hello, text })));

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => Object(body).error === 'InvalidSwap')).toHaveLength(7);
    });

    it.each<[string, Record<string, unknown>, string]>([
      ['301 graphemes', { text: 'é'.repeat(301) }, 'grapheme too big (maximum 300, got 301)'],
      ['3,006 bytes', { text: family.repeat(167) }, 'string too big (maximum 3000, got 3006)'],
      ['a language that is none', { langs: ['nonsense_x'] }, 'Invalid language (got "nonsense_x")'],
      ['four languages', { langs: ['en', 'de', 'fr', 'it'] }, 'array too big (maximum 3, got 4)'],
      ['a time that is none', { createdAt: 'yesterday' }, 'Invalid datetime (got "yesterday")'],
      ['a card without an address', { embed: cardOf({ uri: 'no uri' }) }, 'Invalid uri (got "no uri")'],
      ['a hashtag of 65', { facets: [tagOf('a'.repeat(65))] }, 'grapheme too big (maximum 64, got 65)'],
    ])('refuses %s', async (_name, part, words) => {
      const answer = await put({ ...hello, ...part });

      expect(answer).toMatchObject(refusal(400, 'InvalidRequest', expect.stringContaining(words)));
    });

    it.each<[string, Record<string, unknown>]>([
      ['300 graphemes', { text: 'é'.repeat(300) }],
      ['3,000 bytes', { text: `${'x'.repeat(6)}${family.repeat(166)}${'x'.repeat(6)}` }],
      ['no text', { text: '' }],
      [
        'a card whose address has letters of all kinds',
        { embed: cardOf({ uri: 'https://exämple.test/ü?a=ö' }) },
      ],
      ['a hashtag of 64', { facets: [tagOf('a'.repeat(64))] }],
    ])('takes %s', async (_name, part) => {
      const answer = await put({ ...hello, ...part });

      expect(answer.status).toBe(200);
    });

    it('refuses a key that is no TID', async () => {
      const answer = await put(hello, 'headway-0123abcd');

      expect(answer).toMatchObject(
        refusal(400, 'InvalidRequest', expect.stringContaining('Invalid TID string')),
      );
    });

    it('refuses the repository of somebody else', async () => {
      const answer = await put(hello, key, { repo: 'did:plc:abcdefghijklmnopqrstuvwx' });

      expect(answer).toMatchObject(refusal(403, 'AccountNotFound'));
    });

    it('keeps a file by its hash, and takes pictures of a million bytes in posts', async () => {
      const { body } = await upload(png);
      const atLimit = Object((await upload(Buffer.concat([png, Buffer.alloc(1_000_000 - png.length)]))).body);
      const above = Object((await upload(Buffer.concat([png, Buffer.alloc(1_000_001 - png.length)]))).body);

      expect(body).toEqual({
        blob: { $type: 'blob', ref: { $link: pngCid }, mimeType: 'image/png', size: 70 },
      });
      const taken = await put({ ...hello, embed: cardOf({ thumb: atLimit.blob }) });
      const refused = await put({ ...hello, embed: cardOf({ thumb: above.blob }) }, '3lbxxxxxxxx23');
      expect(taken.status).toBe(200);
      expect(refused).toMatchObject(
        refusal(
          400,
          'InvalidRequest',
          expect.stringContaining('blob too big (maximum 1000000, got 1000001)'),
        ),
      );
    });

    it('refuses files above its own limit', async () => {
      expect(await upload(Buffer.alloc(6 << 20))).toMatchObject(refusal(413, 'PayloadTooLarge'));
    });

    it('stores nothing of a record whose file it does not have', async () => {
      const thumb = {
        $type: 'blob',
        ref: { $link: pngCid.replace('bafkreid', 'bafkreie') },
        mimeType: 'image/png',
        size: 70,
      };

      const refused = await put({ ...hello, embed: cardOf({ thumb }) });
      const found = await ask('com.atproto.repo.getRecord', null, { repo: world.did, collection, rkey: key });
      await put(hello);
      const onTakenKey = await put({ ...hello, embed: cardOf({ thumb }) });

      expect(refused).toMatchObject(refusal(400, 'BlobNotFound'));
      expect(found).toMatchObject(refusal(400, 'RecordNotFound'));
      expect(onTakenKey).toMatchObject(refusal(400, 'InvalidSwap'));
    });

    it('lists posts by key, the newest first, whoever asks', async () => {
      for (const last of ['2', '3', '4']) await put(hello, `3lbxxxxxxxx2${last}`);

      const first = Object((await list({ limit: '2' })).body);
      const second = Object((await list({ limit: '2', cursor: first.cursor })).body);
      const third = Object((await list({ limit: '2', cursor: second.cursor })).body);

      const keys = [first, second, third].map(({ records }) => records.map(keyOf));
      expect(keys).toEqual([['3lbxxxxxxxx24', '3lbxxxxxxxx23'], ['3lbxxxxxxxx22'], []]);
      expect(third.cursor).toBeUndefined();
    });

    it('lets an access token go on when its app password is revoked, and refuses to refresh', async () => {
      await world.revokeAppPassword();

      expect((await put(hello)).status).toBe(200);
      expect(await refresh(session.refreshJwt)).toMatchObject(refusal(400, 'ExpiredToken'));
      expect(await createSession(world.handle, world.appPassword)).toMatchObject(
        refusal(401, 'AuthenticationRequired'),
      );
    });

    it('takes no post of an account that its owner has deactivated, though it may log in', async () => {
      await world.deactivate();

      const again = await createSession(world.handle, world.appPassword);
      expect(again).toMatchObject({ status: 200, body: { active: false, status: 'deactivated' } });
      expect(await put(hello)).toMatchObject(refusal(401, 'AccountDeactivated'));
      expect((await upload(png)).status).toBe(200);
      expect(await list()).toMatchObject(refusal(400, 'InvalidRequest'));
    });

    it('takes nothing of an account that was taken down, and to an app password does not say why', async () => {
      await world.takeDown();

      expect(await put(hello)).toMatchObject(refusal(401, 'AccountTakedown'));
      expect(await upload(png)).toMatchObject(refusal(401, 'AccountTakedown'));
      expect(await refresh(session.refreshJwt)).toMatchObject(refusal(401, 'AccountTakedown'));
      expect(await createSession(world.handle, world.appPassword)).toMatchObject(
        refusal(401, 'AuthenticationRequired'),
      );
      expect(await ask('com.atproto.server.getSession', session.accessJwt)).toMatchObject(
        refusal(400, 'InvalidRequest'),
      );
    });

    it('knows nothing of an account that is gone', async () => {
      await world.remove();

      expect(await put(hello)).toMatchObject(refusal(403, 'AccountNotFound'));
      expect(await refresh(session.refreshJwt)).toMatchObject(refusal(400, 'InvalidRequest'));
      expect(await list()).toMatchObject(refusal(400, 'InvalidRequest'));
    });
  });
}

type PdsAnswer = { status: number; body: unknown };

async function call(url: string, request: RequestInit): Promise<PdsAnswer> {
  const answer = await fetch(url, request);
  return { status: answer.status, body: await answer.json() };
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

function refusal(status: number, error: string, message: unknown = expect.any(String)): PdsAnswer {
  return { status, body: { error, message } };
}

function claimsOf(token: string): { exp: number; iat: number; scope: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

function cardOf(parts: Record<string, unknown>) {
  const external = { uri: 'https://news.test/a', title: 'A title', description: '', ...parts };
  return { $type: 'app.bsky.embed.external', external };
}

function tagOf(tag: string) {
  const features = [{ $type: 'app.bsky.richtext.facet#tag', tag }];
  return { index: { byteStart: 0, byteEnd: 5 }, features };
}

function keyOf({ uri }: { uri: string }): string {
  return uri.split('/').at(-1) ?? '';
}
