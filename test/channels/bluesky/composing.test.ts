import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Post } from '../../../src/channels/Channel.ts';
import { examplePost } from '../../support/examplePost.ts';
import { jsonAnswer } from '../../support/protocolFake.ts';
import { smallPng } from '../openChannel.ts';
import { type OpenBluesky, openBluesky } from './openBluesky.ts';

let open: OpenBluesky;

beforeEach(async () => {
  open = await openBluesky();
});

afterEach(() => open.server.close());

const pngCid = 'bafkreidlp6sdj6jkroakvmbntpy2clsj77foijheae5byt3iwz7d2k542a';
const blob = { $type: 'blob', ref: { $link: pngCid }, mimeType: 'image/png', size: 70 };
const url = 'https://news.test/a/1?x=1';

type Composing = { settings?: Record<string, unknown>; picture?: Buffer | null };

async function composed(post: Partial<Post>, { settings, ...picture }: Composing = {}) {
  const answer = await open.user(settings, picture).tryToCompose(examplePost(post));
  if (answer.kind !== 'composed') throw new Error(`not composed: ${JSON.stringify(answer)}`);
  return { ...Object(answer.composed), notes: answer.notes };
}

const recordOf = async (post: Partial<Post>, composing?: Composing) =>
  (await composed(post, composing)).record;

describe('the record of a post', () => {
  it('has the link on a card, with the picture', async () => {
    const { record, key, notes } = await composed({ text: 'New: #queues go on' });

    expect(record).toEqual({
      $type: 'app.bsky.feed.post',
      text: 'New: #queues go on',
      facets: [
        {
          index: { byteStart: 5, byteEnd: 12 },
          features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'queues' }],
        },
      ],
      langs: ['en'],
      embed: {
        $type: 'app.bsky.embed.external',
        external: { uri: url, title: 'The queue makes headway', description: 'How it does.', thumb: blob },
      },
      // When it was composed: an article that waited is posted as of now.
      createdAt: '2026-09-07T08:30:01.000Z',
    });
    expect(key).toBe('3muw2n4c64e5r');
    expect(notes).toEqual([]);
  });

  it('has the link at the end of the text, and the picture of its own', async () => {
    const record = await recordOf({ text: 'Read this' }, { settings: { link: 'text' } });

    expect(record).toMatchObject({
      text: `Read this\n\n${url}`,
      facets: [{ index: { byteStart: 11, byteEnd: 36 }, features: [{ uri: url }] }],
      embed: { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: 'A queue that moves.' }] },
    });
  });

  it('has the link in both, once in the text', async () => {
    const record = await recordOf({ text: `${url} is new` }, { settings: { link: 'both' } });

    expect(record).toMatchObject({ text: `${url} is new`, embed: { external: { uri: url } } });
  });

  it('has a link that is too long for the text on a card', async () => {
    const long = `https://news.test/${'a'.repeat(300)}`;

    const { record, notes } = await composed({ text: 'Read', url: long }, { settings: { link: 'text' } });

    expect(record).toMatchObject({ text: 'Read', embed: { external: { uri: long } } });
    expect(notes).toEqual(['the link is too long for the text: it is on the card']);
  });

  it('shows the picture of an article without a link, and says so little of one that nobody described', async () => {
    const described = await recordOf({ url: null });
    const not = await recordOf({ url: null, imageAlt: null });

    expect(described.embed).toMatchObject({ images: [{ image: blob, alt: 'A queue that moves.' }] });
    expect(not.embed).toMatchObject({ images: [{ image: blob, alt: '' }] });
  });

  it('has nothing below the text of an article without a link and a picture', async () => {
    expect(await recordOf({ url: null, imageUrl: null })).not.toHaveProperty('embed');
  });

  it.each([
    ['de-AT', 'de-AT'],
    ['en_US', 'en-US'],
    ['english', undefined],
    ['x', undefined],
    ['de-', undefined],
    [null, undefined],
  ])('takes the language %s of a feed for %s', async (language, expected) => {
    expect((await recordOf({ language })).langs?.[0]).toBe(expected);
  });

  it("has the channel's language and labels", async () => {
    const settings = { language: 'de', labels: ['nudity', 'graphic-media'] };

    const record = await recordOf({}, { settings });

    expect(record.langs).toEqual(['de']);
    expect(record.labels.values).toEqual([{ val: 'nudity' }, { val: 'graphic-media' }]);
  });
});

describe('the limits of a post', () => {
  const family = '👩‍👩‍👧';

  it.each<[string, string, boolean]>([
    ['300 letters', 'é'.repeat(300), false],
    ['301 letters', 'é'.repeat(301), true],
    ['3,000 bytes', `${family.repeat(166)}${'x'.repeat(12)}`, false],
    ['3,001 bytes', `${family.repeat(166)}${'x'.repeat(13)}`, true],
  ])('cuts a text of %s or not', async (_name, text, isCut) => {
    const { record, notes } = await composed({ text });
    const outcome = await open.user().publish(examplePost({ text }));

    expect(record.text !== text).toBe(isCut);
    expect(notes.includes('the text was cut')).toBe(isCut);
    // The fake counts for itself, as the real one does.
    expect(outcome.kind).toBe('succeeded');
  });

  it('cuts at a word, and never the link in it', async () => {
    const { text } = await recordOf({ text: `${'Headway '.repeat(60)}${url} and more` });

    expect(text).toMatch(/^(Headway )+Headway… https:\/\/news\.test\/a\/1\?x=1$/);
  });

  it('takes a picture of a million bytes, and goes without one that is larger', async () => {
    const padded = (size: number) => Buffer.concat([smallPng, Buffer.alloc(size - smallPng.length)]);

    const taken = await composed({}, { picture: padded(1_000_000) });
    const without = await composed({}, { picture: padded(1_000_001) });

    expect(taken.record.embed.external.thumb.size).toBe(1_000_000);
    expect(without.record.embed.external).not.toHaveProperty('thumb');
    expect(without.notes).toEqual(['without its picture: it is too large']);
  });
});

describe('a picture that cannot be had', () => {
  const refuseUpload = (status: number, body: unknown, headers = {}) =>
    open.server.plan({
      when: 'before',
      behaviour: jsonAnswer(status, body, headers),
      on: ({ path }) => path.endsWith('uploadBlob'),
    });

  it.each([413, 400, 403, 404, 415, 500])(
    'costs itself where the upload is answered with %i',
    async status => {
      refuseUpload(status, { error: 'InvalidRequest', message: 'its words' });

      const { record, notes } = await composed({});

      expect(record.embed.external).not.toHaveProperty('thumb');
      expect(notes).toEqual([expect.stringContaining('its words')]);
    },
  );

  it.each<[string, number, unknown, Record<string, unknown>]>([
    ['a limit', 429, {}, { kind: 'throttled', scope: 'account', code: 'rate_limited' }],
    ['a token', 400, { error: 'ExpiredToken' }, { kind: 'blocked', code: 'unauthorized', isGone: false }],
    ['the account', 401, { error: 'AccountTakedown' }, { kind: 'blocked', code: 'forbidden', isGone: true }],
  ])('is told from a refusal that is about %s', async (_name, status, body, expected) => {
    refuseUpload(status, body);

    expect(await open.user().tryToCompose(examplePost())).toMatchObject(expected);
  });

  it.each<[string, Partial<Post>, Composing]>([
    ['it cannot be fetched', {}, { picture: null }],
    ['the article has none', { imageUrl: null }, {}],
  ])('fails the article alone where one is required and %s', async (_name, post, picture) => {
    const user = open.user({ image: 'required' }, picture);

    const outcome = await user.publish(examplePost(post));

    expect(outcome).toMatchObject({
      ...{ kind: 'failed', code: 'image_unavailable' },
      ...{ blames: 'article', isFinal: false },
    });
  });

  it('is not asked for where none is wanted', async () => {
    const { record } = await composed({}, { settings: { image: 'off' } });

    expect(record.embed.external).not.toHaveProperty('thumb');
    expect(open.server.receiver.requests.filter(({ path }) => path.endsWith('uploadBlob'))).toEqual([]);
  });
});
