import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FeedParser } from '../../src/ingestion/FeedParser.ts';
import { IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { createGuardedFetch } from '../../src/network/createGuardedFetch.ts';
import type { GuardedFetch } from '../../src/network/guardedFetch.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed, createWorkspace } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { recordingLogger } from '../support/recordingLogger.ts';
import { fakeLocks, rssOf } from './fakeFeeds.ts';
import { hostileDocuments } from './hostileDocuments.ts';

const database = useDatabase();
/** Shortened: a fetch has 45 s, a document 5. */
const limits = { fetchMs: 1_500, parseMs: 1_500 };
const onTimeMs = 1_500;
/** For all else that a read does, on a busy machine. */
const besidesMs = 5_000;

let parser: FeedParser;
let hostile: FakeReceiver;
let harmless: FakeReceiver;

// One for all: what a document did to it must not reach the next.
beforeAll(() => {
  parser = new FeedParser(limits);
});

afterAll(() => parser.stop());

beforeEach(async () => {
  hostile = await openFakeReceiver();
  harmless = await openFakeReceiver();
  harmless.behave(answer(rssOf([{ title: 'One', guid: '1' }])));
});

afterEach(async () => {
  await hostile.close();
  await harmless.close();
});

/** Reads hostile feeds, longest due, beside a harmless one; both say what came of them, and when. */
async function ingestBeside(urls: readonly string[]) {
  const workspaceId = await createWorkspace(database.db);
  const due = (minute: number) => ({ next_fetch_at: `2026-09-07T10:${minute}:00Z` });
  for (const url of urls) await createFeed(database.db, workspaceId, { url, ...due(10) });
  await createFeed(database.db, workspaceId, { name: 'harmless', url: harmless.url, ...due(20) });
  const { logger, lines } = recordingLogger();
  const guarded = createGuardedFetch({ guard: createAddressGuard(['127.0.0.1']), userAgent: 'Headway/test' });
  const fetch: GuardedFetch = (url, options) => guarded(url, { timeoutMs: limits.fetchMs, ...options });
  const { lock } = fakeLocks();
  // Its threads are warm, as they are in a program that runs.
  await Promise.all([warm(), warm()]);

  const startedAt = performance.now();
  let harmlessMs = Number.NaN;
  const read: typeof parser.read = async (document, options) => {
    const reading = await parser.read(document, options);
    if (document.url.startsWith(harmless.url)) harmlessMs = performance.now() - startedAt;
    return reading;
  };
  const job = new IngestFeedsJob({ db: database.db, lock, fetch, read, logger });
  const clock = new FakeClock('2026-09-07T12:00:00Z');
  const { feeds } = await job.handle({}, { clock, signal: new AbortController().signal });
  return {
    refused: feeds.filter(({ name }) => name !== 'harmless'),
    harmless: feeds.find(({ name }) => name === 'harmless'),
    harmlessMs,
    tookMs: performance.now() - startedAt,
    errors: lines.filter(({ level }) => level >= 50),
  };
}

async function warm(): Promise<void> {
  const document = { bytes: Buffer.from(rssOf([])), contentType: null, url: hostile.url, zone: 'UTC' };
  await parser.read(document, { signal: new AbortController().signal });
}

describe('a hostile feed', () => {
  it.each(hostileDocuments)(
    'is refused for %s, and another one is read on time',
    async (_, document, reason) => {
      hostile.behave(answer(document()));

      const result = await ingestBeside([hostile.url]);

      expectRefused(result, reason);
      expect(result.tookMs).toBeLessThan(limits.parseMs + besidesMs);
    },
  );

  it('is refused for 1 GB of zeros in 1 MB, in bounded memory', async () => {
    const member = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    const body = Buffer.concat(Array.from({ length: 64 }, () => member));
    hostile.behave(answer(body, { 'Content-Encoding': 'gzip' }));
    const before = process.resourceUsage().maxRSS;

    const result = await ingestBeside([hostile.url]);

    expect(body.length).toBeLessThan(1_100_000);
    expectRefused(result, 'too_large: more than 10485760 bytes');
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024);
  });

  it.each<[string, Behaviour, string]>([
    ['a byte now and then', { kind: 'drip' }, 'response_timeout'],
    ['silence', { kind: 'never_answer' }, 'response_timeout'],
    ['more than it announced to take', answer(Buffer.alloc(10_485_761)), 'too_large'],
    ['half of an answer', { kind: 'cut_answer', status: 200 }, 'connection_reset'],
    ['what is no HTTP', { kind: 'garbage' }, 'unreadable_answer'],
    [
      'gzip in gzip in gzip in gzip',
      answer('', { 'Content-Encoding': 'gzip, gzip, gzip, gzip' }),
      'content codings',
    ],
    ['a redirect to itself', redirect('/'), 'too_many_redirects: more than 5 redirects'],
    ['a redirect to metadata', redirect('http://169.254.169.254/latest/'), 'address_refused'],
    ['a redirect to a file', redirect('file:///etc/passwd'), 'invalid_url'],
  ])('is refused for %s, and another one is read on time', async (_, behaviour, reason) => {
    hostile.behave(behaviour);

    const result = await ingestBeside([hostile.url]);

    expectRefused(result, reason);
    expect(result.tookMs).toBeLessThan(limits.fetchMs + besidesMs);
  });

  it('is refused for redirects that change all the time', async () => {
    let hops = 0;
    hostile.behave(() => {
      hops += 1;
      return redirect(`/${hops}`);
    });

    const result = await ingestBeside([hostile.url]);

    expectRefused(result, 'too_many_redirects');
    expect(hops).toBe(6);
  });

  it('is refused at every address that is not public, however it is written', async () => {
    const hosts = [
      '127.0.0.2',
      '2130706434',
      '0x7f000002',
      '0x7f.0.0.2',
      '0177.0.0.2',
      '127.2',
      '0.0.0.0',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '[::1]',
      '[::ffff:127.0.0.2]',
      '[64:ff9b::7f00:2]',
      '[2002:7f00:2::]',
      '[fd00::1]',
      '[fe80::1]',
      '[fec0::1]',
    ];

    const result = await ingestBeside(hosts.map(host => `http://${host}:${hostile.port}/feed.xml`));

    expect(result.refused).toHaveLength(hosts.length);
    expectRefused(result, 'address_refused');
    expect(hostile.connections()).toBe(0);
  });

  it('holds up no other, however many there are', async () => {
    const receivers = await Promise.all(hostileDocuments.map(() => openFakeReceiver()));
    for (const [place, receiver] of receivers.entries()) {
      receiver.behave(answer(hostileDocuments[place]?.[1]() ?? ''));
    }

    const result = await ingestBeside(receivers.map(({ url }) => url));
    await Promise.all(receivers.map(receiver => receiver.close()));

    expect(result.refused.map(({ outcome }) => outcome)).toEqual(receivers.map(() => 'failed'));
    expect(result.harmless).toMatchObject({ outcome: 'read', newArticles: 1 });
    expect(result.errors).toEqual([]);
  });
});

function expectRefused(result: Awaited<ReturnType<typeof ingestBeside>>, reason: string): void {
  expect(result.refused.map(({ outcome }) => outcome)).toEqual(result.refused.map(() => 'failed'));
  for (const { detail } of result.refused) expect(detail).toContain(reason);
  expect(result.harmless).toMatchObject({ outcome: 'read', newArticles: 1 });
  expect(result.harmlessMs).toBeLessThan(onTimeMs);
  expect(result.errors).toEqual([]);
}

function answer(body: string | Buffer, headers: Record<string, string> = {}): Behaviour {
  return { kind: 'answer', status: 200, headers, body };
}

function redirect(location: string): Behaviour {
  return { kind: 'answer', status: 302, headers: { Location: location } };
}
