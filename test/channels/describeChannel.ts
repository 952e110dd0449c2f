import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Reconciliation } from '../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { standingClock } from '../../src/clock.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { examplePost } from '../support/examplePost.ts';
import type { Behaviour } from '../support/fakeReceiver.ts';
import { openFakeReceiver } from '../support/fakeReceiver.ts';
import { type Fault, type OpenFake, openProtocolFake, type ProtocolFake } from '../support/protocolFake.ts';
import { until } from '../support/until.ts';
import { type ChannelUser, openChannel, type SendOptions, sendBy, sendingAt } from './openChannel.ts';

/** What a channel's file under `harnesses/` states for the suite. */
export type ChannelHarness = {
  channel: Channel;
  /** How it finds out about a lost answer, with the settings of `open`. */
  reconciliation: Reconciliation['kind'];
  /** Values that must never appear in an outcome. */
  secrets: readonly string[];
  open(): Promise<OpenDestination>;
  /** Each class of refusal that the channel tells apart beside answers, and what it has to make of it. */
  refusals: readonly Refusal[];
  /** Null for a channel that speaks no HTTP: the phases of a lost answer are tested beside the suite, or do not exist. */
  network: NetworkHarness | null;
};

export type OpenDestination = {
  /** As in `config.yaml`: the suite parses them. */
  settings: unknown;
  /** The account's keys there; undefined: the channel has none. */
  account?: unknown;
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
  /** The settings, and the account's keys, with the remote side at `baseUrl`. */
  settingsAt(baseUrl: string): unknown;
  accountAt?(baseUrl: string): unknown;
  /** The remote side: a new one for each test. */
  fake(): ProtocolFake;
  /** Each class of answer to the request that posts, and what the channel has to make of it. */
  answers: readonly { name: string; behaviour: Behaviour; expected: ExpectedOutcome }[];
};

export type ExpectedOutcome = { [Key in keyof PublishOutcome]?: PublishOutcome[Key] } & Record<
  string,
  unknown
>;

const tooLate = new Date(sendBy.getTime() + 1);
// For what is to run into its limit.
const short = { limits: { sendConnectMs: 200, sendAnswerMs: 300 } };

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
  let user: ChannelUser;

  beforeEach(async () => {
    destination = await harness.open();
    user = openChannel(harness, destination);
  });

  afterEach(() => destination.close());

  it('publishes a post and says where it is', async () => {
    const outcome = await user.publish(examplePost());

    expect(outcome).toMatchObject({ kind: 'succeeded', remoteId: expect.any(String) });
    expect(await destination.posts()).toHaveLength(1);
  });

  it('publishes a post that has nothing but its text', async () => {
    const bare = { url: null, summary: null, author: null, tags: [], imageUrl: null, language: null };

    const outcome = await user.publish(examplePost(bare));

    expect(outcome.kind).toBe('succeeded');
  });

  it('publishes a post whose picture cannot be had', async () => {
    const pictureless = openChannel(harness, destination, { picture: null });

    const outcome = await pictureless.publish(examplePost());

    expect(outcome.kind).toBe('succeeded');
    expect(await destination.posts()).toHaveLength(1);
  });

  it('publishes a post that is far longer than it may be, its link whole', async () => {
    const url = `https://news.test/${'a'.repeat(150)}`;
    const long = { title: 'Headway '.repeat(60).trim(), text: 'The queue goes on. '.repeat(4_000), url };

    const outcome = await user.publish(examplePost(long));

    expect(outcome.kind).toBe('succeeded');
    const shown = user.preview(examplePost(long)).parts.map(({ text }) => text);
    expect(shown.join('\n')).toContain(url);
  });

  it('gives different posts different identities', async () => {
    await user.publish(examplePost());
    await user.publish(examplePost({ postKey: '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a' }));

    expect(await destination.posts()).toHaveLength(2);
  });

  if (harness.reconciliation === 'repeat')
    it('makes one post of the same publication sent twice', async () => {
      const composed = await user.compose(examplePost());
      const first = await user.send(composed);
      const second = await user.send(composed, { clock: standingClock(sendBy) });

      expect(second).toEqual(first);
      expect(await destination.posts()).toHaveLength(1);
    });

  if (harness.reconciliation === 'look_up')
    it('finds what it has posted', async () => {
      const composed = await user.compose(examplePost());

      const before = await user.lookUp(composed);
      await user.send(composed);
      const after = await user.lookUp(composed);

      expect(before).toEqual({ kind: 'not_found' });
      expect(after.kind).toBe('found');
    });

  it('sends nothing when it is aborted before it begins', async () => {
    const composed = await user.compose(examplePost());

    const outcome = await user.send(composed, { signal: AbortSignal.abort() });

    expect(outcome).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    expect(await destination.posts()).toEqual([]);
  });

  if (channel.compose !== undefined)
    it('gives up composing when it is aborted', async () => {
      const answer = await user.tryToCompose(examplePost(), { signal: AbortSignal.abort() });

      expect(['not_sent', 'composed']).toContain(answer.kind);
      expect(await destination.posts()).toEqual([]);
    });

  it.each(refusals)('maps $name', async ({ arrange, expected }) => {
    const undo = await arrange(destination);

    const outcome = await user.publish(examplePost());
    await undo();

    expect(outcome).toMatchObject(expected);
    expect(await destination.posts()).toEqual([]);
  });

  it('shows a post as it would send it, each part within its limit', () => {
    const { parts } = user.preview(examplePost({ text: 'The queue goes on. '.repeat(4_000) }));

    expect(parts.length).toBeGreaterThan(0);
    for (const { count } of parts) expect(count?.length ?? 0).toBeLessThanOrEqual(count?.limit ?? 0);
  });

  it('names its destination without secrets, the same each time', () => {
    const named = user.destination();

    expect(named.target).not.toBe('');
    expect(user.destination()).toEqual(named);
  });

  it('refuses settings that it does not know', () => {
    const parsed = channel.settings.safeParse({ ...Object(destination.settings), unheardOf: 1 });

    expect(parsed.success).toBe(false);
  });

  if (channel.account !== null)
    it('refuses keys of an account that it does not know', () => {
      const parsed = channel.account?.credentials.safeParse({ ...Object(destination.account), unheardOf: 1 });

      expect(parsed?.success).toBe(false);
    });
}

function describeNetwork(harness: ChannelHarness, network: NetworkHarness): void {
  let fake: OpenFake;
  let user: ChannelUser;

  const at = (url: string) => ({
    settings: network.settingsAt(url),
    account: network.accountAt?.(url),
    posts: async () => [],
    close: async () => undefined,
  });

  beforeEach(async () => {
    fake = await openProtocolFake(network.fake());
    user = openChannel(harness, at(fake.url));
  });

  afterEach(() => fake.close());

  // What comes before the post goes well: the session is open, the picture uploaded.
  const publish = async (options: SendOptions = {}) => user.send(await user.compose(examplePost()), options);
  const elsewhere = async (url: string, options: SendOptions = {}) => {
    const composed = await user.compose(examplePost());
    return openChannel(harness, at(url), { session: await user.session() }).send(composed, options);
  };
  // A handshake with a server that says nothing: a connection that stays half open.
  const withTls = async (behaviour: Behaviour, options: SendOptions = {}) => {
    const silent = await openFakeReceiver();
    silent.behave(behaviour);
    const outcome = elsewhere(silent.url.replace('http:', 'https:'), options);
    await until(() => silent.connections() === 1, { intervalMs: 5 });
    return { outcome, close: silent.close };
  };
  const fails = (behaviour: Fault['behaviour']) => fake.plan({ when: 'before', behaviour });

  it.each(network.answers)('maps $name', async ({ behaviour, expected }) => {
    fails(behaviour);

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
    fails(behaviour);

    const outcome = await publish(short);

    expect(outcome).toMatchObject({ kind: 'unknown', code });
    expect(fake.sent()).toHaveLength(1);
  });

  if (harness.reconciliation === 'look_up')
    it('finds a post whose answer was lost', async () => {
      const composed = await user.compose(examplePost());
      fake.plan({ when: 'after', behaviour: { kind: 'reset' } });
      const outcome = await user.send(composed);

      const answer = await user.lookUp(composed);

      expect(outcome.kind).toBe('unknown');
      expect(answer.kind).toBe('found');
    });

  if (harness.reconciliation === 'look_up')
    it.each<[string, Behaviour]>([
      ['fails', { kind: 'answer', status: 500, body: 'oops' }],
      ['answers with garbage', { kind: 'answer', status: 200, body: '<html>' }],
      ['never answers', { kind: 'never_answer' }],
    ])('proves nothing by a search that %s', async (_name, behaviour) => {
      const composed = await user.compose(examplePost());
      fake.plan({ when: 'before', behaviour, on: () => true });

      const answer = await user.lookUp(composed, short);

      expect(answer.kind).toBe('incomplete');
    });

  it('stays with unknown when the answer comes late', async () => {
    fails({ kind: 'hold' });

    const outcome = await publish(short);
    fake.receiver.release();

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'response_timeout' });
    expect(fake.sent()).toHaveLength(1);
  });

  it('calls the outcome unknown when it is aborted while the answer is awaited', async () => {
    fails({ kind: 'never_answer' });
    const abort = new AbortController();

    const publishing = publish({ signal: abort.signal });
    await until(() => fake.sent().length === 1, { intervalMs: 5 });
    abort.abort();

    expect(await publishing).toMatchObject({ kind: 'unknown', code: 'aborted' });
  });

  it('gives back when it is aborted while it connects', async () => {
    const abort = new AbortController();

    const { outcome, close } = await withTls({ kind: 'ignore_connection' }, { signal: abort.signal });
    abort.abort();

    expect(await outcome).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    await close();
  });

  it('lets nothing reach the remote side past the time to send', async () => {
    const instants = [sendingAt];
    const passesWhileConnecting = { now: () => instants.shift() ?? tooLate };

    const before = await publish({ clock: standingClock(tooLate) });
    const during = await publish({ clock: passesWhileConnecting });
    await fake.receiver.closed(1);

    expect(before).toMatchObject({ kind: 'not_sent', code: 'send_by_passed' });
    expect(during).toMatchObject({ kind: 'not_sent', code: 'send_by_passed' });
    expect(fake.sent()).toEqual([]);
  });

  it('fails, and may be tried again, when no connection comes about', async () => {
    const silent = await withTls({ kind: 'ignore_connection' }, short);
    const plain = await withTls({ kind: 'greet' });
    const closed = await openFakeReceiver();
    await closed.close();
    const refused = await elsewhere(closed.url);

    const failed = { kind: 'failed', isFinal: false, blames: 'channel' };
    expect(await silent.outcome).toMatchObject({ ...failed, code: 'connection_timeout' });
    expect(await plain.outcome).toMatchObject({ ...failed, code: 'tls_failed' });
    expect(refused).toMatchObject({ ...failed, code: 'connection_refused' });
    await Promise.all([silent.close(), plain.close()]);
  });

  it('says what to set when the address is not public', async () => {
    const outcome = await publish({ guard: createAddressGuard([]) });

    expect(outcome).toMatchObject({ kind: 'failed', code: 'address_refused', blames: 'channel' });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('HEADWAY_ALLOW_NETWORKS') });
    expect(fake.sent()).toEqual([]);
  });

  it('quotes a refusal that echoes the request in one short line, without secrets', async () => {
    fails(({ headers, body }) => ({
      kind: 'answer',
      status: 400,
      body: `${JSON.stringify(headers, null, 2)}\n${body}\n${'x'.repeat(5_000)}`,
    }));

    const outcome = await publish();

    expect(outcome).toMatchObject({ detail: expect.stringMatching(/^[^\n]{1,300}$/) });
  });
}
