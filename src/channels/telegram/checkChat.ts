import { z } from 'zod';
import { describeAnswer } from '../answerOutcome.ts';
import type { AccountAccess, Finding } from '../Channel.ts';
import type { SendRequest } from '../sendRequest.ts';
import { parseAnswer } from './answer.ts';
import { callMethod } from './callMethod.ts';
import type { TelegramCredentials, TelegramSession } from './session.ts';

const botUser = z.object({ id: z.int(), username: z.string().optional() });
const chatShape = z.object({
  type: z.string(),
  title: z.string().optional(),
  username: z.string().optional(),
});
const memberShape = z.object({
  status: z.string(),
  can_post_messages: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
});

/** Asks whether the bot is who it was, whether the chat is there, and whether the bot may write in it. */
export async function checkChat(
  target: string,
  { credentials, session }: AccountAccess<TelegramCredentials, TelegramSession>,
  send: SendRequest,
): Promise<readonly Finding[]> {
  const outlet = { credentials, send };
  const me = await ask('getMe', {}, botUser, outlet);
  if (me.result === null) return [{ subject: 'credentials', isOk: false, detail: me.detail }];
  const name = me.result.username ?? session.botUsername ?? String(me.result.id);
  const credentialsOk: Finding = { subject: 'credentials', isOk: true, detail: `bot @${name}` };

  const chat = await ask('getChat', { chat_id: target }, chatShape, outlet);
  if (chat.result === null) return [credentialsOk, { subject: 'settings', isOk: false, detail: chat.detail }];
  const { type, title, username } = chat.result;
  const chatOk: Finding = {
    subject: 'settings',
    isOk: true,
    detail: `${type} ${title ?? username ?? target}`,
  };
  if (type === 'private') return [credentialsOk, chatOk];

  const parameters = { chat_id: target, user_id: me.result.id };
  const member = await ask('getChatMember', parameters, memberShape, outlet);
  if (member.result === null) {
    return [credentialsOk, chatOk, { subject: 'rights', isOk: false, detail: member.detail }];
  }
  return [credentialsOk, chatOk, rightsOf(type, member.result)];
}

function rightsOf(type: string, member: z.infer<typeof memberShape>): Finding {
  const { status, can_post_messages: canPost = false, can_send_messages: canSend = false } = member;
  const isOwner = status === 'creator';
  if (type === 'channel') {
    const isOk = isOwner || (status === 'administrator' && canPost);
    const detail = isOk
      ? `${status} with the right to post`
      : `${status}: in a channel, the bot must be an administrator with the right to post`;
    return { subject: 'rights', isOk, detail };
  }
  const isOk =
    isOwner || ['administrator', 'member'].includes(status) || (status === 'restricted' && canSend);
  const detail = isOk ? status : `${status}: the bot must be a member that may send messages`;
  return { subject: 'rights', isOk, detail };
}

async function ask<Result>(
  method: 'getMe' | 'getChat' | 'getChatMember',
  parameters: Readonly<Record<string, unknown>>,
  shape: z.ZodType<Result>,
  outlet: { credentials: TelegramCredentials; send: SendRequest },
): Promise<{ result: Result | null; detail: string }> {
  const answer = await callMethod(method, parameters, outlet);
  if (answer.phase !== 'answered') return { result: null, detail: answer.detail };
  const said = answer.status === 200 ? parseAnswer(answer) : null;
  return { result: shape.safeParse(said?.result).data ?? null, detail: describeAnswer(answer) };
}
