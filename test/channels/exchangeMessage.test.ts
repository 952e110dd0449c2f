import { afterEach, describe, expect, it } from 'vitest';
import { createExchangeMessage, type OutgoingMessage } from '../../src/channels/exchangeMessage.ts';
import type { SendRequestOptions } from '../../src/channels/sendRequest.ts';
import { standingClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { type FakeRelay, type FakeRelayOptions, openFakeRelay } from '../fakes/relay.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { until } from '../support/until.ts';

const now = new Date('2026-09-07T08:30:00.000Z');
const sendBy = new Date('2026-09-07T08:30:10.000Z');
const tooLate = new Date('2026-09-07T08:30:10.001Z');
const short = { sendConnectMs: 200, sendAnswerMs: 300 };
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map(server => server.close()));
});

async function relay(options: FakeRelayOptions = {}): Promise<FakeRelay> {
  const fake = await openFakeRelay(options);
  opened.push(fake);
  return fake;
}

async function receiver(behaviour: Behaviour): Promise<FakeReceiver & { wsUrl: string }> {
  const fake = await openFakeReceiver();
  fake.behave(behaviour);
  opened.push(fake);
  return { ...fake, wsUrl: fake.url.replace('http', 'ws') };
}

function exchange(
  url: string,
  options: Partial<SendRequestOptions> = {},
  message: Partial<OutgoingMessage> = {},
) {
  return createExchangeMessage({
    guard: createAddressGuard(['127.0.0.1']),
    clock: standingClock(now),
    sendBy,
    userAgent: 'Headway/test',
    signal: new AbortController().signal,
    limits: defaultLimits,
    ...options,
  })({ url, message: 'hello', isAnswer: text => text === 'yes', ...message });
}

describe('an answered message', () => {
  it('brings the answer, and passes over what comes before it', async () => {
    const fake = await relay({
      onConnect: socket => socket.send('welcome'),
      onMessage(socket, text) {
        socket.send(`${text} yourself`);
        socket.send(Buffer.from('yes'));
        socket.send('yes');
      },
    });
    const passed: string[] = [];
    const isAnswer = (text: string) => passed.push(text) > 0 && text === 'yes';

    const result = await exchange(fake.url, {}, { isAnswer });

    expect(result).toEqual({ phase: 'answered', text: 'yes' });
    expect(passed).toEqual(['welcome', 'hello yourself', 'yes']);
    expect(fake.received).toEqual(['hello']);
  });

  it('takes a new connection each time, and closes it', async () => {
    const fake = await relay({ onMessage: socket => socket.send('yes') });

    await exchange(fake.url);
    await exchange(fake.url);
    await until(() => fake.connections() === 0, { intervalMs: 5 });

    expect(fake.received).toEqual(['hello', 'hello']);
  });
});

describe('a message whose answer is lost', () => {
  it.each<[string, FakeRelayOptions, string]>([
    ['never answered', {}, 'response_timeout'],
    ['answered with garbage', { onMessage: socket => socket.send('{"never') }, 'response_timeout'],
    ['cut off', { onMessage: socket => socket.terminate() }, 'connection_reset'],
    ['closed', { onMessage: socket => socket.close(1008, 'go away') }, 'connection_reset'],
  ])('was sent when it is %s', async (_name, options, failure) => {
    const fake = await relay(options);

    const result = await exchange(fake.url, { limits: short });

    expect(result).toMatchObject({ phase: 'sent', failure });
    expect(fake.received).toEqual(['hello']);
  });

  it('says with what words the connection was closed', async () => {
    const fake = await relay({ onMessage: socket => socket.close(1008, 'go away') });

    const result = await exchange(fake.url);

    expect(result).toMatchObject({ detail: 'the connection was closed (code 1008: go away)' });
  });

  it('stays lost when the answer comes late', async () => {
    let answerLate = () => {};
    const fake = await relay({
      onMessage(socket) {
        answerLate = () => socket.send('yes');
      },
    });

    const result = await exchange(fake.url, { limits: short });
    answerLate();

    expect(result).toMatchObject({ phase: 'sent', failure: 'response_timeout' });
  });

  it.each([
    [
      'many messages',
      (send: (text: string) => void) => Array.from({ length: 20 }, () => send('x'.repeat(100))),
    ],
    ['one message', (send: (text: string) => void) => send('x'.repeat(5_000))],
  ])('gives up on too much that comes as %s', async (_name, flood) => {
    const fake = await relay({ onMessage: socket => flood(text => socket.send(text)) });

    const result = await exchange(fake.url, {}, { maxAnswerBytes: 1_000 });

    expect(result).toMatchObject({ phase: 'sent' });
    await until(() => fake.connections() === 0, { intervalMs: 5 });
  });

  it('was sent when it is aborted while the answer is awaited', async () => {
    const fake = await relay();
    const abort = new AbortController();

    const exchanging = exchange(fake.url, { signal: abort.signal });
    await until(() => fake.received.length === 1, { intervalMs: 5 });
    abort.abort();

    expect(await exchanging).toMatchObject({ phase: 'sent', failure: 'aborted' });
    await until(() => fake.connections() === 0, { intervalMs: 5 });
  });
});

describe('a message that is not sent', () => {
  it.each<[string, Behaviour, string, string]>([
    ['refuses the handshake', { kind: 'answer', status: 403 }, 'connection_refused', 'HTTP 403'],
    [
      'answers as a page does',
      { kind: 'answer', status: 200, body: '<html>' },
      'connection_refused',
      'HTTP 200',
    ],
    [
      'redirects',
      { kind: 'answer', status: 301, headers: { Location: '/ws' } },
      'connection_refused',
      'HTTP 301',
    ],
    ['is reset in the handshake', { kind: 'reset' }, 'connection_reset', ''],
    ['answers the handshake with garbage', { kind: 'garbage' }, 'connection_refused', ''],
    ['never answers the handshake', { kind: 'never_answer' }, 'connection_timeout', 'within the time limit'],
  ])('meets a server that %s', async (_name, behaviour, failure, detail) => {
    const { wsUrl } = await receiver(behaviour);

    const result = await exchange(wsUrl, { limits: short });

    expect(result).toMatchObject({ phase: 'not_sent', failure, detail: expect.stringContaining(detail) });
  });

  it('meets a server that forges the handshake', async () => {
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': 'forged' };
    const { wsUrl } = await receiver({ kind: 'answer', status: 101, headers });

    const result = await exchange(wsUrl, { limits: short });

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'connection_refused' });
  });

  it.each<[string, Behaviour, string]>([
    ['never ends the TLS handshake', { kind: 'ignore_connection' }, 'connection_timeout'],
    ['speaks no TLS', { kind: 'greet' }, 'tls_failed'],
  ])('meets a server that %s', async (_name, behaviour, failure) => {
    const { wsUrl } = await receiver(behaviour);

    const result = await exchange(wsUrl.replace('ws:', 'wss:'), { limits: short });

    expect(result).toMatchObject({ phase: 'not_sent', failure });
  });

  it('meets nobody', async () => {
    const fake = await openFakeRelay();
    await fake.close();

    const result = await exchange(fake.url);

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'connection_refused' });
  });

  it.each([
    'ws://127.0.0.1:7447',
    'ws://2130706433:7447',
    'ws://localhost:7447',
    'wss://[::1]:7447',
    'ws://169.254.169.254',
  ])('does not go where the guard forbids: %s', async url => {
    const result = await exchange(url, { guard: createAddressGuard([]) });

    expect(result).toMatchObject({
      phase: 'not_sent',
      failure: 'address_refused',
      detail: expect.stringContaining('HEADWAY_ALLOW_NETWORKS'),
    });
  });

  it('goes to WebSockets alone', async () => {
    const { url, requests } = await receiver({ kind: 'answer', status: 200 });

    const result = await exchange(url);

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'address_refused' });
    expect(requests).toEqual([]);
  });

  it('is refused past its time, before it connects and after that', async () => {
    const fake = await relay();
    const instants = [now];
    const passesWhileConnecting = { now: () => instants.shift() ?? tooLate };

    const before = await exchange(fake.url, { clock: standingClock(tooLate) });
    const during = await exchange(fake.url, { clock: passesWhileConnecting });
    await until(() => fake.connections() === 0, { intervalMs: 5 });

    expect(before).toMatchObject({ phase: 'not_sent', failure: 'send_by_passed' });
    expect(during).toMatchObject({ phase: 'not_sent', failure: 'send_by_passed' });
    expect(fake.received).toEqual([]);
  });

  it('is sent at the very end of its time', async () => {
    const fake = await relay({ onMessage: socket => socket.send('yes') });

    const result = await exchange(fake.url, { clock: standingClock(sendBy) });

    expect(result.phase).toBe('answered');
  });

  it('is aborted before it connects, and while it does', async () => {
    const silent = await receiver({ kind: 'never_answer' });
    const abort = new AbortController();

    const before = await exchange(silent.wsUrl, { signal: AbortSignal.abort() });
    const exchanging = exchange(silent.wsUrl, { signal: abort.signal });
    await silent.received(1);
    abort.abort();

    expect(before).toMatchObject({ phase: 'not_sent', failure: 'aborted' });
    expect(await exchanging).toMatchObject({ phase: 'not_sent', failure: 'aborted' });
    await silent.closed(1);
  });
});
