import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createSendRequest,
  type OutgoingRequest,
  type SendRequestOptions,
} from '../../src/channels/sendRequest.ts';
import { standingClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { until } from '../support/until.ts';

const now = new Date('2026-09-07T08:30:00.000Z');
const sendBy = new Date('2026-09-07T08:30:10.000Z');
const later = new Date('2026-09-07T08:30:10.001Z');
const guard = createAddressGuard(['127.0.0.1']);

let receiver: FakeReceiver;

beforeEach(async () => {
  receiver = await openFakeReceiver();
});

afterEach(() => receiver.close());

function post(overrides: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    method: 'POST',
    url: `${receiver.url}/in?a=1`,
    headers: { 'x-key': 'k' },
    body: 'hello',
    ...overrides,
  };
}

function sender(options: Partial<SendRequestOptions> = {}) {
  const clock = standingClock(now);
  const { signal } = new AbortController();
  const limits = defaultLimits;
  return createSendRequest({ guard, clock, sendBy, userAgent: 'Headway/test', signal, limits, ...options });
}

describe('an answered request', () => {
  it('brings status, headers and body, and sends what it was given', async () => {
    receiver.behave({ kind: 'answer', status: 201, headers: { 'X-Id': '7' }, body: 'gespeichert: ü' });

    const result = await sender()(post());

    expect(result).toMatchObject({
      phase: 'answered',
      status: 201,
      body: 'gespeichert: ü',
      retryAfter: null,
    });
    expect(result).toMatchObject({ headers: { 'x-id': '7' } });
    expect(receiver.requests).toMatchObject([
      {
        method: 'POST',
        path: '/in?a=1',
        body: 'hello',
        headers: { 'x-key': 'k', 'user-agent': 'Headway/test' },
      },
    ]);
  });

  it('does not follow a redirect', async () => {
    receiver.behave({ kind: 'answer', status: 307, headers: { Location: '/other' } });

    const result = await sender()(post());

    expect(result).toMatchObject({ phase: 'answered', status: 307 });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each([
    ['90', '2026-09-07T08:31:30.000Z'],
    ['Mon, 07 Sep 2026 09:00:00 GMT', '2026-09-07T09:00:00.000Z'],
  ])('reads Retry-After %s as an instant', async (value, expected) => {
    receiver.behave({ kind: 'answer', status: 429, headers: { 'Retry-After': value } });

    const result = await sender()(post());

    expect(result).toMatchObject({ phase: 'answered', retryAfter: new Date(expected) });
  });

  it('is cut at 64 kB, whether or not more would come', async () => {
    receiver.behave({
      kind: 'answer',
      status: 200,
      headers: { 'Content-Length': '999999' },
      body: 'x'.repeat(70_000),
    });

    const result = await sender()(post());

    expect(result).toMatchObject({ phase: 'answered', status: 200, body: 'x'.repeat(65_536) });
  });

  it('takes a new connection each time', async () => {
    const send = sender();

    await send(post());
    await send(post());

    expect(receiver.connections()).toBe(2);
    expect(receiver.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close']);
  });
});

describe('a request whose answer is lost', () => {
  const limits = { sendConnectMs: 200, sendAnswerMs: 300 };

  it.each<[string, Behaviour, string]>([
    ['reset', { kind: 'reset' }, 'connection_reset'],
    ['closed', { kind: 'close' }, 'connection_reset'],
    ['never answered', { kind: 'never_answer' }, 'response_timeout'],
    ['answered without an end', { kind: 'drip' }, 'response_timeout'],
    ['broken off in the answer', { kind: 'cut_answer', status: 200 }, 'unreadable_answer'],
    ['answered with garbage', { kind: 'garbage' }, 'unreadable_answer'],
  ])('was sent when it is %s', async (_name, behaviour, failure) => {
    receiver.behave(behaviour);

    const result = await sender({ limits })(post());

    expect(result).toMatchObject({ phase: 'sent', failure });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each(['GET', 'PUT'] as const)('is never sent a second time by the library: %s', async method => {
    receiver.behave({ kind: 'reset' });

    const result = await sender({ limits })(post({ method, body: null }));

    expect(result).toMatchObject({ phase: 'sent', failure: 'connection_reset' });
    expect(receiver.connections()).toBe(1);
  });

  it('was sent when it is aborted while the answer is awaited', async () => {
    receiver.behave({ kind: 'never_answer' });
    const abort = new AbortController();

    const sending = sender({ signal: abort.signal })(post());
    await receiver.received(1);
    abort.abort();

    expect(await sending).toMatchObject({ phase: 'sent', failure: 'aborted' });
  });
});

describe('a request that was not sent', () => {
  it('tells why no connection came about', async () => {
    const closed = await openFakeReceiver();
    await closed.close();
    receiver.behave({ kind: 'greet' });

    const refused = await sender()(post({ url: closed.url }));
    const unnamed = await sender()(post({ url: `http://${'a'.repeat(64)}.test/` }));
    const plain = await sender()(post({ url: receiver.url.replace('http:', 'https:') }));

    expect(refused).toMatchObject({ phase: 'not_sent', failure: 'connection_refused' });
    expect(unnamed).toMatchObject({ phase: 'not_sent', failure: 'dns_failed' });
    expect(plain).toMatchObject({ phase: 'not_sent', failure: 'tls_failed' });
  });

  it('limits the connection, its handshake included', async () => {
    receiver.behave({ kind: 'ignore_connection' });
    const url = receiver.url.replace('http:', 'https:');

    const byConnect = await sender({ limits: { sendConnectMs: 100, sendAnswerMs: 5_000 } })(post({ url }));
    const byTotal = await sender({ limits: { sendConnectMs: 5_000, sendAnswerMs: 100 } })(post({ url }));

    expect(byConnect).toMatchObject({ phase: 'not_sent', failure: 'connection_timeout' });
    expect(byTotal).toMatchObject({ phase: 'not_sent', failure: 'connection_timeout' });
  });

  it.each([
    'http://127.0.0.2/',
    'http://localhost/',
    'http://0x7f.1/',
    'http://169.254.169.254/',
    'ftp://news.test/',
    'nonsense',
  ])('refuses %s', async url => {
    const result = await sender({ guard: createAddressGuard([]) })(post({ url }));

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'address_refused' });
  });

  it('is not even begun past its time to send', async () => {
    const result = await sender({ clock: standingClock(later) })(post());

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'send_by_passed' });
    expect(receiver.connections()).toBe(0);
  });

  it('goes out exactly at its time to send', async () => {
    const result = await sender({ clock: standingClock(sendBy) })(post());

    expect(result).toMatchObject({ phase: 'answered' });
  });

  it('hands nothing to the socket when its time passes while it connects', async () => {
    const instants = [now];
    const clock = { now: () => instants.shift() ?? later };

    const result = await sender({ clock })(post());
    await receiver.closed(1);

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'send_by_passed' });
    expect(receiver.requests).toEqual([]);
  });

  it('ends at once when it is aborted before or during the connection', async () => {
    receiver.behave({ kind: 'ignore_connection' });
    const abort = new AbortController();
    const send = sender({ signal: abort.signal });

    const connecting = send(post({ url: receiver.url.replace('http:', 'https:') }));
    await until(() => receiver.connections() === 1, { intervalMs: 5 });
    abort.abort();
    const during = await connecting;
    const before = await send(post());

    expect(during).toMatchObject({ phase: 'not_sent', failure: 'aborted' });
    expect(before).toMatchObject({ phase: 'not_sent', failure: 'aborted' });
    expect(receiver.connections()).toBe(1);
  });

  it('hands nothing to the socket when it is aborted in the turn of the hand-over', async () => {
    const abort = new AbortController();
    let readings = 0;
    const clock = {
      now() {
        readings += 1;
        if (readings === 2) abort.abort();
        return now;
      },
    };

    const result = await sender({ clock, signal: abort.signal })(post());
    await receiver.closed(1);

    expect(result).toMatchObject({ phase: 'not_sent', failure: 'aborted' });
    expect(receiver.requests).toEqual([]);
  });

  it('does not throw for headers that cannot be sent, nor show them', async () => {
    const result = await sender()(post({ headers: { authorization: 'Bearer topsecret\nx' } }));

    expect(result).toMatchObject({ phase: 'not_sent' });
    expect(JSON.stringify(result)).not.toContain('topsecret');
    expect(receiver.requests).toEqual([]);
  });
});
