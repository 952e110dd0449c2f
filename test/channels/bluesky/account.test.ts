import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlueskySession, blueskyAccount } from '../../../src/channels/bluesky/account.ts';
import { jsonAnswer } from '../../support/protocolFake.ts';
import { type OpenBluesky, openBluesky } from './openBluesky.ts';

let open: OpenBluesky;

beforeEach(async () => {
  open = await openBluesky();
});

afterEach(() => open.server.close());

async function opened(previous: BlueskySession | null = null): Promise<BlueskySession> {
  const answer = await open.openSession(previous);
  if (answer.kind !== 'opened') throw new Error(`not opened: ${JSON.stringify(answer)}`);
  return answer.session;
}

const fails = (behaviour: ReturnType<typeof jsonAnswer>, method: string) =>
  open.server.plan({ when: 'before', behaviour, on: ({ path }) => path.endsWith(method) });

describe('the keys of a Bluesky account', () => {
  const parse = (keys: Record<string, unknown>) =>
    blueskyAccount.credentials.safeParse({ appPassword: 'abcd-efgh-ijkl-mnop', ...keys });

  it.each([
    ['news.bsky.social', 'news.bsky.social'],
    ['@News.Example.org', 'news.example.org'],
    ['did:plc:5cluw43iifxh2ejo2lhczpre', 'did:plc:5cluw43iifxh2ejo2lhczpre'],
    ['did:web:news.example', 'did:web:news.example'],
  ])('takes %s for a user name', (username, expected) => {
    expect(parse({ username }).data).toMatchObject({ username: expected, instance: 'https://bsky.social' });
  });

  it.each(['news', 'news@example.org', 'https://bsky.app/profile/news.bsky.social', ''])(
    'says what a user name is instead of %j',
    username => {
      expect(parse({ username }).error?.issues[0]?.message).toContain('must be a handle');
    },
  );

  it('needs an app password', () => {
    expect(parse({ username: 'news.bsky.social', appPassword: '' }).success).toBe(false);
  });
});

describe('the session of a Bluesky account', () => {
  it('lasts as long as its access token says', async () => {
    const answer = await open.openSession(null);

    expect(answer).toMatchObject({
      kind: 'opened',
      session: { did: open.fake.did, handle: open.fake.handle, pdsUrl: null },
      expiresAt: new Date('2026-09-07T10:30:01.000Z'),
    });
  });

  it('is refreshed, not opened again: a day of them takes one log-in', async () => {
    let session = await opened();

    for (let hour = 0; hour < 24; hour += 2) {
      open.clock.advance({ hours: 2 });
      session = await opened(session);
    }

    expect(open.fake.logIns()).toBe(1);
    expect(open.fake.refreshes()).toBe(12);
  });

  it('is opened again after so long that it cannot be refreshed', async () => {
    const session = await opened();
    open.clock.advance({ hours: 91 * 24 });

    await opened(session);

    expect(open.fake.logIns()).toBe(2);
  });

  it('is refused for good when the app password was revoked, in the words of the PDS', async () => {
    const session = await opened();
    open.fake.revokeAppPassword();

    const answer = await open.openSession(session);

    expect(answer).toEqual({
      kind: 'blocked',
      scope: 'account',
      code: 'unauthorized',
      detail: expect.stringContaining('Invalid identifier or password'),
      isGone: true,
    });
  });

  it('is refused for good when the account was taken down, without a log-in that would hide why', async () => {
    const session = await opened();
    open.fake.becomes('takendown');

    const answer = await open.openSession(session);

    expect(answer).toMatchObject({ kind: 'blocked', scope: 'account', code: 'forbidden', isGone: true });
    expect(answer).toMatchObject({ detail: expect.stringContaining('Account has been taken down') });
  });

  it('is refused for now when its owner has deactivated the account', async () => {
    const session = await opened();
    open.fake.becomes('deactivated');
    const refused = { kind: 'blocked', scope: 'account', code: 'forbidden', isGone: false };

    const [refreshed, loggedIn] = [await open.openSession(session), await open.openSession(null)];

    expect([refreshed, loggedIn]).toMatchObject([refused, refused]);
    expect(refreshed).toMatchObject({ detail: 'the account is deactivated' });
  });

  it('is refused for good when the account is gone', async () => {
    const session = await opened();
    open.fake.becomes('deleted');

    expect(await open.openSession(session)).toMatchObject({ code: 'unauthorized', isGone: true });
  });

  it.each<[string, ReturnType<typeof jsonAnswer>, Record<string, unknown>]>([
    ['fails', jsonAnswer(502, 'oops'), { kind: 'failed', code: 'server_error', isFinal: false }],
    ['is garbage', jsonAnswer(200, {}), { kind: 'failed', code: 'unreadable_answer', isFinal: false }],
    [
      'is a proxy at work',
      jsonAnswer(503, '', { 'Retry-After': '60' }),
      { kind: 'throttled', scope: 'account' },
    ],
    ['comes too often', jsonAnswer(429, {}), { kind: 'throttled', code: 'rate_limited', until: null }],
    ['is a wall', jsonAnswer(403, '<html>'), { kind: 'blocked', code: 'forbidden', isGone: false }],
  ])('does not log in where the answer to a refresh %s', async (_name, behaviour, expected) => {
    const session = await opened();
    fails(behaviour, 'refreshSession');

    const answer = await open.openSession(session);

    expect(answer).toMatchObject(expected);
    expect(open.fake.logIns()).toBe(1);
  });

  it.each<[string, ReturnType<typeof jsonAnswer>, Record<string, unknown>]>([
    ['a server that fails', jsonAnswer(500, 'oops'), { kind: 'failed', blames: 'channel', isFinal: false }],
    [
      'an address without a PDS',
      jsonAnswer(404, '<html>'),
      { kind: 'blocked', code: 'not_found', isGone: false },
    ],
    [
      'a code by e-mail that is wanted',
      jsonAnswer(401, { error: 'AuthFactorTokenRequired', message: 'A sign in code has been sent' }),
      { kind: 'blocked', code: 'unauthorized', isGone: true },
    ],
  ])('maps %s at the log-in', async (_name, behaviour, expected) => {
    fails(behaviour, 'createSession');

    expect(await open.openSession(null)).toMatchObject({ ...expected });
  });
});

describe('where the data of a Bluesky account lies', () => {
  const didDoc = (serviceEndpoint: string) => ({
    id: 'did:plc:x',
    service: [
      { id: '#other', type: 'Other', serviceEndpoint: 'https://other.test' },
      { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint },
    ],
  });

  it.each<[string, unknown, string | null]>([
    ['a document', didDoc('https://morel.example'), 'https://morel.example'],
    ['a document with a path', didDoc('http://morel.example/'), 'http://morel.example'],
    ['none that could be called', didDoc('ftp://morel.example'), null],
    ['none at all', { id: 'did:plc:x' }, null],
  ])('is told by %s', async (_name, document, pdsUrl) => {
    await open.server.close();
    open = await openBluesky({ didDoc: document });

    expect(await opened()).toMatchObject({ pdsUrl });
  });
});
