import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';

export type FakeChat = {
  id: number;
  type: 'channel' | 'supergroup' | 'group' | 'private';
  title: string;
  username?: string;
  /** What the bot is in it. */
  status: 'administrator' | 'member' | 'restricted' | 'left' | 'kicked';
  canPost?: boolean;
  /** The group has become a supergroup of this id. */
  movedTo?: number;
};

/** A Bot API server with one bot. It keeps the same message as often as it is sent, and lists nothing. */
export type FakeTelegram = ProtocolFake & {
  token: string;
  /** As they were sent, the text as it is read. */
  messages(): readonly (Readonly<Record<string, unknown>> & { read: string })[];
  /** Changes a chat, or what the bot is in it. */
  change(id: number, change: Partial<FakeChat>): void;
  /** @BotFather revokes the token. */
  revoke(): void;
  /** The next messages are answered with 429. */
  limit(seconds: number): void;
};

const channel: FakeChat = {
  id: -1001234567890,
  type: 'channel',
  title: 'News',
  username: 'news_channel',
  status: 'administrator',
  canPost: true,
};

/** `chats`: default one public channel, @news_channel, in which the bot may post. */
export function fakeTelegram({ chats = [channel] }: { chats?: readonly FakeChat[] } = {}): FakeTelegram {
  const token = '123456789:AAF-secret_of_the_bot_0123456789abcde';
  const messages: (Record<string, unknown> & { read: string })[] = [];
  let places = [...chats];
  let isRevoked = false;
  let waitSeconds: number | null = null;

  function answer(request: ReceivedRequest): Behaviour {
    const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.path) ?? [];
    if (given === undefined) return refusal(404, 'Not Found');
    if (given !== token || isRevoked) return refusal(401, 'Unauthorized');
    const parameters = parametersOf(request);
    switch (method?.toLowerCase()) {
      case 'getme':
        return done({ id: 123456789, is_bot: true, first_name: 'News', username: 'news_bot' });
      case 'getchat':
        return withChat(parameters, ({ id, type, title, username }) => done({ id, type, title, username }));
      case 'getchatmember':
        return withChat(parameters, ({ status, canPost }) =>
          done({ status, user: { id: 123456789 }, can_post_messages: canPost, can_send_messages: canPost }),
        );
      case 'sendmessage':
        if (waitSeconds !== null) return limited(waitSeconds);
        return withChat(parameters, chat => sendTo(chat, parameters));
      default:
        return refusal(404, 'Not Found: method not found');
    }
  }

  function withChat({ chat_id: id }: Parameters, use: (chat: FakeChat) => Behaviour): Behaviour {
    const named = String(id).toLowerCase();
    const chat = places.find(one => named === String(one.id) || named === `@${one.username?.toLowerCase()}`);
    return chat === undefined ? refusal(400, 'Bad Request: chat not found') : use(chat);
  }

  function sendTo(chat: FakeChat, parameters: Parameters): Behaviour {
    const refused = whyNot(chat);
    if (refused !== null) return refused;
    const { text = '', parse_mode: mode } = parameters;
    const read = mode === 'HTML' ? readHtml(String(text)) : String(text);
    if (read === null) return refusal(400, "Bad Request: can't parse entities: Unsupported start tag");
    if (read.trim() === '') return refusal(400, 'Bad Request: message text is empty');
    if (read.trim().length > 4_096) return refusal(400, 'Bad Request: message is too long');
    messages.push({ ...parameters, read: read.trim() });
    const { id, type, title, username } = chat;
    return done({
      message_id: messages.length,
      date: 1_788_769_801,
      chat: { id, type, title, username },
      text: read,
    });
  }

  return {
    token,
    answer,
    isPost: ({ path }) => /\/sendMessage$/i.test(path),
    posts: () => messages.map((_, index) => String(index + 1)),
    messages: () => messages,
    change(id, change) {
      places = places.map(chat => (chat.id === id ? { ...chat, ...change } : chat));
    },
    revoke() {
      isRevoked = true;
    },
    limit(seconds) {
      waitSeconds = seconds;
    },
  };
}

type Parameters = Readonly<Record<string, unknown>>;

const close = { Connection: 'close' };

function parametersOf({ body }: ReceivedRequest): Parameters {
  const parsed: unknown = body === '' ? {} : JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

function whyNot({ type, status, canPost = false, movedTo }: FakeChat): Behaviour | null {
  if (movedTo !== undefined) {
    const description = 'Bad Request: group chat was upgraded to a supergroup chat';
    return refusal(400, description, { migrate_to_chat_id: movedTo });
  }
  if (status === 'kicked') return refusal(403, `Forbidden: bot was kicked from the ${type} chat`);
  if (status === 'left') return refusal(403, `Forbidden: bot is not a member of the ${type} chat`);
  if (type === 'channel' && !(status === 'administrator' && canPost))
    return refusal(400, 'Bad Request: need administrator rights in the channel chat');
  if (status === 'restricted' && !canPost)
    return refusal(400, 'Bad Request: not enough rights to send text messages to the chat');
  return null;
}

const marks: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Null: a tag that it does not know. Unknown references stay as they are. */
function readHtml(text: string): string | null {
  const bare = text.replace(/<\/?(?:b|i|u|s|code|pre|a|blockquote)(?: [^>]*)?>/g, '');
  if (/</.test(bare)) return null;
  return bare.replace(/&(?:#(\d+)|(lt|gt|amp|quot));/g, (whole, code, name) =>
    code === undefined ? (marks[name] ?? whole) : String.fromCodePoint(Number(code)),
  );
}

function done(result: unknown): Behaviour {
  return jsonAnswer(200, { ok: true, result }, close);
}

function refusal(status: number, description: string, parameters?: Parameters): Behaviour {
  return jsonAnswer(status, { ok: false, error_code: status, description, parameters }, close);
}

function limited(seconds: number): Behaviour {
  const body = {
    ok: false,
    error_code: 429,
    description: `Too Many Requests: retry after ${seconds}`,
    parameters: { retry_after: seconds },
  };
  return jsonAnswer(429, body, { 'Retry-After': String(seconds), ...close });
}
