import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Post, Reconciliation } from '../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { createSendRequest, type SendRequestOptions } from '../../src/channels/sendRequest.ts';
import { standingClock } from '../../src/clock.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { examplePost } from '../support/examplePost.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { until } from '../support/until.ts';

/** What a channel's file under `harnesses/` states for the suite. */
export type ChannelHarness = {
  channel: Channel;
  /** How it finds out about a lost answer, with the settings of `open`. */
  reconciliation: Reconciliation['kind'];
  /** Values that must never appear in an outcome. */
  secrets: readonly string[];
  open(): Promise<OpenDestination>;
  /** Each class of refusal that the channel tells apart, and what it has to make of it. */
  refusals: readonly Refusal[];
  /** Null for a channel that uses no network: the phases of a lost answer do not exist for it. */
  network: NetworkHarness | null;
};

export type OpenDestination = {
  /** As in `config.yaml`: the suite parses them. */
  settings: unknown;
  /** What exists there, one name for each post, the remote side's own deduplication applied. */
  posts(): Promise<readonly string[]>;
  close(): Promise<void>;
};

export type Refusal = {
  name: string;
  /** Makes the destination refuse; what it returns undoes it. */
  arrange(destination: OpenDestination): Promise<() => Promise<void>>;
  expected: ExpectedOutcome;
};

export type NetworkHarness = {
  /** The settings with the remote side at `baseUrl`. */
  settingsAt(baseUrl: string): unknown;
  /** How the remote side accepts a post. */
  accepts: Behaviour;
  /** Each class of answer that the channel tells apart. */
  answers: readonly { name: string; behaviour: Behaviour; expected: ExpectedOutcome }[];
};

export type ExpectedOutcome = { [Key in keyof PublishOutcome]?: PublishOutcome[Key] } & Record<
  string,
  unknown
>;

const sendingAt = new Date('2026-09-07T08:30:01.000Z');
const sendBy = new Date('2026-09-07T08:30:11.000Z');
const tooLate = new Date('2026-09-07T08:30:11.001Z');
const limits = { sendConnectMs: 200, sendAnswerMs: 300 };
const guard = createAddressGuard(['127.0.0.1']);

/** The suite that every channel passes. What it promises is in src/channels/PublishOutcome.ts. */
export function describeChannel(name: string, harness: ChannelHarness): void {
  describe(`channel ${name}`, () => {
    describeDestination(harness);
    if (harness.network !== null) describeNetwork(harness, harness.network);
  });
}

function describeDestination(harness: ChannelHarness): void {
  const { channel, refusals } = harness;
  let destination: OpenDestination;

  beforeEach(async () => {
    destination = await harness.open();
  });

  afterEach(() => destination.close());

  const publish = (post: Post, options: Partial<SendRequestOptions> = {}) =>
    publishWith(harness, destination.settings, post, options);

  it('publishes a post and says where it is', async () => {
    const outcome = await publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'succeeded', remoteId: expect.any(String) });
    expect(await destination.posts()).toHaveLength(1);
  });

  it('publishes a post that has nothing but its text', async () => {
    const bare = { url: null, summary: null, author: null, tags: [], imageUrl: null };

    const outcome = await publish(examplePost(bare));

    expect(outcome.kind).toBe('succeeded');
  });

  it('gives different posts different identities', async () => {
    await publish(examplePost());
    await publish(examplePost({ postKey: '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a' }));

    expect(await destination.posts()).toHaveLength(2);
  });

  it.runIf(harness.reconciliation === 'repeat')(
    'makes one post of the same publication sent twice',
    async () => {
      const first = await publish(examplePost());
      const second = await publish(examplePost(), { clock: standingClock(sendBy) });

      expect(second).toEqual(first);
      expect(await destination.posts()).toHaveLength(1);
    },
  );

  it('sends nothing when it is aborted before it begins', async () => {
    const outcome = await publish(examplePost(), { signal: AbortSignal.abort() });

    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    expect(await destination.posts()).toEqual([]);
  });

  it.each(refusals)('maps $name', async ({ arrange, expected }) => {
    const undo = await arrange(destination);

    const outcome = await publish(examplePost());
    await undo();

    expect(outcome).toMatchObject(expected);
    expect(await destination.posts()).toEqual([]);
  });

  it('names its destination without secrets, the same each time', () => {
    const settings = channel.settings.parse(destination.settings);

    const named = channel.destination(settings);

    expect(named.target).not.toBe('');
    expect(channel.destination(settings)).toEqual(named);
    expectNoSecret(harness, named);
  });

  it('refuses settings that it does not know', () => {
    const parsed = channel.settings.safeParse({ ...Object(destination.settings), unheardOf: 1 });

    expect(parsed.success).toBe(false);
  });
}

function describeNetwork(harness: ChannelHarness, { settingsAt, accepts, answers }: NetworkHarness): void {
  let receiver: FakeReceiver;

  beforeEach(async () => {
    receiver = await openFakeReceiver();
    receiver.behave(accepts);
  });

  afterEach(() => receiver.close());

  const publish = (options: Partial<SendRequestOptions> = {}) =>
    publishWith(harness, settingsAt(receiver.url), examplePost(), options);
  // A handshake with a server that says nothing: a connection that stays half open.
  const publishWithTls = (options: Partial<SendRequestOptions> = {}) =>
    publishWith(harness, settingsAt(receiver.url.replace('http:', 'https:')), examplePost(), options);

  it.each(answers)('maps $name', async ({ behaviour, expected }) => {
    receiver.behave(behaviour);

    const outcome = await publish();

    expect(outcome).toMatchObject(expected);
  });

  it.each<[string, Behaviour, string]>([
    ['a reset after the request', { kind: 'reset' }, 'connection_reset'],
    ['a close without an answer', { kind: 'close' }, 'connection_reset'],
    ['no answer', { kind: 'never_answer' }, 'response_timeout'],
    ['an answer without an end', { kind: 'drip' }, 'response_timeout'],
    ['an answer that breaks off', { kind: 'cut_answer', status: 200 }, 'unreadable_answer'],
    ['a refusal that breaks off', { kind: 'cut_answer', status: 400 }, 'unreadable_answer'],
    ['garbage', { kind: 'garbage' }, 'unreadable_answer'],
  ])('calls the outcome unknown after %s', async (_name, behaviour, code) => {
    receiver.behave(behaviour);

    const outcome = await publish();

    expect(outcome).toMatchObject({ kind: 'unknown', code });
    expect(receiver.connections()).toBe(1);
  });

  it('stays with unknown when the answer comes late', async () => {
    receiver.behave({ kind: 'hold' });

    const outcome = await publish();
    receiver.release();

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'response_timeout' });
    expect(receiver.requests).toHaveLength(1);
  });

  it('calls the outcome unknown when it is aborted while the answer is awaited', async () => {
    receiver.behave({ kind: 'never_answer' });
    const abort = new AbortController();

    const publishing = publish({
      signal: abort.signal,
      limits: { sendConnectMs: 5_000, sendAnswerMs: 5_000 },
    });
    await receiver.received(1);
    abort.abort();

    expect(await publishing).toMatchObject({ kind: 'unknown', code: 'aborted' });
  });

  it('gives back when it is aborted while it connects', async () => {
    receiver.behave({ kind: 'ignore_connection' });
    const abort = new AbortController();

    const publishing = publishWithTls({
      signal: abort.signal,
      limits: { sendConnectMs: 5_000, sendAnswerMs: 5_000 },
    });
    await until(() => receiver.connections() === 1, { intervalMs: 5 });
    abort.abort();

    expect(await publishing).toMatchObject({ kind: 'not_sent', code: 'aborted' });
  });

  it('lets nothing reach the remote side past the time to send', async () => {
    const instants = [sendingAt];
    const passesWhileConnecting = { now: () => instants.shift() ?? tooLate };

    const before = await publish({ clock: standingClock(tooLate) });
    const during = await publish({ clock: passesWhileConnecting });
    await receiver.closed(1);

    expect(before).toMatchObject({ kind: 'not_sent', code: 'send_by_passed' });
    expect(during).toMatchObject({ kind: 'not_sent', code: 'send_by_passed' });
    expect(receiver.requests).toEqual([]);
  });

  it('fails, and may be tried again, when no connection comes about', async () => {
    receiver.behave({ kind: 'ignore_connection' });
    const silent = await publishWithTls();
    receiver.behave({ kind: 'greet' });
    const plain = await publishWithTls();
    const closed = await openFakeReceiver();
    await closed.close();
    const refused = await publishWith(harness, settingsAt(closed.url), examplePost());

    const failed = { kind: 'failed', isFinal: false, blames: 'channel' };
    expect(silent).toMatchObject({ ...failed, code: 'connection_timeout' });
    expect(plain).toMatchObject({ ...failed, code: 'tls_failed' });
    expect(refused).toMatchObject({ ...failed, code: 'connection_refused' });
  });

  it('says what to set when the address is not public', async () => {
    const outcome = await publish({ guard: createAddressGuard([]) });

    expect(outcome).toMatchObject({ kind: 'failed', code: 'address_refused', blames: 'channel' });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('HEADWAY_ALLOW_NETWORKS') });
    expect(receiver.connections()).toBe(0);
  });

  it('quotes a refusal that echoes the request in one short line, without secrets', async () => {
    receiver.behave(({ headers, body }) => ({
      kind: 'answer',
      status: 400,
      body: `${JSON.stringify(headers, null, 2)}\n${body}\n${'x'.repeat(5_000)}`,
    }));

    const outcome = await publish();

    expect(outcome).toMatchObject({ detail: expect.stringMatching(/^[^\n]{1,300}$/) });
  });
}

/** Every outcome of the suite passes through here, so each is searched for secrets. */
async function publishWith(
  harness: ChannelHarness,
  rawSettings: unknown,
  post: Post,
  options: Partial<SendRequestOptions> = {},
): Promise<PublishOutcome> {
  const { channel } = harness;
  const { signal = new AbortController().signal } = options;
  const clock = standingClock(sendingAt);
  const send = createSendRequest({
    guard,
    clock,
    sendBy,
    userAgent: 'Headway/test',
    limits,
    ...options,
    signal,
  });
  const settings = channel.settings.parse(rawSettings);

  const outcome = await channel.publish(post, settings, { sendingAt, send, signal });

  expectNoSecret(harness, outcome);
  return outcome;
}

function expectNoSecret({ secrets }: ChannelHarness, shown: unknown): void {
  for (const secret of secrets) expect(JSON.stringify(shown)).not.toContain(secret);
}
