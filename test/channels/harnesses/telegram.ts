import { expect } from 'vitest';
import { telegram } from '../../../src/channels/telegram.ts';
import { type FakeTelegram, fakeTelegram } from '../../fakes/telegram.ts';
import { jsonAnswer, openProtocolFake } from '../../support/protocolFake.ts';
import type { ChannelHarness, ExpectedOutcome } from '../describeChannel.ts';

const { token } = fakeTelegram();
const chatId = -1001234567890;

const settings = { target: '@news_channel', image: 'optional' };
const accountAt = (baseUrl: string) => ({ token, instance: baseUrl });

let opened: FakeTelegram;

export const telegramHarness: ChannelHarness = {
  channel: telegram,
  reconciliation: 'blind',
  secrets: [token, token.slice(token.indexOf(':') + 1)],
  async open() {
    opened = fakeTelegram();
    const open = await openProtocolFake(opened);
    const account = accountAt(open.url);
    return { settings, account, posts: async () => opened.posts(), close: open.close };
  },
  refusals: [
    refusal(
      'a bot that was kicked as gone',
      () => opened.change(chatId, { status: 'kicked' }),
      blocked('gone', true),
    ),
    refusal(
      'a bot that is no member as forbidden',
      () => opened.change(chatId, { status: 'left' }),
      blocked('forbidden', false),
    ),
    refusal(
      'a bot that may not post as forbidden',
      () => opened.change(chatId, { canPost: false }),
      blocked('forbidden', false),
    ),
    refusal('a group that has moved as gone', () => opened.change(chatId, { movedTo: -1009 }), {
      ...blocked('gone', true),
      detail: expect.stringContaining('set target to -1009'),
    }),
    refusal('a token that was revoked as refused for good', () => opened.revoke(), {
      kind: 'blocked',
      scope: 'account',
      code: 'unauthorized',
      isGone: true,
    }),
    refusal('too many messages as throttled', () => opened.limit(35), throttled('2026-09-07T08:30:36.000Z')),
  ],
  network: {
    settingsAt: () => settings,
    accountAt,
    fake: fakeTelegram,
    answers: [
      answer(200, { ok: true }, { kind: 'unknown', code: 'unreadable_answer' }),
      answer(200, { ok: false, description: 'no' }, { kind: 'unknown', code: 'unreadable_answer' }),
      answer(302, {}, failed('channel', false)),
      answer(303, {}, { kind: 'unknown', code: 'unreadable_answer' }),
      told(400, 'Bad Request: chat not found', blocked('not_found', false)),
      told(400, 'Bad Request: need administrator rights in the channel chat', blocked('forbidden', false)),
      told(400, 'Bad Request: not enough rights to send text messages', blocked('forbidden', false)),
      told(400, 'Bad Request: have no rights to send a message', blocked('forbidden', false)),
      told(400, 'Bad Request: CHAT_WRITE_FORBIDDEN', blocked('forbidden', false)),
      told(400, 'Bad Request: message is too long', { ...failed('article', true), code: 'too_long' }),
      told(400, "Bad Request: can't parse entities: Unsupported start tag", failed('article', true)),
      told(400, 'Bad Request: message text is empty', failed('article', true)),
      told(400, 'Bad Request: its words', failed('channel', false)),
      told(401, 'Unauthorized', unauthorized()),
      told(404, 'Not Found', unauthorized()),
      told(403, 'Forbidden: bot was kicked from the supergroup chat', blocked('gone', true)),
      told(403, 'Forbidden: bot was blocked by the user', blocked('gone', true)),
      told(403, 'Forbidden: the group chat was deleted', blocked('gone', true)),
      told(403, 'Forbidden: user is deactivated', blocked('gone', true)),
      told(403, 'Forbidden: bot is not a member of the channel chat', blocked('forbidden', false)),
      told(403, 'Forbidden: its words', blocked('forbidden', false)),
      answer(408, {}, { kind: 'unknown', code: 'server_error' }),
      answer(413, {}, { ...failed('article', true), code: 'too_long' }),
      answer(429, { ok: false, parameters: { retry_after: 7 } }, throttled('2026-09-07T08:30:08.000Z')),
      answer(429, {}, throttled('2026-09-07T08:30:10.000Z'), { 'Retry-After': '9' }),
      answer(429, {}, { kind: 'throttled', until: null }),
      told(500, 'Internal Server Error: restart', { kind: 'unknown', code: 'server_error' }),
      answer(502, {}, { kind: 'unknown', code: 'server_error' }),
    ],
  },
};

function refusal(name: string, change: () => void, expected: ExpectedOutcome) {
  const arrange = async () => {
    change();
    return async () => undefined;
  };
  return { name, arrange, expected };
}

function told(status: number, description: string, expected: ExpectedOutcome) {
  return answer(status, { ok: false, error_code: status, description }, expected);
}

function answer(
  status: number,
  body: Record<string, unknown>,
  expected: ExpectedOutcome,
  headers: Record<string, string> = {},
) {
  const words = body.description ?? JSON.stringify(body);
  const name = `${[status, words, ...Object.keys(headers)].join(' ')} as ${expected.kind}`;
  return { name, behaviour: jsonAnswer(status, body, headers), expected };
}

function failed(blames: string, isFinal: boolean): ExpectedOutcome {
  return { kind: 'failed', code: 'rejected', blames, isFinal };
}

function blocked(code: string, isGone: boolean): ExpectedOutcome {
  return { kind: 'blocked', scope: 'channel', code, isGone };
}

// Not for good yet: the session is opened anew, and that decides.
function unauthorized(): ExpectedOutcome {
  return { kind: 'blocked', scope: 'account', code: 'unauthorized', isGone: false };
}

// The suite's clock stands at 08:30:01.
function throttled(until: string): ExpectedOutcome {
  return { kind: 'throttled', scope: 'channel', code: 'rate_limited', until: new Date(until) };
}
