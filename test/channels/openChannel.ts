import { expect } from 'vitest';
import type {
  AccountAccess,
  Channel,
  ComposeAnswer,
  ComposedPost,
  ExistingContext,
  Finding,
  LookUpAnswer,
  NotComposed,
  Post,
  Preview,
  SendContext,
} from '../../src/channels/Channel.ts';
import { createExchangeMessage } from '../../src/channels/exchangeMessage.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { createSendRequest, type SendRequestOptions } from '../../src/channels/sendRequest.ts';
import { standingClock } from '../../src/clock.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';

export const sendingAt = new Date('2026-09-07T08:30:01.000Z');
export const sendBy = new Date('2026-09-07T08:30:11.000Z');

/** What one request is made with instead of the defaults: the instant of the gate, patience, loopback allowed. */
export type SendOptions = Partial<SendRequestOptions>;

/** A channel with its settings parsed and its account's session open, as the tests use it. */
export type ChannelUser = {
  destination(): { instance: string; target: string };
  preview(post: Post): Preview;
  /** Opens the session of the channel's account, once. */
  session(): Promise<unknown>;
  tryToCompose(post: Post, options?: SendOptions): Promise<ComposeAnswer<unknown> | NotComposed>;
  /** Throws for a post that cannot be composed. */
  compose(post: Post, options?: SendOptions): Promise<ComposedPost>;
  send(post: ComposedPost, options?: SendOptions): Promise<PublishOutcome>;
  /** All of it: the session, composing, sending. What ends it early is the outcome. */
  publish(post: Post, options?: SendOptions): Promise<PublishOutcome>;
  lookUp(post: ComposedPost, options?: SendOptions): Promise<LookUpAnswer>;
  findExisting(post: Post, options?: Partial<ExistingContext> & SendOptions): Promise<LookUpAnswer>;
  check(options?: SendOptions): Promise<readonly Finding[]>;
};

export type OpenOptions = {
  /** A session that is open already, with whatever server. */
  session?: unknown;
  /** What every picture is; null: none can be had. Default: a small PNG. */
  picture?: Buffer | null;
};

/** A PNG of one pixel. */
export const smallPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Uses a channel as Headway does. Whatever it answers is searched for `secrets`. */
export function openChannel(
  { channel, secrets }: { channel: Channel; secrets: readonly string[] },
  place: { settings: unknown; account?: unknown },
  { session: opened, picture = smallPng }: OpenOptions = {},
): ChannelUser {
  const settings = channel.settings.parse(place.settings);
  const credentials =
    place.account === undefined ? null : (channel.account?.credentials.parse(place.account) ?? null);
  let session = opened;

  function shown<Answer>(answer: Answer): Answer {
    for (const secret of secrets) expect(JSON.stringify(answer)).not.toContain(secret);
    return answer;
  }

  async function openSession(options: SendOptions): Promise<NotComposed | null> {
    if (session !== undefined || channel.account === null || credentials === null) return null;
    const context = { openedAt: sendingAt, ...outlet(options) };
    const answer = await channel.account.openSession(credentials, null, context);
    if (answer.kind !== 'opened') return shown(answer);
    session = channel.account.session.parse(JSON.parse(JSON.stringify(answer.session)));
    return null;
  }

  const account = (): AccountAccess | null =>
    channel.account === null || credentials === null ? null : { credentials, session: session ?? null };

  async function fetchImage(_url: string, { maxBytes }: { maxBytes: number }) {
    if (picture === null) return { kind: 'unavailable' as const, detail: 'HTTP 404' };
    if (picture.length > maxBytes) return { kind: 'unavailable' as const, detail: 'it is too large' };
    return { kind: 'image' as const, bytes: picture, mediaType: 'image/png' };
  }

  const user: ChannelUser = {
    destination: () => shown(channel.destination(settings, placeOf(credentials))),
    preview: post => shown(channel.preview(post, settings, session === undefined ? null : account())),
    async session() {
      const refusal = await openSession({});
      if (refusal) throw new Error(`no session: ${JSON.stringify(refusal)}`);
      return session;
    },
    async tryToCompose(post, options = {}) {
      const refusal = await openSession({ ...options, signal: new AbortController().signal });
      if (refusal) return refusal;
      if (!channel.compose) return { kind: 'composed', composed: null, notes: [] };
      const context = { account: account(), composedAt: sendingAt, fetchImage, ...outlet(options) };
      return shown(await channel.compose(post, settings, context));
    },
    async compose(post, options = {}) {
      const answer = await user.tryToCompose(post, options);
      if (answer.kind !== 'composed') throw new Error(`not composed: ${JSON.stringify(answer)}`);
      // Through JSON, as the database keeps it.
      return { ...post, composed: JSON.parse(JSON.stringify(answer.composed)) };
    },
    async send(post, options = {}) {
      return shown(
        await channel.publish(post, settings, { account: account(), sendingAt, ...outlet(options) }),
      );
    },
    async publish(post, options = {}) {
      const answer = await user.tryToCompose(post, options);
      if (answer.kind !== 'composed') return answer;
      return user.send({ ...post, composed: JSON.parse(JSON.stringify(answer.composed)) }, options);
    },
    async lookUp(post, options = {}) {
      const reconciliation = channel.reconciliation(settings);
      if (reconciliation.kind !== 'look_up') throw new Error('it cannot be asked');
      const context = { account: account(), askedAt: sendBy, ...outlet(options) };
      return shown(await reconciliation.lookUp({ post, sendingAt }, context));
    },
    async findExisting(post, options = {}) {
      if (!channel.findExisting) throw new Error('it cannot be asked');
      await user.session();
      const { notBefore = null } = options;
      const context = { account: account(), askedAt: sendingAt, notBefore, ...outlet(options) };
      return shown(await channel.findExisting(post, settings, context));
    },
    async check(options = {}) {
      if (!channel.check) throw new Error('it cannot be checked');
      await user.session();
      return shown(
        await channel.check(settings, { account: account(), askedAt: sendingAt, ...outlet(options) }),
      );
    },
  };
  return user;
}

function placeOf(credentials: unknown) {
  if (credentials === null) return null;
  const { instance = '', username = null } = Object(credentials);
  return { instance: String(instance), username: username === null ? null : String(username) };
}

function outlet(options: SendOptions): Pick<SendContext, 'send' | 'exchangeMessage' | 'signal'> {
  const { signal = new AbortController().signal } = options;
  const common = {
    guard: createAddressGuard(['127.0.0.1']),
    clock: standingClock(sendingAt),
    sendBy,
    userAgent: 'Headway/test',
    limits: { sendConnectMs: 3_000, sendAnswerMs: 3_000 },
    ...options,
    signal,
  };
  return { send: createSendRequest(common), exchangeMessage: createExchangeMessage(common), signal };
}
