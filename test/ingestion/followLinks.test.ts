import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followLinks } from '../../src/ingestion/followLinks.ts';
import { createHostTurns } from '../../src/ingestion/hostTurns.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { createGuardedFetch } from '../../src/network/createGuardedFetch.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';

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

const guardedFetch = createGuardedFetch({
  guard: createAddressGuard(['127.0.0.1']),
  userAgent: 'Headway/test',
});

function follow(
  links: readonly string[],
  { linksMs = 10_000, signal = new AbortController().signal, fetch = guardedFetch } = {},
) {
  return followLinks(links, { fetch, inTurn: createHostTurns(), linksMs, signal });
}

const redirect = (location: string): Behaviour => ({
  kind: 'answer',
  status: 302,
  headers: { Location: location },
});

describe('following links', () => {
  it('says where each ends, and reads no page', async () => {
    receiver.behave(({ path }) => (path === '/1' ? redirect(`${other.url}/a`) : { kind: 'drip' }));
    other.behave({ kind: 'drip' });

    const ends = await follow([`${receiver.url}/1`, `${receiver.url}/2`]);

    expect([...ends]).toEqual([
      [`${receiver.url}/1`, `${other.url}/a`],
      [`${receiver.url}/2`, `${receiver.url}/2`],
    ]);
  });

  it.each([404, 403, 500])('takes an address that answers %i for one', async status => {
    receiver.behave(redirect(`${other.url}/a`));
    other.behave({ kind: 'answer', status });

    const ends = await follow([receiver.url]);

    expect([...ends.values()]).toEqual([`${other.url}/a`]);
  });

  it('takes the word of a redirect to what does not answer', async () => {
    await other.close();
    receiver.behave(redirect(`${other.url}/a`));

    const ends = await follow([receiver.url]);

    expect([...ends.values()]).toEqual([`${other.url}/a`]);
    other = await openFakeReceiver();
  });

  it.each<[string, (path: string) => Behaviour]>([
    ['a private address', () => redirect('http://10.0.0.1/')],
    ['what is not http', () => redirect('file:///etc/passwd')],
    ['itself for ever', path => redirect(`${path}x`)],
    ['nowhere, for it is never answered', () => ({ kind: 'never_answer' })],
    ['nowhere, for the connection breaks', () => ({ kind: 'reset' })],
  ])('leaves out a link that leads to %s', async (_, behaviour) => {
    receiver.behave(({ path }) => behaviour(path));

    const ends = await follow([receiver.url], { linksMs: 1_000 });

    expect([...ends]).toEqual([]);
  });

  it.each<[string, Behaviour]>([
    ['breaks off', { kind: 'close' }],
    ['asks to be left alone', { kind: 'answer', status: 429 }],
    ['is overloaded', { kind: 'answer', status: 503 }],
  ])('asks a host nothing more that %s', async (_, behaviour) => {
    receiver.behave(behaviour);
    const links = Array.from({ length: 20 }, (_link, number) => `${receiver.url}/${number}`);

    await follow([...links, `${other.url}/a`]);

    expect(receiver.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(1);
  });

  it('asks nobody more where nobody answers', async () => {
    receiver.behave({ kind: 'close' });
    const links = Array.from({ length: 40 }, (_, n) => `http://127.0.0.${2 + n}:${receiver.port}/`);
    const asked: string[] = [];
    const counted: typeof guardedFetch = (url, options) => {
      asked.push(url);
      return guardedFetch(url, options);
    };

    await follow(links, { fetch: counted });

    // Those that were under way when it was clear.
    expect(asked.length).toBeLessThanOrEqual(5 + 8);
  });

  it('asks a host on that has one link which leads in a circle', async () => {
    receiver.behave(({ path }) =>
      path.startsWith('/1') ? redirect(`${path}x`) : redirect(`${other.url}/a`),
    );

    const ends = await follow([`${receiver.url}/1`, `${receiver.url}/2`]);

    expect([...ends]).toEqual([[`${receiver.url}/2`, `${other.url}/a`]]);
  });

  it('ends in time, with what it knows by then', async () => {
    receiver.behave({ kind: 'never_answer' });
    const startedMs = performance.now();

    const ends = await follow([`${other.url}/a`, `${receiver.url}/1`, `${receiver.url}/2`], { linksMs: 300 });

    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect([...ends.keys()]).toEqual([`${other.url}/a`]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('ends with its signal', async () => {
    receiver.behave({ kind: 'never_answer' });
    const stop = new AbortController();

    const following = follow([`${receiver.url}/1`, `${receiver.url}/2`], { signal: stop.signal });
    await receiver.received(1);
    stop.abort();

    expect([...(await following)]).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });
});
