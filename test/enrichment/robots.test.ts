import { beforeEach, describe, expect, it } from 'vitest';
import { createRobots, type Robots } from '../../src/enrichment/robots.ts';
import type { FetchOptions, FetchResult } from '../../src/network/guardedFetch.ts';
import { FakeClock } from '../support/fakeClock.ts';

const site = 'https://blog.example';
const { signal } = new AbortController();
const allowed = { kind: 'allowed', crawlDelayMs: 0 };

const answered = (status: number, body: string | Buffer = ''): FetchResult => ({
  kind: 'answered',
  status,
  headers: {},
  body: Buffer.from(body),
  url: 'https://elsewhere.example/robots.txt',
  movedTo: null,
});
const failed = (failure: 'too_many_redirects' | 'dns_failed' | 'aborted'): FetchResult => ({
  kind: 'failed',
  failure,
  detail: 'no answer',
});

let clock: FakeClock;
let asked: { url: string; options: FetchOptions | undefined }[];
let answer: (url: string, options: FetchOptions | undefined) => FetchResult | Promise<FetchResult>;
let robots: Robots;

beforeEach(() => {
  clock = new FakeClock('2026-12-01T08:00:00Z');
  asked = [];
  answer = () => answered(404);
  const fetch = async (url: string, options?: FetchOptions) => {
    asked.push({ url, options });
    return answer(url, options);
  };
  robots = createRobots({ fetch, userAgent: 'Headway/1.2.3 (+https://operator.example)', clock });
});

const verdictBy = (text: string | Buffer, path = '/post') => {
  answer = () => answered(200, text);
  return robots.verdict(`${site}${path}`, signal);
};

describe('a verdict', () => {
  it.each<[string, string, string]>([
    ['nothing is said', '', 'allowed'],
    ['all is disallowed', 'User-agent: *\nDisallow: /', 'disallowed'],
    ['nothing is disallowed', 'User-agent: *\nDisallow:', 'allowed'],
    ['others are named', 'User-agent: Otherbot\nDisallow: /', 'allowed'],
    ['we are named', 'User-agent: Headway\nDisallow: /', 'disallowed'],
    ['we are named in capitals, with a version', 'USER-AGENT : HEADWAY/9\nDISALLOW : /', 'disallowed'],
    [
      'we are named among others',
      'User-agent: a\nUser-agent: headway\nUser-agent: b\nDisallow: /',
      'disallowed',
    ],
    ['a longer name begins with ours', 'User-agent: headwaybot\nDisallow: /', 'allowed'],
    ['we are excepted', 'User-agent: *\nDisallow: /\n\nUser-agent: Headway\nAllow: /', 'allowed'],
    [
      'we are excepted by an empty rule',
      'User-agent: Headway\nDisallow:\nUser-agent: *\nDisallow: /',
      'allowed',
    ],
    [
      'a group of others follows ours',
      'User-agent: Headway\nAllow: /a\nUser-agent: x\nDisallow: /',
      'allowed',
    ],
    ['our groups are two', 'User-agent: Headway\nAllow: /a\nUser-agent: Headway\nDisallow: /p', 'disallowed'],
    ['something unknown parts a group', 'User-agent: *\nSitemap: /s.xml\nDisallow: /', 'disallowed'],
    ['the longer rule allows', 'User-agent: *\nDisallow: /p\nAllow: /post', 'allowed'],
    ['two rules are equally long', 'User-agent: *\nDisallow: /post\nAllow: /post', 'allowed'],
    ['a pattern matches', 'User-agent: *\nDisallow: /*st$', 'disallowed'],
    ['a pattern matches but its end', 'User-agent: *\nDisallow: /*s$', 'allowed'],
    ['stars follow each other', 'User-agent: *\nDisallow: /**o***t', 'disallowed'],
    ['rules belong to no one', 'Disallow: /', 'allowed'],
    ['there are comments', '# all\nUser-agent: * # all\nDisallow: / # all', 'disallowed'],
    ['lines end in other ways', 'User-agent: *\r\rDisallow: /', 'disallowed'],
    ['it begins with a byte order mark', '\uFEFFUser-agent: *\nDisallow: /', 'disallowed'],
    ['it is a page', '<!doctype html><title>Welcome</title>', 'allowed'],
  ])('where %s', async (_, text, kind) => {
    expect(await verdictBy(text)).toMatchObject({ kind });
  });

  it.each([
    ['/caf%C3%A9', '/caf%c3%a9'],
    ['/café', '/caf%C3%A9'],
    ['/a?b=*', '/a?b=1'],
  ])('compares %s with %s', async (rule, path) => {
    expect(await verdictBy(`User-agent: *\nDisallow: ${rule}`, path)).toEqual({ kind: 'disallowed' });
  });

  it('allows over bytes that are no text', async () => {
    expect(await verdictBy(Buffer.from([0xff, 0x00, 0xfe, 0x0a, 0x3a]))).toEqual(allowed);
  });

  it.each<[string, number]>([
    ['Crawl-delay: 5', 5_000],
    ['Crawl-delay: 0.25', 250],
    ['Crawl-delay: 3600', 60_000],
    ['Crawl-delay: Infinity', 60_000],
    ['Crawl-delay: -1', 0],
    ['Crawl-delay: soon', 0],
    ['Crawl-delay:', 0],
    ['Allow: /', 0],
  ])('asks by %j to wait %i ms', async (line, crawlDelayMs) => {
    expect(await verdictBy(`User-agent: *\n${line}`)).toEqual({ kind: 'allowed', crawlDelayMs });
  });

  it('has the delay of our own group, not of all', async () => {
    const text = 'User-agent: *\nCrawl-delay: 9\nUser-agent: Headway\nCrawl-delay: 2';

    expect(await verdictBy(text)).toEqual({ kind: 'allowed', crawlDelayMs: 2_000 });
  });

  it.each<[string, FetchResult, object]>([
    ['404', answered(404, 'User-agent: *\nDisallow: /'), allowed],
    ['403', answered(403), allowed],
    ['a redirect that leads nowhere', answered(302), allowed],
    ['too many redirects', failed('too_many_redirects'), allowed],
    ['429', answered(429), { kind: 'unknown', detail: 'the server answered 429' }],
    ['500', answered(500), { kind: 'unknown', detail: 'the server answered 500' }],
    ['a failure', failed('dns_failed'), { kind: 'unknown', detail: 'dns_failed: no answer' }],
  ])('of %s', async (_, result, expected) => {
    answer = () => result;

    expect(await robots.verdict(`${site}/post`, signal)).toEqual(expected);
  });

  it.each(['ftp://blog.example/a', 'mailto:a@blog.example', '/post', ''])('is unknown of %j', async url => {
    expect(await robots.verdict(url, signal)).toEqual({
      kind: 'unknown',
      detail: 'not an http or https address',
    });
    expect(asked).toEqual([]);
  });
});

describe('a robots.txt', () => {
  it('is asked for at the root of the origin, credentials left out', async () => {
    await robots.verdict('http://user:secret@blog.example:8080/a/b?c#d', signal);

    expect(asked).toMatchObject([
      { url: 'http://blog.example:8080/robots.txt', options: { maxBodyBytes: 512_000, cutBody: true } },
    ]);
  });

  it('counts for the origin that was asked, wherever it was led to', async () => {
    expect(await verdictBy('User-agent: *\nDisallow: /post')).toEqual({ kind: 'disallowed' });
  });

  it('is asked for once by all who ask meanwhile', async () => {
    const verdicts = await Promise.all([1, 2, 3].map(n => robots.verdict(`${site}/${n}`, signal)));

    expect(verdicts).toEqual([allowed, allowed, allowed]);
    expect(asked).toHaveLength(1);
  });

  it('is kept for 24 hours', async () => {
    await verdictBy('User-agent: *\nDisallow: /');
    clock.advance({ hours: 24, ms: -1 });
    expect(await verdictBy('')).toEqual({ kind: 'disallowed' });
    clock.advance({ ms: 1 });

    expect(await verdictBy('')).toEqual(allowed);
    expect(asked).toHaveLength(2);
  });

  it('is asked for again after 5 minutes where it could not be had', async () => {
    answer = () => answered(503);
    await robots.verdict(site, signal);
    clock.advance({ minutes: 5, ms: -1 });
    expect(await verdictBy('')).toMatchObject({ kind: 'unknown' });
    clock.advance({ ms: 1 });

    expect(await verdictBy('')).toEqual(allowed);
  });

  it('is kept for each origin by itself, the last 500 of them', async () => {
    for (let n = 0; n <= 500; n += 1) await robots.verdict(`http://${n}.example/`, signal);
    await robots.verdict('http://1.example/', signal);
    expect(asked).toHaveLength(501);

    await robots.verdict('http://0.example/', signal);

    expect(asked).toHaveLength(502);
  });
});

describe('one who is told to stop', () => {
  const cutOff = { kind: 'unknown', detail: 'told to stop' };

  const untilAborted = (_: string, options: FetchOptions | undefined) =>
    new Promise<FetchResult>(resolve => {
      options?.signal?.addEventListener('abort', () => resolve(failed('aborted')), { once: true });
    });

  it('asks for nothing', async () => {
    expect(await robots.verdict(site, AbortSignal.abort())).toEqual(cutOff);
    expect(asked).toEqual([]);
  });

  it('gives up the fetch, and who comes next asks anew', async () => {
    const stop = new AbortController();
    answer = untilAborted;
    const verdict = robots.verdict(site, stop.signal);

    stop.abort();

    expect(await verdict).toEqual(cutOff);
    expect(asked[0]?.options?.signal?.aborted).toBe(true);
    expect(await verdictBy('')).toEqual(allowed);
  });

  it('takes nothing from others who wait for it', async () => {
    const stop = new AbortController();
    let finish: (result: FetchResult) => void = () => {};
    answer = () =>
      new Promise(resolve => {
        finish = resolve;
      });
    const stopped = robots.verdict(site, stop.signal);
    const other = robots.verdict(site, signal);

    stop.abort();
    expect(await stopped).toEqual(cutOff);
    expect(asked[0]?.options?.signal?.aborted).toBe(false);
    finish(answered(200, 'User-agent: *\nDisallow: /'));

    expect(await other).toEqual({ kind: 'disallowed' });
    expect(asked).toHaveLength(1);
  });
});

describe('a hostile robots.txt', () => {
  const excessive = { kind: 'unknown', detail: 'it has more rules than are read' };
  const rules = (count: number, rule: string) => `User-agent: *\n${`${rule}\n`.repeat(count)}`;

  // What is judged is bounded by counts: the cost of a verdict is rules and, with stars, their length times the path's.
  it.each<[string, string, object]>([
    ['as many rules as are read', rules(2_500, 'Disallow: /x'), allowed],
    ['one more', rules(2_501, 'Disallow: /x'), excessive],
    ['rules of others without end', `User-agent: x\n${'Disallow: /\n'.repeat(40_000)}`, allowed],
    ['names times rules', `${'User-agent: *\n'.repeat(20_000)}${'Allow: /\n'.repeat(2_500)}`, allowed],
    [
      'names of others times rules',
      `${'User-agent: x\n'.repeat(18_000)}${'Allow: /\n'.repeat(25_000)}`,
      allowed,
    ],
    ['a rule of nothing but stars', `User-agent: *\nDisallow: ${'*'.repeat(490_000)}x`, allowed],
    ['stars as many as are read', `User-agent: *\nDisallow: /${'a*'.repeat(4_990)}`, allowed],
    ['more stars', `User-agent: *\nDisallow: /${'a*'.repeat(5_000)}`, excessive],
    ['stars in many rules', rules(2_000, 'Disallow: /*a*a*a*b'), excessive],
    ['a long rule without a star', `User-agent: *\nDisallow: /${'a'.repeat(99_000)}`, allowed],
    ['a longer one', `User-agent: *\nDisallow: /${'a'.repeat(100_000)}`, excessive],
    ['letters that grow when escaped', `User-agent: *\nDisallow: /${'漢'.repeat(12_000)}`, excessive],
    ['one line without an end', `User-agent: *\nDisallow${' '.repeat(490_000)}`, allowed],
  ])('with %s is judged or given up', async (_, text, expected) => {
    expect(await verdictBy(text, `/${'a'.repeat(2_000)}`)).toEqual(expected);
  });

  it.each([
    [2_048, allowed],
    [2_049, { kind: 'unknown', detail: 'a path longer than 2048 characters is not judged' }],
  ])('is not compared with a path of more than 2,048 characters: %i', async (length, expected) => {
    expect(await verdictBy('', `/?${'a'.repeat(length - 2)}`)).toEqual(expected);
  });
});
