import { bluesky } from '../../../src/channels/bluesky.ts';
import { type BlueskyFake, createBlueskyFake } from '../../fakes/bluesky.ts';
import { jsonAnswer, openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome, OpenDestination, Refusal } from '../describeChannel.ts';

const { appPassword, handle } = createBlueskyFake();
const accountAt = (instance: string) => ({ instance, username: handle, appPassword });

const fakes = new WeakMap<OpenDestination, BlueskyFake>();

const unauthorized = { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false } as const;
const forbidden = { kind: 'blocked', scope: 'account', code: 'forbidden' } as const;
const failed = { kind: 'failed', code: 'rejected' } as const;

export const blueskyHarness: ChannelHarness = {
  channel: bluesky,
  reconciliation: 'repeat',
  secrets: [appPassword],
  async open() {
    const fake = createBlueskyFake();
    const { url, close } = await openProtocolFake(fake);
    const open = { settings: {}, account: accountAt(url), posts: async () => fake.posts(), close };
    fakes.set(open, fake);
    return open;
  },
  refusals: [
    refusalBefore('a revoked app password', fake => fake.revokeAppPassword(), {
      ...unauthorized,
      isGone: true,
    }),
    refusalBefore('an account that was taken down', fake => fake.becomes('takendown'), {
      ...unauthorized,
      isGone: true,
    }),
    refusalBefore('an account that its owner has deactivated', fake => fake.becomes('deactivated'), {
      ...forbidden,
      isGone: false,
    }),
    refusalBefore('log-ins past their limit', fake => fake.exhaust('logIn'), {
      ...{ kind: 'throttled', scope: 'account', code: 'rate_limited' },
      until: new Date('2026-09-07T08:35:01.000Z'),
    }),
    refusalBefore('uploads past their limit', fake => fake.exhaust('upload'), {
      ...{ kind: 'throttled', scope: 'account', code: 'rate_limited' },
      until: new Date('2026-09-08T08:30:01.000Z'),
    }),
    refusalBefore('writes past their limit', fake => fake.exhaust('write'), {
      ...{ kind: 'throttled', scope: 'account', code: 'rate_limited' },
    }),
  ],
  network: {
    settingsAt: () => ({}),
    accountAt,
    fake: () => createBlueskyFake(),
    answers: [
      answer(200, { uri: 'at://did:plc:x/app.bsky.feed.post/x', cid: 'bafyrei' }, { kind: 'succeeded' }),
      answer(200, {}, { kind: 'unknown', code: 'unreadable_answer' }),
      answer(200, '<html>', { kind: 'unknown', code: 'unreadable_answer' }),
      answer(301, '', { ...failed, blames: 'channel', isFinal: false }),
      // Its key is this publication's alone.
      refusal(400, 'InvalidSwap', { kind: 'succeeded' }),
      refusal(400, 'InvalidRequest', { ...failed, blames: 'article', isFinal: true }),
      refusal(400, 'SomethingNew', { ...failed, blames: 'article', isFinal: false }),
      answer(400, '<html>', { ...failed, blames: 'article', isFinal: false }),
      refusal(400, 'ExpiredToken', unauthorized),
      refusal(400, 'InvalidToken', unauthorized),
      refusal(401, 'AuthMissing', unauthorized),
      refusal(401, 'AuthenticationRequired', unauthorized),
      answer(401, '', unauthorized),
      refusal(401, 'AccountTakedown', { ...forbidden, isGone: true }),
      refusal(401, 'AccountDeactivated', { ...forbidden, isGone: false }),
      refusal(403, 'AccountNotFound', { kind: 'blocked', scope: 'account', code: 'gone', isGone: true }),
      answer(403, '<html>', { ...forbidden, isGone: false }),
      answer(404, '', { kind: 'blocked', scope: 'account', code: 'not_found', isGone: false }),
      refusal(413, 'PayloadTooLargeError', { ...failed, code: 'too_long', blames: 'article', isFinal: true }),
      answer(418, '', { ...failed, blames: 'channel', isFinal: false }),
      throttled({ 'RateLimit-Reset': '1788769865' }, new Date('2026-09-07T08:31:05.000Z')),
      throttled({ 'Retry-After': '60' }, new Date('2026-09-07T08:31:01.000Z')),
      throttled({ 'RateLimit-Reset': '60' }, null),
      throttled({}, null),
      refusal(500, 'InternalServerError', { kind: 'unknown', code: 'server_error' }),
      refusal(502, 'UpstreamFailure', { kind: 'unknown', code: 'server_error' }),
      answer(503, '', { kind: 'unknown', code: 'unavailable' }),
    ],
  },
};

function refusalBefore(
  name: string,
  happen: (fake: BlueskyFake) => void,
  expected: ExpectedOutcome,
): Refusal {
  const arrange = async (destination: OpenDestination) => {
    const fake = fakes.get(destination);
    if (fake) happen(fake);
    return async () => {};
  };
  return { name, arrange, expected };
}

function answer(status: number, body: unknown, expected: ExpectedOutcome) {
  const name = `${[status, JSON.stringify(body)].join(' ')} as ${expected.kind}`;
  return { name, behaviour: jsonAnswer(status, body), expected };
}

function refusal(status: number, error: string, expected: ExpectedOutcome) {
  const behaviour = jsonAnswer(status, { error, message: 'its words' });
  return { name: `${status} ${error} as ${expected.kind}`, behaviour, expected };
}

// The suite's clock stands at 08:30:01.
function throttled(headers: Record<string, string>, until: Date | null) {
  const body = { error: 'RateLimitExceeded', message: 'Rate Limit Exceeded' };
  const name = `429 with ${JSON.stringify(headers)} as throttled`;
  const expected = { kind: 'throttled', scope: 'account', code: 'rate_limited', until } as const;
  return { name, behaviour: jsonAnswer(429, body, headers), expected };
}
