import { webhook } from '../../../src/channels/webhook.ts';
import { openFakeReceiver } from '../../support/fakeReceiver.ts';
import type { ChannelHarness, ExpectedOutcome } from '../describeChannel.ts';

const secret = `whsec_${Buffer.from('a key of the webhook channel').toString('base64')}`;
const textSecret = 'a secret that is plain text';

const settingsAt = (baseUrl: string) => ({ url: `${baseUrl}/in`, secret: [secret, textSecret] });

export const webhookHarness: ChannelHarness = {
  channel: webhook,
  reconciliation: 'repeat',
  secrets: [secret, secret.slice('whsec_'.length), textSecret],
  async open() {
    const receiver = await openFakeReceiver();
    return {
      settings: settingsAt(receiver.url),
      // As the standard asks of a receiver: an id that it knows is dropped.
      posts: async () => [...new Set(receiver.requests.map(({ headers }) => headers['webhook-id'] ?? ''))],
      close: receiver.close,
    };
  },
  refusals: [],
  network: {
    settingsAt,
    fake: () => ({ answer: () => ({ kind: 'answer', status: 200 }), isPost: () => true, posts: () => [] }),
    answers: [
      answer(204, { kind: 'succeeded' }),
      answer(301, failed('rejected', 'channel')),
      answer(307, failed('rejected', 'channel')),
      answer(400, failed('rejected', 'article')),
      answer(401, blocked('unauthorized')),
      answer(403, blocked('forbidden')),
      answer(404, blocked('not_found')),
      answer(405, failed('rejected', 'channel')),
      answer(410, { ...blocked('gone'), isGone: true }),
      answer(413, failed('rejected', 'article')),
      answer(422, failed('rejected', 'article')),
      answer(429, { kind: 'throttled', scope: 'channel', code: 'rate_limited', until: null }),
      answer(429, throttled('rate_limited'), { 'Retry-After': '60' }),
      answer(500, failed('server_error', 'channel')),
      answer(502, failed('server_error', 'channel')),
      answer(503, failed('unavailable', 'channel')),
      answer(503, throttled('unavailable'), { 'Retry-After': 'Mon, 07 Sep 2026 08:31:01 GMT' }),
    ],
  },
};

function answer(status: number, expected: ExpectedOutcome, headers: Record<string, string> = {}) {
  const name = `${[status, ...Object.keys(headers)].join(' with ')} as ${expected.kind}`;
  return { name, behaviour: { kind: 'answer', status, headers, body: 'its words' } as const, expected };
}

function failed(code: string, blames: string): ExpectedOutcome {
  return { kind: 'failed', code, blames, isFinal: false };
}

function blocked(code: string): ExpectedOutcome {
  return { kind: 'blocked', scope: 'channel', code, isGone: false };
}

// The suite's clock stands at 08:30:01.
function throttled(code: string): ExpectedOutcome {
  return { kind: 'throttled', scope: 'channel', code, until: new Date('2026-09-07T08:31:01.000Z') };
}
