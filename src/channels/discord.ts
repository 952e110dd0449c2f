import { z } from 'zod';
import { describeAnswer, outcomeWithoutAnswer } from './answerOutcome.ts';
import type { Channel, Finding } from './Channel.ts';
import { type DiscordPost, type MessageSettings, messageOf, previewOf } from './discord/message.ts';
import { outcomeOf } from './discord/outcomeOf.ts';
import { type DiscordHook, readHook, withoutToken } from './discord/webhookUrl.ts';
import { parseJson } from './json.ts';
import type { SendRequest } from './sendRequest.ts';

export type DiscordSettings = MessageSettings & {
  /** All that a webhook needs, so a secret as a whole. */
  webhookUrl: string;
  /** An existing thread, of a forum or a text channel. */
  threadId?: string | undefined;
};

const usernameForm =
  '1 to 80 characters, without the words discord and clyde, and not everyone or here: Discord refuses others';

const settings = z
  .strictObject({
    webhookUrl: z
      .string('must be text')
      .refine(
        url => readHook(url) !== null,
        'must be the URL of a webhook, such as https://discord.com/api/webhooks/ID/TOKEN, with nothing behind it',
      ),
    username: z.string().refine(isUsername, `must be ${usernameForm}`).optional(),
    threadName: z.string().trim().min(1, 'must not be empty').optional(),
    threadId: z
      .string()
      .regex(/^\d{1,20}$/, 'must be the digits of a thread id, in quotes')
      .optional(),
    embed: z.boolean('must be true or false').default(false),
    markdown: z.boolean('must be true or false').default(false),
  })
  .refine(({ threadName, threadId }) => threadName === undefined || threadId === undefined, {
    path: ['threadId'],
    message: 'must not stand beside threadName: a post goes into one thread or begins one',
  });

function isUsername(name: string): boolean {
  const length = Array.from(name.trim()).length;
  return length >= 1 && length <= 80 && !/discord|clyde|^\s*(everyone|here)\s*$/i.test(name);
}

/**
 * A Discord webhook (https://docs.discord.com/developers/resources/webhook#execute-webhook). It knows no key
 * by which it would drop a repeat, and lists nothing: a lost answer is left to a person.
 */
export const discord: Channel<DiscordSettings, DiscordPost, null> = {
  platform: 'discord',
  needsAccount: false,
  account: null,
  settings,
  secretKeys: ['webhookUrl'],

  destination({ webhookUrl, threadId }) {
    const { instance, id } = hookOf(webhookUrl);
    return { instance, target: threadId === undefined ? id : `${id}/${threadId}` };
  },

  reconciliation: () => ({ kind: 'blind' }),

  preview: (post, settings) => previewOf(post, settings),

  async check({ webhookUrl }, { send }) {
    return [await checkHook(hookOf(webhookUrl), send)];
  },

  async compose(post, settings, { send, composedAt }) {
    const answer = messageOf(post, settings);
    if (answer.kind !== 'composed') return answer;
    const place = await askForPlace(hookOf(settings.webhookUrl), send, composedAt);
    if (place.kind !== 'asked') return place;
    const { message, notes } = answer;
    return { kind: 'composed', composed: { message, placeUrl: place.url }, notes };
  },

  async publish({ composed }, { webhookUrl, threadId }, { send, sendingAt }) {
    const hook = hookOf(webhookUrl);
    // Without `wait`, a message that is not kept is answered like one that is.
    const url = `${hook.url}?wait=true${threadId === undefined ? '' : `&thread_id=${threadId}`}`;
    const body = JSON.stringify(composed.message);
    const result = await send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body });
    if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
    return outcomeOf(withoutToken(result, hook), { sendingAt, placeUrl: composed.placeUrl });
  },
};

function hookOf(webhookUrl: string): DiscordHook {
  const hook = readHook(webhookUrl);
  if (hook === null) throw new Error('a webhookUrl that was never parsed');
  return hook;
}

const hookAnswer = z.object({
  id: z.string(),
  name: z.string().nullish(),
  channel_id: z.string().nullish(),
  guild_id: z.string().nullish(),
});

async function askForHook(hook: DiscordHook, send: SendRequest) {
  const result = await send({ method: 'GET', url: hook.url, headers: {}, body: null });
  if (result.phase !== 'answered') return { answer: null, said: null, detail: result.detail };
  const answer = withoutToken(result, hook);
  const parsed = result.status === 200 ? hookAnswer.safeParse(parseJson(result.body)) : null;
  return { answer, said: parsed?.data ?? null, detail: describeAnswer(answer) };
}

/**
 * Where a webhook's posts can be seen; `url` null where that is not to be had, which costs only the post's
 * address. A webhook that is gone says so here already: asking on and on gets the IP address banned.
 */
async function askForPlace(hook: DiscordHook, send: SendRequest, now: Date) {
  const { answer, said } = await askForHook(hook, send);
  const guildId = said?.guild_id ?? null;
  const url = guildId === null ? null : `${hook.instance}/channels/${guildId}`;
  if (answer === null || said !== null) return { kind: 'asked', url } as const;
  const outcome = outcomeOf(answer, { sendingAt: now, placeUrl: null });
  return outcome.kind === 'blocked' && outcome.isGone ? outcome : ({ kind: 'asked', url } as const);
}

async function checkHook(hook: DiscordHook, send: SendRequest): Promise<Finding> {
  const { said, detail } = await askForHook(hook, send);
  if (said === null) return { subject: 'credentials', isOk: false, detail };
  const name = said.name ?? said.id;
  return {
    subject: 'credentials',
    isOk: true,
    detail: `webhook ${name} posts into channel ${said.channel_id}`,
  };
}
