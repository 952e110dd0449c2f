import { lemmy } from '../../../src/channels/lemmy.ts';
import { createLemmyFake, type LemmyFake } from '../../fakes/lemmy.ts';
import { openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome, OpenDestination } from '../describeChannel.ts';

const password = 'a password of lemmy';
const settings = { target: 'news', body: 'text' };
const accountAt = (instance: string) => ({ instance, username: 'headway', password });

const invalid: ExpectedOutcome = { kind: 'failed', code: 'invalid_post', blames: 'article', isFinal: true };

const fakes = new WeakMap<OpenDestination, LemmyFake>();

/** 0.19; what is different in 1.0 is tested in lemmy.test.ts. */
export const lemmyHarness: ChannelHarness = {
  channel: lemmy,
  reconciliation: 'look_up',
  secrets: [password, 'jwt-of-headway-1'],
  async open() {
    const fake = createLemmyFake();
    const open = await openProtocolFake(fake);
    const destination = {
      settings,
      account: accountAt(open.url),
      posts: async () => fake.posts(),
      close: open.close,
    };
    fakes.set(destination, fake);
    return destination;
  },
  refusals: [
    refusal(
      'a wrong password',
      { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: true },
      fake => Object.assign(fake.world.me, { password: 'another one' }),
    ),
    refusal('a community that does not exist', blocked('not_found'), fake =>
      Object.assign(fake.world.news, { name: 'olds' }),
    ),
    refusal('a ban from the community', blocked('forbidden'), fake => fake.world.news.bannedIds.push(2)),
    refusal('a limit', { kind: 'throttled', scope: 'account', code: 'rate_limited', until: null }, fake =>
      Object.assign(fake.server, { postsLeft: 0 }),
    ),
  ],
  network: {
    settingsAt: () => settings,
    accountAt,
    fake: createLemmyFake,
    answers: [
      answer(400, 'rate_limit_error', {
        kind: 'throttled',
        scope: 'account',
        code: 'rate_limited',
        until: null,
      }),
      answer(400, 'banned_from_community', blocked('forbidden')),
      answer(403, 'person_is_banned_from_community', blocked('forbidden')),
      answer(400, 'invalid_url', invalid),
      answer(400, 'blocked_url', invalid),
      answer(401, 'incorrect_login', { ...blocked('unauthorized'), scope: 'account' }),
      answer(400, 'couldnt_create_post', { kind: 'failed', code: 'server_error', isFinal: false }),
      answer(400, 'couldnt_like_post', { kind: 'unknown', code: 'rejected' }),
      answer(500, 'oops', { kind: 'unknown', code: 'server_error' }),
      answer(200, 'oops', { kind: 'unknown', code: 'unreadable_answer' }),
    ],
  },
};

function blocked(code: string): ExpectedOutcome {
  return { kind: 'blocked', scope: 'channel', code, isGone: false };
}

function answer(status: number, error: string, expected: ExpectedOutcome) {
  const behaviour = { kind: 'answer', status, body: JSON.stringify({ error }) } as const;
  return { name: `${status} ${error} as ${expected.kind}`, behaviour, expected };
}

function refusal(name: string, expected: ExpectedOutcome, change: (fake: LemmyFake) => unknown) {
  return {
    name: `${name} as ${expected.kind}`,
    expected,
    async arrange(destination: OpenDestination) {
      const fake = fakes.get(destination);
      if (!fake) throw new Error('not opened here');
      change(fake);
      return async () => undefined;
    },
  };
}
