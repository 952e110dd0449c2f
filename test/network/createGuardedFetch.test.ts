import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { createGuardedFetch } from '../../src/network/createGuardedFetch.ts';
import type { FetchResult } from '../../src/network/guardedFetch.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';

const userAgent = 'Headway/test';
const openFetch = createGuardedFetch({ guard: createAddressGuard(['127.0.0.1']), userAgent });
const strictFetch = createGuardedFetch({ guard: createAddressGuard([]), userAgent });

let receiver: FakeReceiver;
let other: FakeReceiver;

beforeEach(async () => {
  receiver = await openFakeReceiver();
  other = await openFakeReceiver();
});

afterEach(async () => {
  await receiver.close();
  await other.close();
});

describe('the guard on a fetch', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['the name of loopback', 'localhost'],
    ['decimal', '2130706433'],
    ['hex', '0x7f.0.0.1'],
    ['hex in one', '0x7f000001'],
    ['octal', '0177.1'],
    ['short', '127.1'],
    ['this host', '0.0.0.0'],
    ['IPv6 loopback', '[::1]'],
    ['mapped', '[::ffff:127.0.0.1]'],
    ['compatible', '[::127.0.0.1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['metadata', '169.254.169.254'],
    ['private', '10.0.0.1'],
    ['unique local', '[fd00::1]'],
    ['link-local', '[fe80::1]'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['full-width digits', '１２７.0.0.1'],
  ])('refuses %s: %s', async (_kind, host) => {
    const result = await strictFetch(`http://${host}:${receiver.port}/`, { timeoutMs: 5_000 });

    expect(result).toMatchObject({ kind: 'failed', failure: 'address_refused' });
    expect(failureDetail(result)).toContain('HEADWAY_ALLOW_NETWORKS');
    expect(receiver.connections()).toBe(0);
  });

  it('reaches what the allow-list names', async () => {
    receiver.behave({ kind: 'answer', status: 200, body: 'hello' });

    const result = await openFetch(`${receiver.url}/feed.xml`);

    expect(result).toMatchObject({
      kind: 'answered',
      status: 200,
      url: `${receiver.url}/feed.xml`,
      movedTo: null,
    });
    expect(bodyText(result)).toBe('hello');
  });

  it('asks again about the peer that it is connected to', async () => {
    const answers = [true, false];
    const guard = { isAllowed: () => answers.shift() ?? false };

    const result = await createGuardedFetch({ guard, userAgent })(receiver.url);
    await receiver.closed(1);

    expect(result).toMatchObject({ kind: 'failed', failure: 'address_refused' });
    expect(receiver.requests).toEqual([]);
  });

  it('refuses a redirect to an address that is not allowed', async () => {
    redirectTo(receiver, `http://127.0.0.2:${other.port}/`);

    const result = await openFetch(receiver.url);

    expect(result).toMatchObject({ kind: 'failed', failure: 'address_refused' });
    expect(other.connections()).toBe(0);
  });

  it.each(['ftp://news.test/', 'file:///etc/passwd', 'news.test', '', 'http://'])(
    'refuses the URL "%s"',
    async url => {
      const result = await openFetch(url);

      expect(result).toMatchObject({ kind: 'failed', failure: 'invalid_url' });
    },
  );
});

describe('the body of a fetch', () => {
  const text = '<rss>'.repeat(1_000);

  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', Buffer.from(text)],
  ])('decodes %s', async (coding, body) => {
    receiver.behave({ kind: 'answer', status: 200, headers: { 'Content-Encoding': coding }, body });

    const result = await openFetch(receiver.url);

    expect(bodyText(result)).toBe(text);
    expect(receiver.requests[0]?.headers).toMatchObject({
      'accept-encoding': 'gzip, br, deflate',
      'user-agent': userAgent,
    });
  });

  it.each([
    ['zstd', Buffer.from('whatever')],
    ['gzip', Buffer.from('not gzip')],
    ['gzip', gzipSync(text).subarray(0, 30)],
    ['gzip, gzip, gzip, gzip', gzipSync(text)],
  ])('calls broken %s unreadable', async (coding, body) => {
    receiver.behave({ kind: 'answer', status: 200, headers: { 'Content-Encoding': coding }, body });

    const result = await openFetch(receiver.url);

    expect(result).toMatchObject({ kind: 'failed', failure: 'unreadable_answer' });
  });

  it('takes an empty body whatever its coding, as a 304 may name one', async () => {
    receiver.behave({ kind: 'answer', status: 304, headers: { 'Content-Encoding': 'gzip' } });

    const result = await openFetch(receiver.url);

    expect(result).toMatchObject({ kind: 'answered', status: 304 });
  });

  it('stops at the limit before and after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));

    receiver.behave({ kind: 'answer', status: 200, headers: { 'Content-Encoding': 'gzip' }, body: bomb });
    const compressed = await openFetch(receiver.url, { maxBodyBytes: 1_000_000 });
    receiver.behave({ kind: 'answer', status: 200, body: Buffer.alloc(1_000_001) });
    const plain = await openFetch(receiver.url, { maxBodyBytes: 1_000_000 });

    expect(bomb.length).toBeLessThan(1_000_000);
    expect(compressed).toMatchObject({ kind: 'failed', failure: 'too_large' });
    expect(plain).toMatchObject({ kind: 'failed', failure: 'too_large' });
  });

  it.each([
    ['none', (body: Buffer) => body],
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('is cut at the limit where a part will do, in the coding %s', async (coding, compress) => {
    // Twice too long when it comes, and far too long when it is decoded.
    const whole = Buffer.concat([randomBytes(4_000), Buffer.alloc(50_000, 'x')]);
    const noise = randomBytes(4_000);
    const headers = coding === 'none' ? {} : { 'Content-Encoding': coding };
    const options = { maxBodyBytes: 2_000, cutBody: true };

    receiver.behave({ kind: 'answer', status: 200, headers, body: compress(Buffer.alloc(50_000, 'x')) });
    const decoded = await openFetch(receiver.url, options);
    receiver.behave({ kind: 'answer', status: 200, headers, body: compress(whole) });
    const cut = await openFetch(receiver.url, options);
    receiver.behave({ kind: 'answer', status: 200, headers, body: compress(noise.subarray(0, 500)) });
    const short = await openFetch(receiver.url, options);

    expect(bodyOf(decoded)).toEqual(Buffer.alloc(2_000, 'x'));
    expect(bodyOf(cut).length).toBeGreaterThan(1_500);
    expect(bodyOf(cut)).toEqual(whole.subarray(0, bodyOf(cut).length));
    expect(bodyOf(short)).toEqual(noise.subarray(0, 500));
  });

  it('is left unread where it is not asked for', async () => {
    receiver.behave({ kind: 'drip' });

    const result = await openFetch(receiver.url, { headersOnly: true });
    await receiver.closed(1);

    expect(result).toMatchObject({ kind: 'answered', status: 200, url: `${receiver.url}/` });
    expect(bodyText(result)).toBe('');
  });

  it('takes a body of exactly the limit', async () => {
    receiver.behave({ kind: 'answer', status: 200, body: Buffer.alloc(1_000) });

    const result = await openFetch(receiver.url, { maxBodyBytes: 1_000 });

    expect(result).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('the end of a fetch', () => {
  it.each<[Behaviour['kind'], Behaviour, string]>([
    ['never_answer', { kind: 'never_answer' }, 'response_timeout'],
    ['drip', { kind: 'drip' }, 'response_timeout'],
    ['reset', { kind: 'reset' }, 'connection_reset'],
    ['close', { kind: 'close' }, 'connection_reset'],
    ['garbage', { kind: 'garbage' }, 'unreadable_answer'],
  ])('answers %s with a failure', async (_kind, behaviour, failure) => {
    receiver.behave(behaviour);

    const result = await openFetch(receiver.url, { timeoutMs: 300 });

    expect(result).toMatchObject({ kind: 'failed', failure });
  });

  it('does not take a body that broke off for a whole one', async () => {
    receiver.behave({ kind: 'cut_answer', status: 200 });

    const result = await openFetch(receiver.url);

    expect(result.kind).toBe('failed');
  });

  it('spends one deadline on all redirects together', async () => {
    let hops = 0;
    receiver.behave(() => {
      hops += 1;
      if (hops === 3) return { kind: 'never_answer' };
      return { kind: 'answer', status: 302, headers: { Location: `${receiver.url}/${hops}` } };
    });

    const result = await openFetch(receiver.url, { timeoutMs: 300 });

    expect(hops).toBe(3);
    expect(result).toMatchObject({ kind: 'failed', failure: 'response_timeout' });
  });

  it('tells a refused connection, a name that does not exist and a failed handshake apart', async () => {
    const closed = await openFakeReceiver();
    await closed.close();

    const refused = await openFetch(closed.url);
    // A label of 64 characters: refused by the resolver itself, without a question to the network.
    const unnamed = await openFetch(`http://${'a'.repeat(64)}.test/`);
    receiver.behave({ kind: 'greet' });
    const plain = await openFetch(receiver.url.replace('http:', 'https:'));

    expect(refused).toMatchObject({ failure: 'connection_refused' });
    expect(unnamed).toMatchObject({ failure: 'dns_failed' });
    expect(plain).toMatchObject({ failure: 'tls_failed' });
  });

  it('ends when its caller aborts', async () => {
    receiver.behave({ kind: 'never_answer' });
    const abort = new AbortController();

    const fetching = openFetch(receiver.url, { signal: abort.signal });
    await receiver.received(1);
    abort.abort();
    const whileWaiting = await fetching;
    const before = await openFetch(receiver.url, { signal: abort.signal });

    expect(whileWaiting).toMatchObject({ kind: 'failed', failure: 'aborted' });
    expect(before).toMatchObject({ kind: 'failed', failure: 'aborted' });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('redirects of a fetch', () => {
  it('follows five and refuses a sixth', async () => {
    receiver.behave(({ path }) => {
      const hop = Number(path.slice(1));
      if (hop === 0) return { kind: 'answer', status: 200 };
      return { kind: 'answer', status: 302, headers: { Location: `/${hop - 1}` } };
    });

    const five = await openFetch(`${receiver.url}/5`);
    const six = await openFetch(`${receiver.url}/6`);

    expect(five).toMatchObject({ kind: 'answered', url: `${receiver.url}/0` });
    expect(six).toMatchObject({ kind: 'failed', failure: 'too_many_redirects' });
  });

  it('gives up on a loop', async () => {
    redirectTo(receiver, receiver.url);

    const result = await openFetch(receiver.url);

    expect(result).toMatchObject({ kind: 'failed', failure: 'too_many_redirects' });
    expect(receiver.requests).toHaveLength(6);
  });

  it('answers a redirect as it is when it may follow none, or when it leads nowhere', async () => {
    redirectTo(receiver, other.url);
    const unfollowed = await openFetch(receiver.url, { maxRedirects: 0 });
    receiver.behave({ kind: 'answer', status: 302 });
    const nowhere = await openFetch(receiver.url);

    expect(unfollowed).toMatchObject({ kind: 'answered', status: 302, movedTo: null });
    expect(nowhere).toMatchObject({ kind: 'answered', status: 302 });
    expect(other.connections()).toBe(0);
  });

  it('says whither redirects had led when it failed', async () => {
    redirectTo(receiver, `${other.url}/a`);
    other.behave({ kind: 'reset' });
    const behind = await openFetch(receiver.url);
    const atOnce = await openFetch(other.url);

    expect(behind).toMatchObject({ failure: 'connection_reset', ledTo: `${other.url}/a` });
    expect(atOnce).not.toHaveProperty('ledTo');
  });

  it('does not leave http', async () => {
    redirectTo(receiver, 'file:///etc/passwd');

    const result = await openFetch(receiver.url);

    expect(result).toMatchObject({ kind: 'failed', failure: 'invalid_url' });
  });

  it.each([
    ['one permanent', [301], '/1'],
    ['two permanent', [301, 308], '/2'],
    ['a temporary one after a permanent', [308, 302], '/1'],
    ['a permanent one after a temporary', [302, 301], null],
    ['a permanent one after both', [301, 307, 301], '/1'],
    ['none', [], null],
  ])('says where %s led to', async (_name, statuses, movedTo) => {
    receiver.behave(({ path }) => {
      const hop = Number(path.slice(1));
      const status = statuses[hop];
      if (status === undefined) return { kind: 'answer', status: 200 };
      return { kind: 'answer', status, headers: { Location: `/${hop + 1}` } };
    });

    const result = await openFetch(`${receiver.url}/0`);

    expect(result).toMatchObject({
      url: `${receiver.url}/${statuses.length}`,
      movedTo: movedTo === null ? null : `${receiver.url}${movedTo}`,
    });
  });

  it('keeps credentials to their origin', async () => {
    const basic = `Basic ${Buffer.from('ada:pass word').toString('base64')}`;
    receiver.behave(({ path }) => {
      const location = path === '/start' ? '/same' : `${other.url}/elsewhere`;
      return { kind: 'answer', status: 301, headers: { Location: location } };
    });

    const result = await openFetch(receiver.url.replace('//', '//ada:pass%20word@').concat('/start'), {
      headers: { Cookie: 'session=1', 'If-None-Match': '"e"' },
    });

    expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual([basic, basic]);
    expect(receiver.requests.map(({ headers }) => headers.cookie)).toEqual(['session=1', 'session=1']);
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(other.requests[0]?.headers).not.toHaveProperty('cookie');
    expect(other.requests[0]?.headers['if-none-match']).toBe('"e"');
    expect(result).toMatchObject({ url: `${other.url}/elsewhere`, movedTo: `${other.url}/elsewhere` });
  });

  it('leaves credentials out of the URL that it reports', async () => {
    const result = await openFetch(receiver.url.replace('//', '//ada:secret@'));

    expect(result).toMatchObject({ url: `${receiver.url}/` });
  });
});

function redirectTo(from: FakeReceiver, location: string): void {
  from.behave({ kind: 'answer', status: 302, headers: { Location: location } });
}

function bodyText(result: FetchResult): string | null {
  return result.kind === 'answered' ? result.body.toString() : null;
}

function bodyOf(result: FetchResult): Buffer {
  return result.kind === 'answered' ? result.body : Buffer.alloc(0);
}

function failureDetail(result: FetchResult): string | null {
  return result.kind === 'failed' ? result.detail : null;
}
