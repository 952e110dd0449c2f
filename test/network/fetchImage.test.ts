import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { createGuardedFetch } from '../../src/network/createGuardedFetch.ts';
import { createFetchImage, imageType } from '../../src/network/fetchImage.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';

const guard = createAddressGuard(['127.0.0.1']);
const fetch = createGuardedFetch({ guard, userAgent: 'Headway/test' });
const fetchImage = createFetchImage(fetch);
const { signal } = new AbortController();
const maxBytes = 1_000;

const bytesOf = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const png = bytesOf('\x89PNG\r\n\x1a\n', Array(50).fill(7));
const ftyp = (major: string, ...compatible: string[]) =>
  bytesOf([0, 0, 0, 16 + 4 * compatible.length], 'ftyp', major, [0, 0, 0, 0], ...compatible, 'mdat…avif');

let receiver: FakeReceiver;

beforeEach(async () => {
  receiver = await openFakeReceiver();
});

afterEach(() => receiver.close());

const fetchFrom = (path = '/a.png', limits = {}) =>
  fetchImage(`${receiver.url}${path}`, { maxBytes, signal, ...limits });

const answer = (status: number, body: Buffer | string, headers = {}): Behaviour => ({
  kind: 'answer',
  status,
  body,
  headers,
});

describe('a picture', () => {
  it.each([
    ['named as what it is', 'image/png'],
    ['named as text', 'text/html; charset=utf-8'],
    ['named as another one', 'image/jpeg'],
  ])('is one by its own bytes: %s', async (_, type) => {
    receiver.behave(answer(200, png, { 'Content-Type': type }));

    expect(await fetchFrom()).toEqual({ kind: 'image', bytes: png, mediaType: 'image/png' });
    expect(receiver.requests[0]?.headers).toMatchObject({ accept: 'image/*', 'user-agent': 'Headway/test' });
  });

  it('may be as large as is allowed, and no larger', async () => {
    receiver.behave(answer(200, png));

    expect(await fetchFrom('/', { maxBytes: png.length })).toMatchObject({ kind: 'image' });
    expect(await fetchFrom('/', { maxBytes: png.length - 1 })).toEqual({
      kind: 'unavailable',
      detail: `too_large: more than ${png.length - 1} bytes`,
    });
  });

  it('is followed to where it has moved', async () => {
    receiver.behave(({ path }) =>
      path === '/moved.png' ? answer(200, png) : answer(302, '', { Location: '/moved.png' }),
    );

    expect(await fetchFrom()).toMatchObject({ kind: 'image' });
  });
});

describe('what is no picture', () => {
  it.each<[string, Behaviour, RegExp]>([
    ['a missing one', answer(404, 'Not Found'), /^HTTP 404$/],
    ['one that is gone', answer(410, png), /^HTTP 410$/],
    ['one that its server finds too large', answer(413, ''), /^HTTP 413$/],
    ['one that its server limits', answer(429, '', { 'Retry-After': '60' }), /^HTTP 429$/],
    ['one behind a login', answer(401, '', { 'WWW-Authenticate': 'Basic' }), /^HTTP 401$/],
    ['an error', answer(500, png), /^HTTP 500$/],
    ['a part of one', answer(206, png), /^HTTP 206$/],
    ['nothing', answer(200, ''), /^it is no picture$/],
    ['no content', answer(204, ''), /^HTTP 204$/],
    [
      'a page that calls itself one',
      answer(200, '<!doctype html><title>Not found</title>', { 'Content-Type': 'image/png' }),
      /^it is no picture$/,
    ],
    ['SVG', answer(200, '<svg xmlns="http://www.w3.org/2000/svg"/>'), /^it is no picture$/],
    [
      'a redirect to a private address',
      answer(302, '', { Location: 'http://10.0.0.1/a.png' }),
      /^address_refused: /,
    ],
    [
      'a redirect to the metadata service',
      answer(302, '', { Location: 'http://169.254.169.254/' }),
      /^address_refused: /,
    ],
    ['a redirect to a file', answer(302, '', { Location: 'file:///etc/passwd' }), /^invalid_url: /],
    ['a redirect without end', answer(302, '', { Location: '/again' }), /^too_many_redirects: /],
    ['a cut one', { kind: 'cut_answer', status: 200 }, /^(connection_reset|unreadable_answer): /],
    ['a lost connection', { kind: 'reset' }, /^connection_reset: /],
    ['no HTTP', { kind: 'garbage' }, /^unreadable_answer: /],
    [
      'a length that is too large',
      answer(200, '', { 'Content-Length': '999999999' }),
      /^(too_large|connection_reset|unreadable_answer): /,
    ],
  ])('is unavailable, with a short reason: %s', async (_, behaviour, reason) => {
    receiver.behave(behaviour);

    const fetched = await fetchFrom();

    expect(fetched).toEqual({ kind: 'unavailable', detail: expect.stringMatching(reason) });
    expect(JSON.stringify(fetched).length).toBeLessThan(200);
  });

  it.each(['data:image/png;base64,iVBORw0KGgo=', 'ftp://pictures.example/a.png', 'not a url', ''])(
    'is unavailable at an address that is none: %s',
    async url => {
      expect(await fetchImage(url, { maxBytes, signal })).toMatchObject({
        kind: 'unavailable',
        detail: expect.stringMatching(/^invalid_url: /),
      });
    },
  );

  it('is a server that nobody reaches', async () => {
    const { url } = receiver;
    await receiver.close();

    const fetched = await fetchImage(`${url}/a.png`, { maxBytes, signal });

    receiver = await openFakeReceiver();
    expect(fetched).toMatchObject({ detail: expect.stringMatching(/^connection_refused: /) });
  });

  it('is one that comes too slowly', async () => {
    receiver.behave({ kind: 'drip' });

    const fetched = await createFetchImage(fetch, { timeoutMs: 100 })(receiver.url, {
      maxBytes: 10_000_000,
      signal,
    });

    expect(fetched).toEqual({ kind: 'unavailable', detail: expect.stringMatching(/^response_timeout: /) });
  });

  it('is one that is waited for no longer', async () => {
    receiver.behave({ kind: 'never_answer' });
    const stop = new AbortController();

    const fetching = fetchFrom('/', { signal: stop.signal });
    await receiver.received(1);
    stop.abort();

    expect(await fetching).toMatchObject({ detail: expect.stringMatching(/^aborted: /) });
  });
});

describe('imageType', () => {
  it.each([
    ['PNG', png, 'image/png'],
    ['JPEG (JFIF)', bytesOf([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
    ['JPEG (Exif)', bytesOf([0xff, 0xd8, 0xff, 0xe1]), 'image/jpeg'],
    ['JPEG (bare)', bytesOf([0xff, 0xd8, 0xff, 0xdb]), 'image/jpeg'],
    ['GIF of 1987', bytesOf('GIF87a', [1, 0]), 'image/gif'],
    ['GIF of 1989', bytesOf('GIF89a', [1, 0]), 'image/gif'],
    ['WebP', bytesOf('RIFF', [1, 2, 3, 4], 'WEBPVP8 '), 'image/webp'],
    ['AVIF', ftyp('avif', 'mif1', 'miaf'), 'image/avif'],
    ['AVIF that moves', ftyp('avis'), 'image/avif'],
    ['AVIF behind a brand of its family', ftyp('mif1', 'miaf', 'avif'), 'image/avif'],
    ['a sound', bytesOf('RIFF', [1, 2, 3, 4], 'WAVEfmt '), null],
    ['HEIC', ftyp('heic', 'mif1'), null],
    ['HEIC behind a brand of its family', ftyp('mif1', 'heic'), null],
    ['MP4', ftyp('isom', 'iso2', 'avc1'), null],
    ['a signature that is cut', png.subarray(0, 7), null],
    ['a page', bytesOf('<!doctype html>'), null],
    ['a bitmap', bytesOf('BM', [0, 0, 0, 0]), null],
    ['nothing', Buffer.alloc(0), null],
  ])('tells %s', (_, bytes, type) => {
    expect(imageType(bytes)).toBe(type);
  });
});
