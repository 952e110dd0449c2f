import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import type { ProtocolFake } from '../support/protocolFake.ts';

/** One incoming webhook of Slack. It keeps the same message as often as it is sent, and tells nothing of it. */
export type FakeSlack = ProtocolFake & {
  /** Where it is, below the origin. */
  path: string;
  messages(): readonly Readonly<Record<string, unknown>>[];
  /** What it refuses everything with, as somebody has brought about; null: all is well. */
  refuse(refusal: { status: number; words: string; headers?: Record<string, string> } | null): void;
};

const path = '/services/T0TEAM01/B0APP0001/s3cretTokenOfSlack24chars';

/** A webhook in a channel that is open to it. */
export function fakeSlack(): FakeSlack {
  const messages: Readonly<Record<string, unknown>>[] = [];
  let refusal: { status: number; words: string; headers?: Record<string, string> } | null = null;

  function answer(request: ReceivedRequest): Behaviour {
    if (request.method !== 'POST') return said(405, 'method_not_allowed');
    if (refusal !== null) return said(refusal.status, refusal.words, refusal.headers);
    const [, services, team, app] = request.path.split('/');
    if (services !== 'services' || team !== 'T0TEAM01') return said(404, 'no_team');
    if (app !== 'B0APP0001') return said(404, 'no_service');
    if (request.path !== path) return said(403, 'invalid_token');
    return keep(request);
  }

  function keep({ body }: ReceivedRequest): Behaviour {
    const message = parse(body);
    if (message === null) return said(400, 'invalid_payload');
    const { text, blocks, attachments } = message;
    if ([text, blocks, attachments].every(part => part === undefined || part === ''))
      return said(400, 'no_text');
    // What is too long is cut off, and not refused.
    messages.push({ ...message, text: String(text).slice(0, 40_000) });
    return said(200, 'ok');
  }

  return {
    path,
    answer,
    isPost: ({ method }) => method === 'POST',
    posts: () => messages.map((_, index) => String(index)),
    messages: () => messages,
    refuse(refused) {
      refusal = refused;
    },
  };
}

function parse(body: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : null;
  } catch {
    return null;
  }
}

function said(status: number, words: string, headers: Record<string, string> = {}): Behaviour {
  const type = { 'Content-Type': 'text/html', Connection: 'close' };
  return { kind: 'answer', status, headers: { ...type, ...headers }, body: words };
}
