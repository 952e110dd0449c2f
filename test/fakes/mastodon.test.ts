import { createRestAPIClient, MastoHttpError, MastoUnexpectedError, type mastodon } from 'masto';
import { afterEach, describe, expect, it } from 'vitest';
import { smallPng } from '../channels/openChannel.ts';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { fakeMastodon, type MastodonFake, type MastodonFakeOptions } from './mastodon.ts';

const accountId = '109348273';

describe('the fake of the Mastodon family, used by masto', () => {
  let fake: MastodonFake;
  let open: OpenFake;
  let client: mastodon.rest.Client;

  async function start(options: MastodonFakeOptions = {}) {
    fake = fakeMastodon(options);
    open = await openProtocolFake(fake);
    client = createRestAPIClient({ url: open.url, accessToken: fake.token });
  }

  afterEach(() => open.close());

  const underKey = (key: string) => ({ requestInit: { headers: { 'Idempotency-Key': key } } });
  const post = (status: string, key?: string) =>
    client.v1.statuses.create({ status }, key === undefined ? {} : underKey(key));
  // masto finds no words in an answer without any (snac's), and does not tell its status.
  const refusal = async (asked: Promise<unknown>) => {
    try {
      await asked;
      return null;
    } catch (error) {
      if (error instanceof MastoHttpError) return { status: error.statusCode, message: error.message };
      if (error instanceof MastoUnexpectedError) return { status: 'unreadable' };
      throw error;
    }
  };

  it('says whose token it is and what the instance allows', async () => {
    await start();

    const account = await client.v1.accounts.verifyCredentials();
    const instance = await client.v2.instance.fetch();

    expect(account).toMatchObject({ id: accountId, acct: 'bot' });
    expect(instance.configuration.statuses).toMatchObject({
      maxCharacters: 500,
      charactersReservedPerUrl: 23,
    });
  });

  it('posts a status with its picture once that is processed', async () => {
    await start();
    fake.questionsPerMedia = 1;

    const media = await client.v2.media.create({
      file: new Blob([smallPng], { type: 'image/png' }),
      description: 'A queue',
    });
    const status = await client.v1.statuses.create({
      status: 'Read https://news.test/a?x=1&y=2',
      mediaIds: [media.id],
      language: 'de',
      spoilerText: 'News',
      visibility: 'unlisted',
    });

    expect(status).toMatchObject({ language: 'de', spoilerText: 'News', visibility: 'unlisted' });
    expect(status.content).toContain('href="https://news.test/a?x=1&amp;y=2"');
    expect([...fake.media.values()]).toMatchObject([
      { bytes: smallPng, description: 'A queue', mediaType: 'image/png' },
    ]);
    expect(fake.statuses).toMatchObject([{ mediaIds: [media.id] }]);
  });

  it('lists what was posted, newest first, page by page', async () => {
    await start();
    for (let count = 0; count < 45; count += 1) fake.add({ text: `Number ${count}` });
    fake.add({ isBoost: true });

    const pages = client.v1.accounts.$select(accountId).statuses.list({ limit: 40, excludeReblogs: true });
    const read: string[][] = [];
    for await (const page of pages) read.push(page.map(({ content }) => content));

    expect(read.map(page => page.length)).toEqual([40, 5]);
    expect(read[0]?.[0]).toBe('<p>Number 44</p>');
    expect(read[1]?.at(-1)).toBe('<p>Number 0</p>');
  });

  it('makes one post of a key for an hour', async () => {
    let now = new Date('2026-09-07T08:00:00Z');
    await start({ now: () => now });

    const first = await post('Once', 'k');
    now = new Date('2026-09-07T08:59:59Z');
    const second = await post('Once', 'k');
    now = new Date('2026-09-07T09:00:00Z');
    const third = await post('Once', 'k');

    expect(second.id).toBe(first.id);
    expect(third.id).not.toBe(first.id);
  });

  it('keeps no refusal under a key', async () => {
    await start();
    fake.refusal = { status: 500, error: 'Oops' };

    const refused = await refusal(post('Again', 'k'));
    fake.refusal = null;
    await post('Again', 'k');

    expect(refused).toMatchObject({ status: 500 });
    expect(fake.posts()).toHaveLength(1);
  });

  it('keeps a refusal under a key too, as Pleroma', async () => {
    await start({ flavour: 'pleroma' });
    fake.refusal = { status: 422, error: 'Oops' };

    await refusal(post('Again', 'k'));
    fake.refusal = null;
    const again = await refusal(post('Again', 'k'));
    await post('Again', 'another');

    expect(again).toMatchObject({ status: 422, message: 'Oops' });
    expect(fake.posts()).toHaveLength(1);
  });

  it.each(['gotosocial', 'snac', 'friendica'] as const)('posts twice under one key, as %s', async flavour => {
    await start({ flavour });

    await post('Twice', 'k');
    await post('Twice', 'k');

    expect(fake.posts()).toHaveLength(2);
  });

  it('turns no pages and lists no followers-only posts, as snac', async () => {
    await start({ flavour: 'snac' });
    for (let count = 0; count < 50; count += 1) fake.add({ text: `Number ${count}` });
    await client.v1.statuses.create({ status: 'For friends', visibility: 'private' });

    const page = await client.v1.accounts.$select(accountId).statuses.list({ limit: 40 });
    const instance = await refusal(client.v2.instance.fetch());

    expect(page).toHaveLength(50);
    expect(instance).toEqual({ status: 'unreadable' });
  });

  it.each([
    ['mastodon', 401, 401],
    ['pleroma', 403, 403],
    ['gotosocial', 401, 401],
    ['snac', 'unreadable', 'unreadable'],
    ['friendica', 401, 401],
  ] as const)(
    'refuses a token that it does not know, as %s, but lists what is public',
    async (flavour, onVerify, onPost) => {
      await start({ flavour });
      fake.add({ text: 'Public' });
      fake.add({ text: 'For friends', visibility: 'private' });
      fake.token = 'another';

      const verified = await refusal(client.v1.accounts.verifyCredentials());
      const posted = await refusal(post('Never'));
      const listed = await client.v1.accounts.$select(accountId).statuses.list();

      expect(verified).toMatchObject({ status: onVerify });
      expect(posted).toMatchObject({ status: onPost });
      expect(listed.map(({ content }) => content)).toEqual(['<p>Public</p>']);
    },
  );

  it.each([
    ['x'.repeat(501), 'Validation failed: Text character limit of 500 exceeded'],
    ['', "Validation failed: Text can't be blank"],
  ])('refuses %.5o', async (status, message) => {
    await start();

    expect(await refusal(post(status))).toMatchObject({ status: 422, message });
  });

  it('counts a link as 23 characters', async () => {
    await start();

    const status = await post(`${'x'.repeat(476)} https://news.example/${'a'.repeat(400)}`);

    expect(status.id).toBe(fake.posts()[0]);
  });

  it('refuses a picture that it does not know, and one that is not processed', async () => {
    await start();
    fake.questionsPerMedia = 100;
    const media = await client.v2.media.create({
      file: new Blob([smallPng], { type: 'image/png' }),
      skipPolling: true,
    });

    const unknown = await refusal(client.v1.statuses.create({ status: 'x', mediaIds: ['404'] }));
    const early = await refusal(client.v1.statuses.create({ status: 'x', mediaIds: [media.id] }));

    expect(unknown).toMatchObject({ status: 422, message: expect.stringContaining('not found') });
    expect(early).toMatchObject({ status: 422, message: expect.stringContaining('finished processing') });
  });

  it('refuses what the token has no scope for', async () => {
    await start();
    fake.scopes = ['read'];

    expect(await refusal(post('Never'))).toMatchObject({ status: 403 });
  });

  it('says 429 to one request too many', async () => {
    await start();
    fake.limitedUntil = new Date('2026-09-07T09:00:00Z');

    expect(await refusal(client.v1.accounts.verifyCredentials())).toMatchObject({ status: 429 });
  });
});
