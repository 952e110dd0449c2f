import { describe, expect, it } from 'vitest';
import { mastodon } from '../../src/channels/mastodon.ts';
import { examplePost } from '../support/examplePost.ts';
import type { Behaviour } from '../support/fakeReceiver.ts';
import { openMastodon } from './mastodon/openMastodon.ts';
import { sendingAt } from './openChannel.ts';

const url = 'https://www.example.com/a/1?x=1';

describe('what mastodon posts', () => {
  it('posts the text with its link, as its settings say', async () => {
    const settings = { visibility: 'unlisted', contentWarning: ' News ', sensitive: true };
    const { fake, user } = await openMastodon({ settings });

    await user.publish(examplePost({ text: 'The queue moves.', url }));

    expect(fake.statuses).toMatchObject([
      { text: `The queue moves.\n\n${url}`, visibility: 'unlisted', spoilerText: 'News', sensitive: true },
    ]);
  });

  it('does not repeat a link that the text holds', async () => {
    const { fake, user } = await openMastodon();

    await user.publish(examplePost({ text: `Read ${url} now.`, url }));

    expect(fake.statuses[0]?.text).toBe(`Read ${url} now.`);
  });

  it('fills the limit exactly, where a link counts 23', async () => {
    const { fake, user } = await openMastodon();
    const text = 'x'.repeat(500 - 23 - 2);

    await user.publish(examplePost({ text, url }));

    expect(fake.statuses[0]?.text).toBe(`${text}\n\n${url}`);
  });

  it.each([
    ['one above the limit', 'mastodon', {}, 500 - 23 - 2 + 1],
    ['by the length of the content warning', 'mastodon', { contentWarning: 'x' }, 500 - 23 - 2],
    ['where links count in full', 'pleroma', {}, 5_000 - 2 - 23],
  ] as const)('cuts the text %s, and never the link', async (_name, flavour, settings, length) => {
    const { fake, user } = await openMastodon({ flavour, settings });

    const outcome = await user.publish(examplePost({ text: `word ${'x'.repeat(length - 5)}`, url }));

    expect(outcome.kind).toBe('succeeded');
    expect(fake.statuses[0]?.text).toMatch(/^word x+…\n\nhttps:\/\/www\.example\.com\/a\/1\?x=1$/);
  });

  it('notes that it cut the text', async () => {
    const { user } = await openMastodon();

    const answer = await user.tryToCompose(examplePost({ text: 'word '.repeat(200) }));

    expect(answer).toMatchObject({ kind: 'composed', notes: ['the text was cut'] });
  });

  it('fails with an article whose link is longer than a post may be', async () => {
    const { fake, user } = await openMastodon({ flavour: 'pleroma', traits: { maxCharacters: 100 } });

    const outcome = await user.publish(examplePost({ url: `https://www.example.com/${'a'.repeat(100)}` }));

    expect(outcome).toMatchObject({ kind: 'failed', code: 'too_long', blames: 'article', isFinal: false });
    expect(fake.posts()).toEqual([]);
  });

  it('posts no empty status, which snac would take', async () => {
    const { fake, user } = await openMastodon({ flavour: 'snac' });

    const outcome = await user.publish(examplePost({ text: ' ', url: null }));

    expect(outcome).toMatchObject({ kind: 'failed', code: 'invalid_post', isFinal: true });
    expect(fake.posts()).toEqual([]);
  });

  it.each([
    ['de-AT', 'de'],
    ['EN_us', 'en'],
    ['English', 'fr'],
    [null, 'fr'],
  ])('says that the language %o is %o', async (language, expected) => {
    const { fake, user } = await openMastodon({ settings: { language: 'fr-CA' } });

    await user.publish(examplePost({ language }));

    expect(fake.statuses).toMatchObject([{ language: expected }]);
  });

  it('leaves the language to the account where neither the feed nor a setting says it', async () => {
    const { fake, user } = await openMastodon();

    await user.publish(examplePost({ language: null }));

    expect(fake.statuses).toMatchObject([{ language: null }]);
  });

  it('sends exactly what was composed', async () => {
    const { open, user } = await openMastodon();
    const composed = await user.compose(examplePost());

    await user.send(composed);
    await user.send(composed);

    const [first, second] = open.sent();
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });
});

describe('what mastodon makes of answers', () => {
  it('names the post by its id and address', async () => {
    const { open, fake, user } = await openMastodon();

    const outcome = await user.publish(examplePost());

    const [id] = fake.posts();
    expect(outcome).toEqual({ kind: 'succeeded', remoteId: id, remoteUrl: `${open.url}/@bot/${id}` });
  });

  it('uploads a picture anew that is gone since', async () => {
    const { fake, user } = await openMastodon();
    const composed = await user.compose(examplePost());
    fake.forgetMedia();

    const first = await user.send(composed);
    const second = await user.publish(examplePost());

    expect(first).toMatchObject({
      kind: 'failed',
      code: 'image_unavailable',
      blames: 'article',
      isFinal: false,
    });
    expect(second.kind).toBe('succeeded');
    expect(fake.media.size).toBe(1);
  });

  it('calls no refusal final that an earlier request got under its key', async () => {
    const { open, user } = await openMastodon();
    const words = JSON.stringify({ error: 'Validation failed' });
    const headers = { 'Idempotent-Replayed': 'true' };
    const composed = await user.compose(examplePost());
    open.plan({ when: 'before', behaviour: { kind: 'answer', status: 422, headers, body: words } });

    const outcome = await user.send(composed);

    expect(outcome).toMatchObject({ kind: 'failed', isFinal: false, blames: 'channel' });
  });

  // snac's errors are empty, or pages.
  it.each<[number, string, object]>([
    [400, '', { kind: 'failed', code: 'rejected', detail: 'HTTP 400' }],
    [401, '<h1>401 Unauthorized</h1>', { kind: 'blocked', scope: 'account', code: 'unauthorized' }],
    [403, '<p>disabled</p>', { kind: 'blocked', scope: 'channel', code: 'forbidden' }],
    [
      404,
      '<h1>404</h1>',
      { kind: 'blocked', scope: 'channel', code: 'not_found', detail: 'HTTP 404: <h1>404</h1>' },
    ],
    [500, '', { kind: 'unknown', code: 'server_error', detail: 'HTTP 500' }],
  ])('tells a %i without words of the API: %o', async (status, body, expected) => {
    const { open, user } = await openMastodon({ flavour: 'snac' });
    const composed = await user.compose(examplePost());
    open.plan({ when: 'before', behaviour: { kind: 'answer', status, body } });

    expect(await user.send(composed)).toMatchObject(expected);
  });

  it.each<[string, string | undefined, string | null]>([
    ['a reset in the past', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z'],
    ['a reset in 55 years', '2081-09-07T08:30:01Z', '2081-09-07T08:30:01.000Z'],
    ['a reset that is none', '2026-99-99T00:00:00Z', null],
    ['no header', undefined, null],
  ])('holds the account after a 429 with %s, which its caller clamps', async (_name, reset, until) => {
    const { open, user } = await openMastodon();
    const composed = await user.compose(examplePost());
    const headers: Record<string, string> = reset === undefined ? {} : { 'X-RateLimit-Reset': reset };
    open.plan({ when: 'before', behaviour: { kind: 'answer', status: 429, headers } });

    const outcome = await user.send(composed);

    expect(outcome).toMatchObject({
      kind: 'throttled',
      scope: 'account',
      until: until === null ? null : new Date(until),
    });
  });

  it.each([['mastodon'], ['gotosocial']] as const)('reads until when %s allows no request', async flavour => {
    const { fake, user } = await openMastodon({ flavour });
    const composed = await user.compose(examplePost());
    fake.limitedUntil = new Date('2026-09-07T09:00:00Z');

    const outcome = await user.send(composed);

    expect(outcome).toMatchObject({ kind: 'throttled', scope: 'account', until: fake.limitedUntil });
  });

  it('gives the words of the instance', async () => {
    const { fake, user } = await openMastodon();
    fake.refusal = { status: 422, error: 'Validation failed: This word is not welcome' };

    const outcome = await user.publish(examplePost());

    expect(outcome).toMatchObject({
      kind: 'failed',
      isFinal: true,
      blames: 'article',
      detail: expect.stringContaining('This word is not welcome'),
    });
  });
});

describe("mastodon's settings and preview", () => {
  it.each([
    [{ visibility: 'direct' }, 'must be public, unlisted or private'],
    [{ contentWarning: ' ' }, 'must not be empty'],
    [{ sensitive: 'yes' }, 'must be true or false'],
    [{ duplicates: '2 weeks' }, 'must be off, or a number and a unit'],
    [{ image: 'always' }, 'must be optional, required or off'],
    [{ language: 'Deutsch!' }, 'must be a language tag'],
  ])('refuses %j', (settings, message) => {
    expect(mastodon.settings.safeParse(settings).error?.message).toContain(message);
  });

  it('has one destination for a name, however it is written', () => {
    const settings = mastodon.settings.parse({});
    const at = (username: string) =>
      mastodon.destination(settings, { instance: 'https://social.example', username });

    expect(at('Bot')).toEqual({ instance: 'https://social.example', target: '@bot' });
    expect(at('bot')).toEqual(at('Bot'));
  });

  it('counts the content warning', async () => {
    const { use } = await openMastodon();
    const user = use({ contentWarning: 'News' });
    await user.session();

    const { parts, notes } = user.preview(examplePost({ text: 'Read this', url }));

    expect(parts).toEqual([
      { name: 'warning', text: 'News', count: null },
      {
        name: 'text',
        text: `Read this\n\n${url}`,
        count: { length: 4 + 9 + 2 + 23, limit: 500, unit: 'characters' },
      },
    ]);
    expect(notes).toEqual([]);
  });

  it('uses the limits of the instance once they are known', async () => {
    const { user } = await openMastodon({ flavour: 'gotosocial' });
    const post = examplePost({ text: 'word '.repeat(200) });

    const before = user.preview(post);
    await user.session();
    const after = user.preview(post);

    expect(before.notes).toEqual([expect.stringContaining("Mastodon's own limits"), 'the text was cut']);
    expect(after).toMatchObject({ parts: [{ count: { limit: 5_000 } }], notes: [] });
  });
});

describe('lost answers of the Mastodon family', () => {
  const lost: Behaviour = { kind: 'reset' };

  it.each(['mastodon', 'pleroma', 'gotosocial', 'snac', 'friendica'] as const)(
    'finds the post on %s, and what it had before is proven not to be it',
    async flavour => {
      const { fake, open, user } = await openMastodon({ flavour });
      fake.add({ text: `The same an hour ago ${url}`, createdAt: new Date(sendingAt.getTime() - 3_600_000) });
      const composed = await user.compose(examplePost({ url }));

      const before = await user.lookUp(composed);
      open.plan({ when: 'after', behaviour: lost });
      const outcome = await user.send(composed);
      const after = await user.lookUp(composed);

      expect(before).toEqual({ kind: 'not_found' });
      expect(outcome.kind).toBe('unknown');
      expect(after).toMatchObject({ kind: 'found', remoteId: fake.posts()[1] });
    },
  );
});
