import { z } from 'zod';
import { type Answer, describeAnswer, isRedirect, tellsNothing } from '../answerOutcome.ts';
import type { PublishOutcome } from '../PublishOutcome.ts';
import { parseAnswer, waitUntil } from './answer.ts';

// Telegram promises statuses and not descriptions; these are of its server's source
// (https://github.com/tdlib/telegram-bot-api, Client.cpp), where names in capitals come from behind it.

const tooLong = /too long|TOO_LONG/;
const ofArticle =
  /can't parse entities|text is empty|must be non-empty|MESSAGE_EMPTY|ENTIT(Y|IES)_|strings must be encoded/i;
const isGone = /was kicked|was blocked|was deleted|is deactivated|upgraded to a supergroup|CHAT_RESTRICTED/i;
const notFound =
  /chat not found|PEER_ID_INVALID|USERNAME_|CHAT_ID_INVALID|chat_id is empty|thread not found/i;
const forbidden =
  /not enough rights|no rights|need administrator rights|administrator rights|not a member|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED|CHANNEL_PRIVATE|CHAT_SEND_|CHAT_RESTRICTED|TOPIC_CLOSED|TOPIC_DELETED|USER_BANNED|can't initiate conversation|can't send messages to/i;

const sentMessage = z.object({
  message_id: z.int(),
  chat: z.object({ id: z.int(), username: z.string().optional() }),
});

/** What a complete answer to `sendMessage` means. A 5xx is not definite: it may come when it is sent already. */
export function outcomeOf(answer: Answer, sendingAt: Date): PublishOutcome {
  const { status } = answer;
  const detail = describeAnswer(answer);
  if (tellsNothing(status)) return { kind: 'unknown', code: 'server_error', detail };
  if (status === 200) return outcomeOfAccepted(answer);
  if (isRedirect(status)) {
    const advice = `${detail} (redirects are not followed: set instance to where it leads)`;
    return { kind: 'failed', code: 'rejected', detail: advice, isFinal: false, blames: 'channel' };
  }
  if (status < 400) return { kind: 'unknown', code: 'unreadable_answer', detail };
  switch (status) {
    case 401:
    case 404:
      return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false };
    // Of one chat (1 a second, 20 a minute in a group) far sooner than of the bot (30 a second).
    case 429:
      return {
        kind: 'throttled',
        scope: 'channel',
        code: 'rate_limited',
        detail,
        until: waitUntil(answer, sendingAt),
      };
    case 413:
      return { kind: 'failed', code: 'too_long', detail, isFinal: true, blames: 'article' };
    default:
      return outcomeByWords(answer);
  }
}

function outcomeOfAccepted(answer: Answer): PublishOutcome {
  const said = parseAnswer(answer);
  const sent = said?.ok === true ? sentMessage.safeParse(said.result).data : undefined;
  if (!sent) return { kind: 'unknown', code: 'unreadable_answer', detail: describeAnswer(answer) };
  return { kind: 'succeeded', remoteId: String(sent.message_id), remoteUrl: messageUrl(sent) };
}

/** Null: a chat whose messages have no address (a small group, a person). */
function messageUrl({ message_id: id, chat }: z.infer<typeof sentMessage>): string | null {
  if (chat.username !== undefined && chat.id < 0) return `https://t.me/${chat.username}/${id}`;
  const [, internalId] = /^-100(\d+)$/.exec(String(chat.id)) ?? [];
  return internalId === undefined ? null : `https://t.me/c/${internalId}/${id}`;
}

function outcomeByWords(answer: Answer): PublishOutcome {
  const { status } = answer;
  const { description = '', parameters } = parseAnswer(answer) ?? {};
  const newId = parameters?.migrate_to_chat_id;
  const advice = newId === undefined ? '' : ` (set target to ${newId}: the group has moved there)`;
  const detail = describeAnswer(answer) + advice;
  const blocked = { kind: 'blocked', scope: 'channel', detail } as const;
  const failed = { kind: 'failed', detail } as const;

  // Not sent there at once: history and limits of a channel belong to the target that its owner has named.
  if (newId !== undefined || isGone.test(description)) return { ...blocked, code: 'gone', isGone: true };
  if (notFound.test(description)) return { ...blocked, code: 'not_found', isGone: false };
  if (status === 403 || forbidden.test(description)) return { ...blocked, code: 'forbidden', isGone: false };
  if (tooLong.test(description)) return { ...failed, code: 'too_long', isFinal: true, blames: 'article' };
  if (ofArticle.test(description)) return { ...failed, code: 'rejected', isFinal: true, blames: 'article' };
  return { ...failed, code: 'rejected', isFinal: false, blames: 'channel' };
}
