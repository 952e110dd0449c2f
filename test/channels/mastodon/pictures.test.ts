import { describe, expect, it } from 'vitest';
import { uploadPicture } from '../../../src/channels/mastodon/uploadPicture.ts';
import { createSendRequest } from '../../../src/channels/sendRequest.ts';
import { standingClock } from '../../../src/clock.ts';
import { createAddressGuard } from '../../../src/network/addressGuard.ts';
import { examplePost } from '../../support/examplePost.ts';
import type { Behaviour, ReceivedRequest } from '../../support/fakeReceiver.ts';
import { sendBy, sendingAt, smallPng } from '../openChannel.ts';
import { openMastodon, token } from './openMastodon.ts';

const isUpload = ({ method, path }: ReceivedRequest) => method === 'POST' && path.endsWith('/media');
const answer = (status: number, body = '', headers: Record<string, string> = {}): Behaviour => ({
  kind: 'answer',
  status,
  headers,
  body,
});

describe("mastodon's pictures", () => {
  it('uploads the picture with what it shows, and posts it', async () => {
    const { fake, user } = await openMastodon();

    await user.publish(examplePost({ imageAlt: 'A queue "that" moves.\n' }));

    const [stored] = [...fake.media.values()];
    expect(stored).toMatchObject({
      bytes: smallPng,
      mediaType: 'image/png',
      description: 'A queue "that" moves.\n',
    });
    expect(fake.statuses).toMatchObject([{ mediaIds: [stored?.id] }]);
  });

  it.each([
    ['the title where nothing says what it shows', { imageAlt: null, title: 'A title' }, 'A title'],
    ['no more than 1500 characters', { imageAlt: '🐘'.repeat(1_501) }, '🐘'.repeat(1_500)],
  ])('describes it by %s', async (_name, changes, description) => {
    const { fake, user } = await openMastodon();

    await user.publish(examplePost(changes));

    expect([...fake.media.values()]).toMatchObject([{ description }]);
  });

  it('gives each publication a file of its own name, which is its id on snac', async () => {
    const { fake, user } = await openMastodon({ flavour: 'snac' });

    await user.publish(examplePost());
    await user.publish(examplePost({ postKey: '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a' }));

    expect(fake.media.size).toBe(2);
  });

  it('uploads by the older way where the newer does not exist', async () => {
    const { fake, open, user } = await openMastodon();
    open.plan({ when: 'before', behaviour: answer(404), on: ({ path }) => path === '/api/v2/media' });

    await user.publish(examplePost());

    expect(fake.statuses).toMatchObject([{ mediaIds: [expect.any(String)] }]);
  });

  it('waits until it is processed', async () => {
    const { fake, user } = await openMastodon();
    fake.questionsPerMedia = 1;

    const outcome = await user.publish(examplePost());

    expect(outcome.kind).toBe('succeeded');
    expect(fake.statuses).toMatchObject([{ mediaIds: [expect.any(String)] }]);
  });

  it('sends none where pictures are off or there is none', async () => {
    const { fake, use } = await openMastodon();

    await use({ image: 'off' }).publish(examplePost());
    await use().publish(examplePost({ imageUrl: null, postKey: '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a' }));

    expect(fake.media.size).toBe(0);
    expect(fake.posts()).toHaveLength(2);
  });

  describe.each<[string, Behaviour]>([
    ['is too large', answer(413, '<html>413 Request Entity Too Large</html>')],
    ['is refused', answer(422, '{"error":"Validation failed: File content type is invalid"}')],
    ['breaks the server', answer(500, '{"error":"Error processing thumbnail for uploaded media"}')],
    ['gets a page for an answer', answer(200, '<html>')],
    ['ends the connection', { kind: 'reset' }],
    [
      'needs a scope that the token lacks',
      answer(403, '{"error":"This action is outside the authorized scopes"}'),
    ],
  ])('where the upload %s', (_name, behaviour) => {
    it('posts without it and says so', async () => {
      const { fake, open, user } = await openMastodon();
      open.plan({ when: 'before', behaviour, on: isUpload });

      const composed = await user.tryToCompose(examplePost());
      const outcome = await user.publish(examplePost());

      expect(composed).toMatchObject({
        notes: [expect.stringContaining('without its picture: it was not taken')],
      });
      expect(outcome.kind).toBe('succeeded');
      expect(fake.statuses).toMatchObject([{ mediaIds: [] }]);
    });

    it('fails with the article where it is required', async () => {
      const { open, user, fake } = await openMastodon({ settings: { image: 'required' } });
      open.plan({ when: 'before', behaviour, on: isUpload });

      const outcome = await user.publish(examplePost());

      expect(outcome).toMatchObject({
        kind: 'failed',
        code: 'image_unavailable',
        blames: 'article',
        isFinal: false,
      });
      expect(fake.posts()).toEqual([]);
    });
  });

  it.each<[string, Behaviour, object]>([
    [
      'a 429 without headers',
      answer(429),
      { kind: 'throttled', scope: 'account', code: 'rate_limited', until: null },
    ],
    [
      'too much load',
      answer(503, '', { 'Retry-After': '30' }),
      { kind: 'throttled', scope: 'account', until: new Date('2026-09-07T08:30:31Z') },
    ],
    ['a revoked token', answer(401), { kind: 'blocked', scope: 'account', code: 'unauthorized' }],
  ])('is not blamed for %s', async (_name, behaviour, expected) => {
    const { open, user } = await openMastodon();
    open.plan({ when: 'before', behaviour, on: isUpload });

    expect(await user.publish(examplePost())).toMatchObject(expected);
  });

  it.each([
    ['that cannot be had', { picture: null }, 'HTTP 404'],
    [
      'of a type that the instance does not take',
      { mediaTypes: ['image/jpeg'] },
      'the instance takes no image/png',
    ],
    ['larger than the instance takes', { imageBytes: 10 }, 'it is too large'],
    ['where it allows none', { attachments: 0 }, 'the instance allows no pictures'],
  ])(
    'leaves out one %s',
    async (_name, { picture, mediaTypes, imageBytes, attachments }: Shortage, detail) => {
      const { open, user, fake } = await openMastodon(picture === null ? { picture } : {});
      const configuration = {
        statuses: { max_media_attachments: attachments },
        media_attachments: { supported_mime_types: mediaTypes, image_size_limit: imageBytes },
      };
      const on = ({ path }: ReceivedRequest) => path === '/api/v2/instance';
      open.plan({ when: 'before', behaviour: answer(200, JSON.stringify({ configuration })), on });

      const composed = await user.tryToCompose(examplePost());

      expect(composed).toMatchObject({ kind: 'composed', notes: [`without its picture: ${detail}`] });
      expect(fake.media.size).toBe(0);
    },
  );
});

type Shortage = { picture?: null; mediaTypes?: string[]; imageBytes?: number; attachments?: number };

describe('uploadPicture', () => {
  const picture = { bytes: smallPng, mediaType: 'image/png', name: 'a', description: 'A queue' };
  const apiAt = (instance: string, signal: AbortSignal) => ({
    instance,
    token,
    now: sendingAt,
    send: createSendRequest({
      guard: createAddressGuard(['127.0.0.1']),
      clock: standingClock(sendingAt),
      sendBy,
      userAgent: 'Headway/test',
      limits: { sendConnectMs: 200, sendAnswerMs: 300 },
      signal,
    }),
  });
  const { signal } = new AbortController();

  it('gives up a picture that the server does not finish in time', async () => {
    const { fake, open, asked } = await openMastodon();
    fake.questionsPerMedia = 100;

    const uploaded = await uploadPicture(apiAt(open.url, signal), picture, {
      signal,
      pollDelaysMs: [1, 1, 1],
    });

    expect(uploaded).toMatchObject({ kind: 'unusable' });
    expect(asked('GET /api/v1/media/')).toHaveLength(3);
  });

  it('goes on asking after a fault', async () => {
    const { fake, open } = await openMastodon();
    fake.questionsPerMedia = 1;
    const isQuestion = ({ method, path }: ReceivedRequest) =>
      method === 'GET' && path.startsWith('/api/v1/media/');
    open.plan(
      { when: 'before', behaviour: answer(502), on: isQuestion, times: 1 },
      { when: 'before', behaviour: { kind: 'reset' }, on: isQuestion, times: 1 },
    );

    const uploaded = await uploadPicture(apiAt(open.url, signal), picture, {
      signal,
      pollDelaysMs: [1, 1, 1],
    });

    expect(uploaded).toMatchObject({ kind: 'uploaded' });
  });

  it.each([
    ['could not be processed', answer(422, '{"error":"Error"}'), { kind: 'unusable' }],
    ['is gone', answer(404), { kind: 'unusable' }],
    ['is asked for too often', answer(429), { kind: 'refused', refusal: { kind: 'throttled' } }],
  ])('tells when it %s meanwhile', async (_name, behaviour, expected) => {
    const { fake, open } = await openMastodon();
    fake.questionsPerMedia = 100;
    open.plan({
      when: 'before',
      behaviour,
      on: ({ method, path }) => method === 'GET' && path.includes('/media/'),
    });

    const uploaded = await uploadPicture(apiAt(open.url, signal), picture, { signal, pollDelaysMs: [1] });

    expect(uploaded).toMatchObject(expected);
  });

  it('is given back when it is aborted while it waits', async () => {
    const { fake, open } = await openMastodon();
    fake.questionsPerMedia = 100;
    const abort = new AbortController();

    const uploading = uploadPicture(apiAt(open.url, abort.signal), picture, {
      signal: abort.signal,
      pollDelaysMs: [60_000],
    });
    await open.receiver.closed(1);
    abort.abort();

    expect(await uploading).toMatchObject({
      kind: 'refused',
      refusal: { kind: 'not_sent', code: 'aborted' },
    });
  });

  it('is a plain failure without a connection', async () => {
    const { open } = await openMastodon();
    const api = apiAt(open.url.replace('http:', 'https:'), signal);

    const uploaded = await uploadPicture(api, picture, { signal });

    expect(uploaded).toMatchObject({ kind: 'refused', refusal: { kind: 'failed', blames: 'channel' } });
  });
});
