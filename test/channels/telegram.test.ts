import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { telegram } from '../../src/channels/telegram.ts';
import { type FakeChat, type FakeTelegram, fakeTelegram } from '../fakes/telegram.ts';
import { examplePost } from '../support/examplePost.ts';
import type { Behaviour } from '../support/fakeReceiver.ts';
import { jsonAnswer, lostAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { type OpenOptions, openChannel, sendingAt } from './openChannel.ts';

const { token } = fakeTelegram();
const secret = token.slice(token.indexOf(':') + 1);
const chatId = -1001234567890;

let fake: FakeTelegram;
let open: OpenFake;

async function start(chats?: readonly FakeChat[]) {
  fake = fakeTelegram(chats === undefined ? {} : { chats });
  open = await openProtocolFake(fake);
}

beforeEach(() => start());
afterEach(() => open.close());

const use = (settings: Record<string, unknown> = {}, options: OpenOptions = {}) =>
  openChannel(
    { channel: telegram, secrets: [secret] },
    { settings: { target: '@news_channel', ...settings }, account: { token, instance: open.url } },
    options,
  );
const sent = () => fake.messages()[0];

describe('a Telegram message', () => {
  it('is text and link, with a card of the article, and says where it is', async () => {
    const outcome = await use().publish(examplePost({ text: 'Q&A: 1 < "2"' }));

    expect(sent()).toMatchObject({
      chat_id: '@news_channel',
      text: 'Q&amp;A: 1 &lt; &quot;2&quot;\nhttps://news.test/a/1?x=1',
      parse_mode: 'HTML',
      disable_notification: false,
      link_preview_options: { url: 'https://news.test/a/1?x=1' },
      read: 'Q&A: 1 < "2"\nhttps://news.test/a/1?x=1',
    });
    expect(outcome).toEqual({ kind: 'succeeded', remoteId: '1', remoteUrl: 'https://t.me/news_channel/1' });
  });

  it('may be silent and without a card', async () => {
    await use({ silent: true, preview: false, target: chatId }).publish(examplePost());

    expect(sent()).toMatchObject({
      chat_id: String(chatId),
      disable_notification: true,
      link_preview_options: { is_disabled: true },
    });
  });

  it.each([
    [4_096, '&'.repeat(4_096)],
    [4_096, '&'.repeat(4_097)],
    [4_095, `${'🦊'.repeat(2_047)} 🦊🦊`],
  ])('has %i characters at most as it is read (%#)', async (length, text) => {
    const outcome = await use().publish(examplePost({ text, url: null }));

    expect(outcome.kind).toBe('succeeded');
    expect(sent()?.read).toHaveLength(length);
  });

  it.each([
    [{ url: `https://news.test/${'a'.repeat(4_096)}` }, 'too_long'],
    [{ text: '  ', url: null }, 'invalid_post'],
  ])('that cannot be made fails for good', async (post, code) => {
    const outcome = await use().publish(examplePost(post));

    expect(outcome).toMatchObject({ kind: 'failed', code, isFinal: true, blames: 'article' });
  });

  it.each<[FakeChat['type'], number, string | undefined, string | null]>([
    ['channel', -1001234567890, undefined, 'https://t.me/c/1234567890/1'],
    ['supergroup', -1001234567890, 'a_group', 'https://t.me/a_group/1'],
    ['group', -4567, undefined, null],
    ['private', 4567, 'ada', null],
  ])('in a %s of id %i and name %s is at %s', async (type, id, username, remoteUrl) => {
    await open.close();
    const chat: FakeChat = { id, type, title: 'A chat', status: 'administrator', canPost: true };
    await start([username === undefined ? chat : { ...chat, username }]);

    const outcome = await use({ target: String(id) }).publish(examplePost());

    expect(outcome).toEqual({ kind: 'succeeded', remoteId: '1', remoteUrl });
  });
});

describe('the picture of a Telegram message', () => {
  const preview = () => sent()?.link_preview_options;
  const ownCard = { url: 'https://news.test/a/1?x=1' };
  const large = {
    url: 'https://news.test/a/1.png',
    prefer_large_media: true,
    show_above_text: true,
  };

  it.each([
    ['off', ownCard],
    ['optional', large],
    ['required', large],
  ])('is %s', async (image, expected) => {
    await use({ image }).publish(examplePost());

    expect(preview()).toEqual(expected);
  });

  it('that cannot be had costs itself, and is told about', async () => {
    const answer = await use({ image: 'optional' }, { picture: null }).tryToCompose(examplePost());

    expect(answer).toMatchObject({
      composed: { linkPreview: ownCard },
      notes: ['the picture cannot be had: HTTP 404'],
    });
  });

  it('is none where the article has none, and that is nothing to tell', async () => {
    const answer = await use({ image: 'optional' }).tryToCompose(examplePost({ imageUrl: null }));

    expect(answer).toMatchObject({ composed: { linkPreview: ownCard }, notes: [] });
  });

  it.each([
    [{}, null],
    [{ imageUrl: null }, undefined],
    [{ imageUrl: 'data:,x' }, undefined],
  ])('that is required and cannot be had fails the article (%#)', async (post, picture) => {
    const user = use({ image: 'required' }, picture === null ? { picture } : {});

    const outcome = await user.publish(examplePost(post));

    const expected = { kind: 'failed', code: 'image_unavailable', isFinal: false, blames: 'article' };
    expect(outcome).toMatchObject(expected);
    expect(fake.posts()).toEqual([]);
  });
});

describe('a Telegram account', () => {
  it('is asked once who it is, and not for each post', async () => {
    const user = use();

    await user.publish(examplePost());
    await user.publish(examplePost());

    const asked = open.receiver.requests.filter(({ path }) => path.endsWith('/getMe'));
    expect(asked).toHaveLength(1);
    expect(await user.session()).toEqual({ botId: 123456789, botUsername: 'news_bot' });
  });

  async function openSession() {
    const credentials = telegram.account?.credentials.parse({ token, instance: open.url });
    const user = use();
    const answer = await user.tryToCompose(examplePost());
    return { credentials, answer };
  }

  it.each<[string, Behaviour, Record<string, unknown>]>([
    [
      'a revoked token for good',
      jsonAnswer(401, { ok: false, error_code: 401, description: 'Unauthorized' }),
      { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true },
    ],
    [
      'a bad token for good',
      jsonAnswer(404, { ok: false, error_code: 404, description: 'Not Found' }),
      { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true },
    ],
    [
      'a limit as such',
      jsonAnswer(429, { ok: false, error_code: 429, parameters: { retry_after: 9 } }),
      { kind: 'throttled', scope: 'account', until: new Date(sendingAt.getTime() + 9_000) },
    ],
    [
      'a server that is no Bot API as a failure',
      { kind: 'answer', status: 404, body: '<html>' },
      { kind: 'failed', isFinal: false, blames: 'channel' },
    ],
    [
      'garbage as a failure',
      { kind: 'answer', status: 200, body: '{"ok":true}' },
      { kind: 'failed', code: 'unreadable_answer', isFinal: false },
    ],
    ['trouble as a failure', { kind: 'answer', status: 502 }, { kind: 'failed', code: 'server_error' }],
    ['a reset as a failure', { kind: 'reset' }, { kind: 'failed', code: 'connection_reset', isFinal: false }],
  ])('takes %s', async (_, behaviour, expected) => {
    open.plan({ when: 'before', behaviour, on: ({ path }) => path.endsWith('/getMe') });

    const { answer } = await openSession();

    expect(answer).toMatchObject(expected);
  });

  it('is known for a week', async () => {
    const credentials = telegram.account?.credentials.parse({ token });
    const send = async () => ({
      ...{ phase: 'answered' as const, status: 200, headers: {}, retryAfter: null },
      body: '{"ok":true,"result":{"id":1,"username":"b"}}',
    });
    const { signal } = new AbortController();

    const answer = await telegram.account?.openSession(credentials, null, {
      openedAt: sendingAt,
      send,
      signal,
    });

    expect(answer).toMatchObject({ kind: 'opened', expiresAt: new Date('2026-09-14T08:30:01.000Z') });
  });

  it.each([
    [{}, 'token'],
    [{ token: secret }, 'token'],
    [{ token: `12 3:${secret}` }, 'token'],
    [{ token: `123:${secret}/../x` }, 'token'],
    [{ token, instance: 'telegram.test' }, 'instance'],
  ])('refuses keys such as %o, naming the key and no secret', (keys, key) => {
    const parsed = telegram.account?.credentials.safeParse(keys);

    expect(parsed?.error?.issues.map(({ path }) => path[0])).toEqual([key]);
    expect(JSON.stringify(parsed?.error?.issues)).not.toContain(secret);
  });
});

describe('the token of a Telegram bot', () => {
  const echo = ({ path }: { path: string }) => ({
    ...{ kind: 'answer' as const, status: 502 },
    body: `Cannot POST ${'x'.repeat(110)} ${path}`,
  });

  // The suite of all channels looks for secrets in whatever is answered.
  it('is in no answer, though an error page repeats the address', async () => {
    const user = use();
    await user.session();
    open.plan({ when: 'before', behaviour: echo, on: () => true });

    const outcome = await user.publish(examplePost());
    const findings = await user.check();
    const refused = await use().tryToCompose(examplePost());

    for (const answer of [outcome, refused, findings[0]])
      expect(answer).toMatchObject({ detail: expect.stringContaining('(token)') });
  });

  it('is in no detail of a request that failed', async () => {
    const user = use();
    const composed = await user.compose(examplePost());
    await open.close();

    const outcome = await user.send(composed);

    expect(outcome).toMatchObject({ kind: 'failed', code: 'connection_refused' });
    await start();
  });
});

describe('a Telegram channel', () => {
  it('leaves a lost answer unknown', async () => {
    open.plan(lostAnswer('never_answer'));

    const outcome = await use().publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'response_timeout' });
    expect(fake.posts()).toHaveLength(1);
  });

  it('is the same in any case of its name', () => {
    expect(use({ target: '@News_Channel' }).destination()).toEqual({
      instance: open.url,
      target: '@news_channel',
    });
  });

  it.each([
    [{}, 'target'],
    [{ target: 'news_channel' }, 'target'],
    [{ target: '@a-b' }, 'target'],
    [{ target: 1.5 }, 'target'],
    [{ target: '@news_channel', preview: false, image: 'optional' }, 'image'],
    [{ target: '@news_channel', silent: 'no' }, 'silent'],
  ])('refuses settings such as %o, naming the key', (settings, key) => {
    const parsed = telegram.settings.safeParse(settings);

    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([key]);
  });

  it('is checked without a post', async () => {
    const findings = await use().check();

    expect(findings).toEqual([
      { subject: 'credentials', isOk: true, detail: 'bot @news_bot' },
      { subject: 'settings', isOk: true, detail: 'channel News' },
      { subject: 'rights', isOk: true, detail: 'administrator with the right to post' },
    ]);
    expect(open.sent()).toEqual([]);
  });

  it.each<[string, Partial<FakeChat>, Record<string, unknown>]>([
    ['an administrator who may not post', { canPost: false }, { subject: 'rights', isOk: false }],
    ['no member', { status: 'left' }, { subject: 'rights', isOk: false }],
    ['a member of a group', { type: 'supergroup', status: 'member' }, { subject: 'rights', isOk: true }],
    [
      'restricted in a group',
      { type: 'supergroup', status: 'restricted', canPost: false },
      { subject: 'rights', isOk: false },
    ],
    ['in a chat of another name', { username: 'other' }, { subject: 'settings', isOk: false }],
  ])('shows in its check a bot that is %s', async (_, change, finding) => {
    fake.change(chatId, change);

    const findings = await use().check();

    expect(findings.at(-1)).toMatchObject(finding);
  });

  it('shows in its check a token that was revoked', async () => {
    const user = use();
    await user.session();
    fake.revoke();

    const findings = await user.check();

    const detail = expect.stringContaining('Unauthorized');
    expect(findings).toMatchObject([{ subject: 'credentials', isOk: false, detail }]);
  });
});
