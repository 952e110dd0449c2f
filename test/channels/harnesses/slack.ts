import { slack } from '../../../src/channels/slack.ts';
import { type FakeSlack, fakeSlack } from '../../fakes/slack.ts';
import { openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome } from '../describeChannel.ts';

const { path } = fakeSlack();
const token = path.split('/').at(-1) ?? '';

const settingsAt = (baseUrl: string) => ({ webhookUrl: `${baseUrl}${path}` });

let opened: FakeSlack;

export const slackHarness: ChannelHarness = {
  channel: slack,
  reconciliation: 'blind',
  secrets: [token],
  async open() {
    opened = fakeSlack();
    const open = await openProtocolFake(opened);
    return { settings: settingsAt(open.url), posts: async () => opened.posts(), close: open.close };
  },
  refusals: [
    {
      name: 'a channel that was archived as gone',
      arrange: async () => {
        opened.refuse({ status: 410, words: 'channel_is_archived' });
        return async () => opened.refuse(null);
      },
      expected: { kind: 'blocked', scope: 'channel', code: 'gone', isGone: true },
    },
  ],
  network: {
    settingsAt,
    fake: fakeSlack,
    answers: [
      answer(200, 'ok\n', { kind: 'succeeded', remoteUrl: null }),
      answer(200, '<html>ok</html>', unknown('unreadable_answer')),
      answer(200, '', unknown('unreadable_answer')),
      answer(201, 'ok', unknown('unreadable_answer')),
      answer(302, '', failed('channel', false)),
      answer(303, '', unknown('unreadable_answer')),
      answer(400, 'invalid_payload', failed('article', true)),
      answer(400, 'no_text', failed('article', true)),
      answer(400, 'user_not_found', blocked('not_found', true)),
      answer(400, 'its words', failed('channel', false)),
      answer(403, 'action_prohibited', blocked('forbidden', false)),
      answer(403, 'invalid_token', blocked('unauthorized', true)),
      answer(404, 'channel_not_found', blocked('not_found', true)),
      answer(404, 'no_service', blocked('not_found', true)),
      answer(404, 'no_team', blocked('not_found', true)),
      answer(404, '<html>', blocked('not_found', false)),
      answer(408, '', unknown('server_error')),
      answer(410, 'channel_is_archived', blocked('gone', true)),
      answer(413, '', failed('article', true)),
      answer(429, 'rate_limited', { kind: 'throttled', until: null }),
      answer(429, 'rate_limited', throttled(), { 'Retry-After': '30' }),
      answer(500, 'rollup_error', unknown('server_error')),
      answer(503, '', unknown('server_error'), { 'Retry-After': '30' }),
    ],
  },
};

function answer(
  status: number,
  body: string,
  expected: ExpectedOutcome,
  headers: Record<string, string> = {},
) {
  const name = `${[status, JSON.stringify(body), ...Object.keys(headers)].join(' ')} as ${expected.kind}`;
  return { name, behaviour: { kind: 'answer', status, headers, body } as const, expected };
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
function throttled(): ExpectedOutcome {
  const until = new Date('2026-09-07T08:30:31.000Z');
  return { kind: 'throttled', scope: 'channel', code: 'rate_limited', until };
}
