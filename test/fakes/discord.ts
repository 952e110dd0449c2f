import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';

export type FakeDiscordOptions = {
  id?: string;
  token?: string;
  /** A forum takes posts only into threads. */
  isForum?: boolean;
};

export type FakeMessage = Readonly<Record<string, unknown>> & { id: string; channel_id: string };

/** One webhook of Discord, as its documentation of August 2026 has it. */
export type FakeDiscord = ProtocolFake & {
  /** Where it is, below the origin. */
  path: string;
  messages(): readonly FakeMessage[];
  /** Somebody deletes it. */
  remove(): void;
  /** The next posts are answered with 429. */
  limit(seconds: number): void;
};

const words = /badword/;

/** It keeps the same message as often as it is sent, and with `wait=false` says nothing of what it refuses. */
export function fakeDiscord({
  id = '1098765432109876543',
  token = 'Zx-9_aToken-of-the-webhook_1234567890',
  isForum = false,
}: FakeDiscordOptions = {}): FakeDiscord {
  const messages: FakeMessage[] = [];
  let isGone = false;
  let waitSeconds: number | null = null;

  function answer(request: ReceivedRequest): Behaviour {
    const { pathname, searchParams } = new URL(request.path, 'http://fake');
    const [, foundId, foundToken] = /^\/api(?:\/v10)?\/webhooks\/(\d+)\/([^/]+)$/.exec(pathname) ?? [];
    if (foundId === undefined) return refusal(404, 0, '404: Not Found');
    if (isGone || foundId !== id) return refusal(404, 10015, 'Unknown Webhook');
    if (foundToken !== token) return refusal(401, 50027, 'Invalid Webhook Token');
    if (request.method === 'GET') return jsonAnswer(200, hook(), close);
    if (waitSeconds !== null) return limited(waitSeconds);
    return execute(request, searchParams);
  }

  function hook() {
    return { id, type: 1, name: 'News', channel_id: '2001', guild_id: '3001', token, application_id: null };
  }

  function execute(request: ReceivedRequest, query: URLSearchParams): Behaviour {
    const body = bodyOf(request);
    const refused =
      body === null ? refusal(400, 50109, 'The request body contains invalid JSON.') : check(body);
    const threadId = query.get('thread_id');
    const placed = body === null ? null : checkPlace(body, threadId);
    const isWaiting = query.get('wait') === 'true';
    if (refused ?? placed) return isWaiting ? (refused ?? placed ?? refusal(400, 0, '')) : noContent;
    const messageId = String(9_000 + messages.length);
    const thread = body?.thread_name === undefined ? threadId : String(8_000 + messages.length);
    const message = { ...body, id: messageId, channel_id: thread ?? '2001', webhook_id: id };
    messages.push(message);
    return isWaiting ? jsonAnswer(200, message, close) : noContent;
  }

  function checkPlace({ thread_name: name }: Body, threadId: string | null): Behaviour | null {
    if (name !== undefined && threadId !== null)
      return refusal(400, 220002, 'Webhooks posted to forum channels cannot have both');
    if (isForum && name === undefined && threadId === null)
      return refusal(400, 220001, 'Webhooks posted to forum channels must have a thread_name or thread_id');
    if (!isForum && name !== undefined)
      return refusal(400, 220003, 'Webhooks can only create threads in forum channels');
    if (threadId === '404') return refusal(404, 10003, 'Unknown Channel');
    return null;
  }

  return {
    path: `/api/webhooks/${id}/${token}`,
    answer,
    isPost: ({ method }) => method === 'POST',
    posts: () => messages.map(message => message.id),
    messages: () => messages,
    remove() {
      isGone = true;
    },
    limit(seconds) {
      waitSeconds = seconds;
    },
  };
}

type Body = Readonly<Record<string, unknown>>;

const close = { Connection: 'close' };
const noContent: Behaviour = { kind: 'answer', status: 204, headers: close };

function bodyOf({ headers, body }: ReceivedRequest): Body | null {
  if (!/^application\/json/.test(headers['content-type'] ?? '')) return null;
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : null;
}

/** Lengths in code points, of what is left when it is trimmed. */
function check(body: Body): Behaviour | null {
  const { content = '', embeds = [], username } = body;
  const cards: Body[] = Array.isArray(embeds) ? embeds : [];
  if (trimmed(content) === '' && cards.length === 0)
    return refusal(400, 50006, 'Cannot send an empty message');
  if (length(content) > 2_000) return invalidForm('content', 'Must be 2000 or fewer in length.');
  if (username !== undefined && /discord|clyde/i.test(String(username)))
    return invalidForm('username', 'Username cannot contain "discord"');
  if (body.thread_name !== undefined && length(body.thread_name) > 100)
    return invalidForm('thread_name', 'Must be between 1 and 100 in length.');
  if (words.test(String(content))) return refusal(400, 200000, 'Message was blocked by automatic moderation');
  return cards.length > 10 ? invalidForm('embeds', 'Must be 10 or fewer in length.') : checkCards(cards);
}

function checkCards(cards: readonly Body[]): Behaviour | null {
  let sum = 0;
  for (const { title = '', description = '', url, image } of cards) {
    sum += length(title) + length(description);
    const picture = typeof image === 'object' && image !== null && 'url' in image ? image.url : undefined;
    const isWrong =
      length(title) > 256 || length(description) > 4_096 || [url, picture].some(one => !isWellFormed(one));
    if (isWrong) return invalidForm('embeds', 'Scheme must be one of (http, https), or too long.');
  }
  return sum > 6_000 ? invalidForm('embeds', 'Embed size exceeds maximum size of 6000') : null;
}

function isWellFormed(url: unknown): boolean {
  return url === undefined || (/^https?:\/\//.test(String(url)) && length(url) <= 2_048);
}

function trimmed(text: unknown): string {
  return typeof text === 'string' ? text.trim() : '';
}

function length(text: unknown): number {
  return Array.from(trimmed(text)).length;
}

function refusal(status: number, code: number, message: string): Behaviour {
  return jsonAnswer(status, { message, code }, close);
}

function invalidForm(field: string, message: string): Behaviour {
  const errors = { [field]: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message }] } };
  return jsonAnswer(400, { message: 'Invalid Form Body', code: 50035, errors }, close);
}

function limited(seconds: number): Behaviour {
  const body = { message: 'You are being rate limited.', retry_after: seconds, global: false };
  const headers = {
    'Retry-After': String(Math.ceil(seconds)),
    'X-RateLimit-Limit': '5',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset-After': String(seconds),
    'X-RateLimit-Bucket': 'abcd1234',
    'X-RateLimit-Scope': 'user',
  };
  return jsonAnswer(429, body, { ...headers, ...close });
}
