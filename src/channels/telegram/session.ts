import { z } from 'zod';
import type { AccountKind } from '../AccountKind.ts';
import { type Answer, describeAnswer, outcomeBeforePost } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { instanceUrl } from '../settingsParts.ts';
import { parseAnswer, waitUntil } from './answer.ts';
import { callMethod } from './callMethod.ts';

export type TelegramCredentials = {
  /** As @BotFather gives it: the bot's id, a colon, a secret. */
  token: string;
  /** A Bot API server of one's own, or Telegram's. */
  instance: string;
};

export type TelegramSession = { botId: number; botUsername: string | null };

export const publicInstance = 'https://api.telegram.org';

const lifetimeMs = 7 * 86_400_000;

const botUser = z.object({ id: z.int(), username: z.string().nullish() });

/** A bot. Its token is all it takes; the session only says who it is, asked again once a week. */
export const telegramAccount: AccountKind<TelegramCredentials, TelegramSession> = {
  credentials: z.strictObject({
    token: z
      .string('must be text')
      .regex(/^[1-9]\d{0,19}:[\w-]{20,100}$/, 'must be the token that @BotFather gave, such as 123456:ABC…'),
    instance: instanceUrl.default(publicInstance),
  }),
  secretKeys: ['token'],
  session: z.object({ botId: z.int(), botUsername: z.string().nullable() }),

  async openSession(credentials, _previous, { openedAt, send }) {
    const result = await callMethod('getMe', {}, { credentials, send });
    if (result.phase !== 'answered') return outcomeBeforePost(result);
    const bot = botUser.safeParse(parseAnswer(result)?.result).data;
    if (result.status !== 200 || bot === undefined) return refusalOf(result, openedAt);
    const session = { botId: bot.id, botUsername: bot.username ?? null };
    return { kind: 'opened', session, expiresAt: new Date(openedAt.getTime() + lifetimeMs) };
  },
};

function refusalOf(answer: Answer, openedAt: Date): NotComposed {
  const { status } = answer;
  const detail = describeAnswer(answer);
  // Only in the words of a Bot API server: a web server that is something else knows no /bot… either.
  const isBotApi = parseAnswer(answer)?.ok === false;
  if ((status === 401 || status === 404) && isBotApi)
    return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: true };
  if (status === 429) {
    const until = waitUntil(answer, openedAt);
    return { kind: 'throttled', scope: 'account', code: 'rate_limited', detail, until };
  }
  const code = status >= 500 ? 'server_error' : 'unreadable_answer';
  return { kind: 'failed', code, detail, isFinal: false, blames: 'channel' };
}
