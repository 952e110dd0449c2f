import { discord } from '../../../src/channels/discord.ts';
import { type FakeDiscord, fakeDiscord } from '../../fakes/discord.ts';
import { jsonAnswer, openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome } from '../describeChannel.ts';

const token = 'Zx-9_aToken-of-the-webhook_1234567890';
const { path } = fakeDiscord({ token });

const settingsAt = (baseUrl: string) => ({ webhookUrl: `${baseUrl}${path}`, username: 'Headway' });

let opened: FakeDiscord;

export const discordHarness: ChannelHarness = {
  channel: discord,
  reconciliation: 'blind',
  secrets: [token],
  async open() {
    opened = fakeDiscord({ token });
    const open = await openProtocolFake(opened);
    return { settings: settingsAt(open.url), posts: async () => opened.posts(), close: open.close };
  },
  refusals: [
    {
      name: 'a webhook that was deleted as gone',
      arrange: async () => {
        opened.remove();
        return async () => undefined;
      },
      expected: { kind: 'blocked', scope: 'channel', code: 'not_found', isGone: true },
    },
    {
      name: 'too many messages as throttled',
      arrange: async () => {
        opened.limit(1_336.57);
        return async () => undefined;
      },
      expected: { kind: 'throttled', until: new Date('2026-09-07T08:52:18.000Z') },
    },
  ],
  network: {
    settingsAt,
    fake: () => fakeDiscord({ token }),
    answers: [
      answer(200, {}, unknown('unreadable_answer')),
      answer(204, {}, unknown('unreadable_answer')),
      answer(303, {}, unknown('unreadable_answer')),
      answer(307, {}, failed('channel', false)),
      answer(400, { code: 50035 }, failed('article', true)),
      answer(400, { code: 50035, errors: { username: {} } }, blocked('rejected', false)),
      answer(400, { code: 50035, errors: { content: {}, username: {} } }, failed('article', true)),
      answer(400, { code: 50006 }, failed('article', true)),
      answer(400, { code: 200000 }, failed('article', true)),
      answer(400, { code: 240000 }, failed('article', true)),
      answer(403, { code: 240000 }, failed('article', true)),
      answer(400, { code: 220001 }, blocked('rejected', false)),
      answer(400, { code: 220003 }, blocked('rejected', false)),
      answer(400, { code: 160005 }, blocked('rejected', false)),
      answer(400, { code: 0 }, failed('channel', false)),
      answer(401, { code: 50027 }, blocked('unauthorized', true)),
      answer(403, { code: 50013 }, blocked('forbidden', false)),
      answer(403, { code: 40333 }, blocked('forbidden', false)),
      answer(404, { code: 10015 }, blocked('not_found', true)),
      answer(404, { code: 10003 }, blocked('not_found', true)),
      answer(408, {}, unknown('server_error')),
      answer(413, {}, failed('article', true)),
      answer(429, { retry_after: 64.57 }, throttled('2026-09-07T08:31:05.570Z')),
      answer(429, { retry_after: 64.57, global: true }, throttled('2026-09-07T08:31:06.000Z'), {
        'Retry-After': '65',
      }),
      answer(429, {}, { kind: 'throttled', until: null }),
      answer(500, { code: 0 }, unknown('server_error')),
      answer(502, {}, unknown('server_error')),
      answer(503, { code: 130000 }, unknown('server_error'), { 'Retry-After': '5' }),
    ],
  },
};

function answer(
  status: number,
  body: Record<string, unknown>,
  expected: ExpectedOutcome,
  headers: Record<string, string> = {},
) {
  const name = `${[status, JSON.stringify(body), ...Object.keys(headers)].join(' ')} as ${expected.kind}`;
  return { name, behaviour: jsonAnswer(status, { message: 'its words', ...body }, headers), expected };
}

function unknown(code: string): ExpectedOutcome {
  return { kind: 'unknown', code };
}

function failed(blames: string, isFinal: boolean): ExpectedOutcome {
  return { kind: 'failed', code: 'rejected', blames, isFinal };
}

function blocked(code: string, isGone: boolean): ExpectedOutcome {
  return { kind: 'blocked', scope: 'channel', code, isGone };
}

// The suite's clock stands at 08:30:01.
function throttled(until: string): ExpectedOutcome {
  return { kind: 'throttled', scope: 'channel', code: 'rate_limited', until: new Date(until) };
}
