import { describe, expect, it } from 'vitest';
import { mastodonAccount } from '../../../src/channels/mastodon/account.ts';
import { createSendRequest } from '../../../src/channels/sendRequest.ts';
import { standingClock } from '../../../src/clock.ts';
import { createAddressGuard } from '../../../src/network/addressGuard.ts';
import { sendBy, sendingAt } from '../openChannel.ts';
import { openMastodon } from './openMastodon.ts';

const signal = new AbortController().signal;
const send = createSendRequest({
  guard: createAddressGuard(['127.0.0.1']),
  clock: standingClock(sendingAt),
  sendBy,
  userAgent: 'Headway/test',
  limits: { sendConnectMs: 200, sendAnswerMs: 300 },
  signal,
});

const openSession = (keys: object) =>
  mastodonAccount.openSession(mastodonAccount.credentials.parse(keys), null, {
    openedAt: sendingAt,
    send,
    signal,
  });

describe('an account of the Mastodon family', () => {
  it('opens a session for a day, with what is asked once', async () => {
    const { account, open } = await openMastodon();

    const answer = await openSession(account);

    expect(answer).toEqual({
      kind: 'opened',
      session: {
        accountId: '109348273',
        acct: 'bot',
        openedAt: sendingAt.toISOString(),
        limits: {
          flavour: 'mastodon',
          version: '4.4.1',
          maxCharacters: 500,
          charactersReservedPerUrl: 23,
          maxMediaAttachments: 4,
          mediaTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4'],
          maxImageBytes: 16_777_216,
          maxDescription: 1_500,
        },
      },
      expiresAt: new Date(sendingAt.getTime() + 86_400_000),
    });
    expect(open.receiver.requests).toHaveLength(2);
  });

  it.each(['Bot', '@bot', '@BOT@social.example'])('takes the name %o for @bot', async username => {
    const { account } = await openMastodon();

    const answer = await openSession({ ...account, username });

    expect(answer.kind).toBe('opened');
  });

  it('is refused for good with the token of another account', async () => {
    const { account } = await openMastodon({ username: 'Somebody' });

    const answer = await openSession(account);

    expect(answer).toMatchObject({ kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true });
    expect(answer).toMatchObject({
      detail: expect.stringContaining('the token is of @Somebody, not of @bot'),
    });
  });

  it.each(['mastodon', 'pleroma', 'gotosocial', 'snac', 'friendica'] as const)(
    'is refused for good with a token that %s does not know',
    async flavour => {
      const { account } = await openMastodon({ flavour });

      const answer = await openSession({ ...account, token: 'another' });

      expect(answer).toMatchObject({ kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true });
    },
  );

  it.each([
    [401, 'The access token was revoked', { kind: 'blocked', code: 'unauthorized', isGone: true }],
    [
      422,
      'This method requires an authenticated user',
      { kind: 'blocked', code: 'unauthorized', isGone: true },
    ],
    [403, 'Your login is currently disabled', { kind: 'blocked', code: 'forbidden', isGone: false }],
    [
      403,
      'This action is outside the authorized scopes',
      { kind: 'blocked', code: 'forbidden', isGone: true },
    ],
    [404, 'Not Found', { kind: 'blocked', code: 'not_found', isGone: false }],
    [429, 'Too many requests', { kind: 'throttled', scope: 'account', until: null }],
    [301, '', { kind: 'failed', code: 'rejected', detail: expect.stringContaining('set instance') }],
    [200, 'oops', { kind: 'failed', code: 'unreadable_answer' }],
    [500, 'oops', { kind: 'failed', code: 'server_error', isFinal: false, blames: 'channel' }],
    [503, 'oops', { kind: 'failed', code: 'server_error', isFinal: false, blames: 'channel' }],
  ])('tells %i %o', async (status, error, expected) => {
    const { account, open } = await openMastodon();
    const body = JSON.stringify({ error });
    open.plan({ when: 'before', behaviour: { kind: 'answer', status, body }, on: () => true });

    expect(await openSession(account)).toMatchObject(expected);
  });

  it('fails, and may be tried again, without an answer', async () => {
    const { account, open } = await openMastodon();
    open.plan({ when: 'before', behaviour: { kind: 'reset' }, on: () => true });

    const answer = await openSession(account);

    expect(answer).toMatchObject({ kind: 'failed', code: 'connection_reset', isFinal: false });
  });

  it.each([
    [{ instance: 'social.example' }, 'must be an http or https URL'],
    [{ username: 'a b' }, 'must be the name of an account'],
    [{ token: '' }, 'must not be empty'],
  ])('refuses %j', (keys, message) => {
    const given = { instance: 'https://social.example', username: 'bot', token: 'x', ...keys };

    expect(mastodonAccount.credentials.safeParse(given).error?.message).toContain(message);
  });
});

describe("an instance's limits", () => {
  const limitsOf = async (keys: object) => {
    const answer = await openSession(keys);
    return answer.kind === 'opened' ? answer.session.limits : answer;
  };

  it.each([
    ['mastodon', 500, 'mastodon'],
    ['pleroma', 5_000, 'pleroma'],
    ['gotosocial', 5_000, 'gotosocial'],
    ['snac', 100_000, 'snac'],
    ['friendica', 200_000, 'friendica'],
  ] as const)('are read of %s', async (flavour, maxCharacters, expected) => {
    const { account } = await openMastodon({ flavour });

    expect(await limitsOf(account)).toMatchObject({ flavour: expected, maxCharacters });
  });

  it.each([
    ['4.3.0-beta.1+glitch', 'mastodon'],
    ['4.2.10+hometown-1.1.1', 'mastodon'],
    ['2.7.2 (compatible; Pleroma 2.9.0)', 'pleroma'],
    ['3.0.0 (compatible; Sharkey 2025.4.3)', 'other'],
    ['0.7.1', 'other'],
  ])('tell that %s is %s', async (version, flavour) => {
    const { account } = await openMastodon({ traits: { version, sourceUrl: 'https://code.example' } });

    expect(await limitsOf(account)).toMatchObject({ flavour, version });
  });

  it.each<[string, object, object]>([
    [
      'in the form of old',
      { max_toot_chars: 3_000, upload_limit: 1_000 },
      { maxCharacters: 3_000, maxImageBytes: 1_000 },
    ],
    ['that say nothing', {}, { maxCharacters: 500, charactersReservedPerUrl: 23, mediaTypes: null }],
    [
      'that are nonsense',
      { configuration: { statuses: { max_characters: 0, characters_reserved_per_url: 'many' } } },
      { maxCharacters: 500, charactersReservedPerUrl: 23 },
    ],
    [
      'that are beyond what Headway sends',
      { configuration: { media_attachments: { image_size_limit: 10 ** 9, description_limit: 9_999 } } },
      { maxImageBytes: 16_777_216, maxDescription: 1_500 },
    ],
  ])('are taken %s', async (_name, description, expected) => {
    const { account, open } = await openMastodon();
    const body = JSON.stringify(description);
    const on = ({ path }: { path: string }) => path === '/api/v2/instance';
    open.plan({ when: 'before', behaviour: { kind: 'answer', status: 200, body }, on });

    expect(await limitsOf(account)).toMatchObject(expected);
  });

  it('are those of Mastodon where an instance describes itself nowhere', async () => {
    const { account, open } = await openMastodon();
    const on = ({ path }: { path: string }) => path.endsWith('/instance');
    open.plan({ when: 'before', behaviour: { kind: 'answer', status: 404, body: '<html>' }, on });

    expect(await limitsOf(account)).toMatchObject({ flavour: 'other', maxCharacters: 500, version: '' });
  });
});
