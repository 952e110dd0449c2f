import { describe, expect, it } from 'vitest';
import { EnrichArticlesJob, type EnrichArticlesOptions } from '../../src/enrichment/EnrichArticlesJob.ts';
import type { FetchOptions, FetchResult } from '../../src/network/guardedFetch.ts';
import { fakeLocks } from '../ingestion/fakeFeeds.ts';
import { useDatabase } from '../support/database.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { recordingLogger } from '../support/recordingLogger.ts';
import { allowed, createWaiting, emptyPage, pageAnswer, waitUntil } from './scene.ts';

const database = useDatabase();
const never = new AbortController().signal;
const minuteMs = 60_000;

const image = { url: 'https://a.test/page.jpg', width: 1_200, height: 630, alt: 'A harbour' };
const fullPage = {
  description: 'From the page',
  author: 'Page Author',
  language: 'de',
  siteName: 'The Site',
  pageUrl: 'https://a.test/canonical',
  image,
};

function openJob(options: Partial<EnrichArticlesOptions> = {}) {
  const clock = new FakeClock('2026-09-07T12:00:00Z');
  const { logger, lines } = recordingLogger();
  const { lock, held } = fakeLocks();
  const asked: string[] = [];
  const waits: number[] = [];
  const fetch = async (url: string, fetchOptions: FetchOptions = {}) => {
    asked.push(url);
    return options.fetch ? options.fetch(url, fetchOptions) : pageAnswer();
  };
  const job = new EnrichArticlesJob({
    db: database.db,
    lock,
    logger,
    robots: allowed,
    isHtml: () => true,
    readPage: async () => fullPage,
    onEnriched: async () => null,
    wait: async ms => {
      waits.push(ms);
      clock.advance({ ms });
    },
    ...options,
    fetch,
  });
  const run = async (signal = never) => (await job.handle({}, { clock, signal })).articles;
  return { run, clock, lines, lock, held, asked, waits };
}

const answering = (answer: Parameters<typeof pageAnswer>[0]) => async () => pageAnswer(answer);
const add = (path = '1', columns = {}, queued = {}) =>
  createWaiting(database.db, `https://a.test/${path}`, columns, queued);
const article = (id: number) => database.db('articles').where({ id }).first();
const free = { next_attempt_at: null, last_error_code: null };
const waiting = { next_attempt_at: waitUntil, last_error_code: 'enriching' };

describe('EnrichArticlesJob', () => {
  it('fills in what the feed did not say, renders it, and ends the wait', async () => {
    const { articleId, routeArticleId } = await add();
    const before = await article(articleId);
    const whenRendered: unknown[] = [];
    const onEnriched: EnrichArticlesOptions['onEnriched'] = async (db, articleIds, now) => {
      whenRendered.push(
        articleIds,
        now,
        await db('articles').where({ id: articleId }).pluck('summary'),
        await db('route_articles').where({ id: routeArticleId }).pluck('last_error_code'),
      );
    };
    const { run, clock, asked } = openJob({ onEnriched });

    const runs = await run();

    expect(runs).toEqual([{ host: 'a.test', articleId, outcome: 'done', detail: null }]);
    expect(asked).toEqual(['https://a.test/1']);
    expect(await article(articleId)).toMatchObject({
      enrichment_status: 'done',
      enrichment_attempts: 1,
      enrichment_error: null,
      summary: 'From the page',
      author: 'Page Author',
      language: 'de',
      site_name: 'The Site',
      page_url: 'https://a.test/canonical',
      image_url: image.url,
      image_width: 1_200,
      image_height: 630,
      image_alt: 'A harbour',
      title: before.title,
      url: before.url,
      content_hash: before.content_hash,
    });
    expect(await routeArticle(database.db, routeArticleId)).toMatchObject(free);
    expect(whenRendered).toEqual([
      [articleId],
      expect.any(Date),
      ['From the page'],
      // Not free before it reads as it shall.
      ['enriching'],
    ]);
    expect(whenRendered[1]).toEqual(new Date(clock.now().getTime() - 1_000));
  });

  it.each([
    [
      'a picture of its own',
      { image_url: 'https://a.test/own.jpg' },
      { image_url: 'https://a.test/own.jpg', image_alt: null, image_width: null },
    ],
    [
      'the same picture',
      { image_url: image.url },
      { image_alt: 'A harbour', image_width: 1_200, image_height: 630 },
    ],
    [
      'the same picture, described',
      { image_url: image.url, image_alt: 'Own' },
      { image_alt: 'Own', image_width: 1_200 },
    ],
    [
      'a text',
      { summary: 'Own', author: 'Me', language: 'en' },
      { summary: 'Own', author: 'Me', language: 'en' },
    ],
  ])('leaves what the feed said: %s', async (_what, said, expected) => {
    const { articleId } = await add('1', said);

    await openJob().run();

    expect(await article(articleId)).toMatchObject({ enrichment_status: 'done', ...expected });
  });

  it.each([
    ['no HTML', { isHtml: () => false, readPage: () => Promise.reject(new Error('read all the same')) }],
    ['a page that says nothing', { readPage: async () => emptyPage }],
  ])('is done with %s, and renders nothing', async (_what, options) => {
    const { articleId, routeArticleId } = await add();
    const before = await article(articleId);
    const onEnriched = () => Promise.reject(new Error('rendered'));

    const runs = await openJob({ ...options, onEnriched }).run();

    expect(runs).toMatchObject([{ outcome: 'done' }]);
    expect(await article(articleId)).toEqual({
      ...before,
      enrichment_status: 'done',
      enrichment_attempts: 1,
    });
    expect(await routeArticle(database.db, routeArticleId)).toMatchObject(free);
  });

  it('tries three times within the wait, then publishes the article as it is, without an alert', async () => {
    const { articleId, routeArticleId } = await add();
    const { run, clock } = openJob({ fetch: answering({ status: 500 }) });
    const outcomes: unknown[] = [];
    const tryAt = async (seconds: number) => {
      clock.set(new Date(Date.parse('2026-09-07T12:00:00Z') + seconds * 1_000).toISOString());
      outcomes.push((await run()).map(({ outcome }) => outcome));
    };

    for (const seconds of [0, 29, 30, 149]) await tryAt(seconds);
    const between = await routeArticle(database.db, routeArticleId);
    for (const seconds of [150, 10_000]) await tryAt(seconds);

    expect(outcomes).toEqual([['postponed'], [], ['postponed'], [], ['failed'], []]);
    expect(between).toMatchObject(waiting);
    expect(await article(articleId)).toMatchObject({
      enrichment_status: 'failed',
      enrichment_attempts: 3,
      enrichment_error: 'the server answered 500',
    });
    expect(await routeArticle(database.db, routeArticleId)).toMatchObject(free);
    expect(await alertKinds(database.db)).toEqual([]);
  });

  const noAnswer = (failure: 'address_refused' | 'too_many_redirects') => async (): Promise<FetchResult> => ({
    kind: 'failed',
    failure,
    detail: `it was ${failure}`,
  });
  const disallowed = { verdict: async () => ({ kind: 'disallowed' as const }) };

  it.each<[string, Partial<EnrichArticlesOptions>, string]>([
    ['robots.txt disallows it', { robots: disallowed }, 'robots.txt disallows it'],
    ['the page is not there', { fetch: answering({ status: 404 }) }, 'the server answered 404'],
    ['the page is gone', { fetch: answering({ status: 410 }) }, 'the server answered 410'],
    ['it is forbidden', { fetch: answering({ status: 403 }) }, 'the server answered 403'],
    ['its address is refused', { fetch: noAnswer('address_refused') }, 'it was address_refused'],
    ['it leads in circles', { fetch: noAnswer('too_many_redirects') }, 'it was too_many_redirects'],
  ])('does not ask again where %s', async (_why, options, error) => {
    const { articleId, routeArticleId } = await add();

    const runs = await openJob(options).run();

    expect(runs).toEqual([{ host: 'a.test', articleId, outcome: 'failed', detail: error }]);
    expect(await article(articleId)).toMatchObject({
      enrichment_status: 'failed',
      enrichment_attempts: 1,
      enrichment_error: error,
    });
    expect(await routeArticle(database.db, routeArticleId)).toMatchObject(free);
  });

  it('asks for no page that robots.txt disallows or that it could not be read for', async () => {
    const { articleId } = await add();
    const unknown = {
      verdict: async () => ({ kind: 'unknown' as const, detail: 'the server answered 500' }),
    };
    const { run, asked } = openJob({ robots: unknown });

    const runs = await run();
    await database.db('articles').update({ enrichment_next_at: null });
    const { run: later, asked: askedLater } = openJob({ robots: disallowed });
    await later();

    expect(runs).toMatchObject([
      { articleId, outcome: 'postponed', detail: 'robots.txt: the server answered 500' },
    ]);
    expect([...asked, ...askedLater]).toEqual([]);
  });

  it.each([429, 503])('asks nothing of a host before it wants to be asked again: %i', async status => {
    const [first, second] = [await add('1'), await add('2')];
    const { run, clock, asked } = openJob({
      fetch: answering({ status, headers: { 'retry-after': '1200' } }),
    });

    await run();
    clock.advance({ ms: 20 * minuteMs - 1 });
    const early = await run();
    clock.advance({ ms: 1 });
    await run();

    expect(early).toEqual([]);
    expect(asked).toEqual(['https://a.test/1', 'https://a.test/1']);
    expect(await article(first.articleId)).toMatchObject({ enrichment_attempts: 2 });
    expect(await article(second.articleId)).toMatchObject({ enrichment_attempts: 0 });
  });

  it('counts a fault of its own as an attempt, and goes on with the next article', async () => {
    const [first, second] = [await add('1'), await add('2')];
    let reads = 0;
    const readPage = async () => {
      reads += 1;
      if (reads === 1) throw new Error('broken');
      return fullPage;
    };
    const { run, lines } = openJob({ readPage });

    const runs = await run();

    expect(runs.map(({ outcome }) => outcome)).toEqual(['postponed', 'done']);
    expect(await article(first.articleId)).toMatchObject({
      enrichment_status: 'pending',
      enrichment_attempts: 1,
      enrichment_error: 'internal error: broken',
    });
    expect(await routeArticle(database.db, second.routeArticleId)).toMatchObject(free);
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1);
  });

  it('records all of a page or nothing of it', async () => {
    const { articleId, routeArticleId } = await add();
    const onEnriched = () => Promise.reject(new Error('not rendered'));

    await openJob({ onEnriched }).run();

    expect(await article(articleId)).toMatchObject({
      enrichment_status: 'pending',
      enrichment_error: 'internal error: not rendered',
      summary: null,
    });
    expect(await routeArticle(database.db, routeArticleId)).toMatchObject(waiting);
  });

  it.each<[string, (stop: AbortController) => Partial<EnrichArticlesOptions>]>([
    ['robots.txt', stop => ({ robots: { verdict: async () => stopped(stop, { kind: 'disallowed' }) } })],
    ['the page', stop => ({ fetch: async () => stopped(stop, pageAnswer({ status: 404 })) })],
    ['its reading', stop => ({ readPage: async () => stopped(stop, emptyPage) })],
  ])('gives back what it was stopped in while it waited for %s', async (_what, stoppedBy) => {
    const { articleId, routeArticleId } = await add();
    const before = await article(articleId);
    const stop = new AbortController();

    const runs = await openJob(stoppedBy(stop)).run(stop.signal);

    expect(runs).toMatchObject([{ outcome: 'stopped', detail: null }]);
    expect(await article(articleId)).toEqual(before);
    expect(await routeArticle(database.db, routeArticleId)).toMatchObject(waiting);
  });

  it('gives back where its lock is lost', async () => {
    const { articleId } = await add();
    const before = await article(articleId);
    const job = openJob({
      fetch: async () => {
        job.held.get('enrichment:a.test')?.abort();
        return pageAnswer();
      },
    });

    const runs = await job.run();

    expect(runs).toMatchObject([{ outcome: 'stopped' }]);
    expect(await article(articleId)).toEqual(before);
  });

  it('leaves a host to whoever asks it', async () => {
    const { articleId } = await add();
    const { run, lock, asked } = openJob();
    const unit = await lock('enrichment:a.test');

    const runs = await run();
    await unit?.release();

    expect(runs).toEqual([{ host: 'a.test', articleId: null, outcome: 'busy', detail: null }]);
    expect(asked).toEqual([]);
    expect(await article(articleId)).toMatchObject({ enrichment_status: 'pending', enrichment_attempts: 0 });
  });

  it('asks a host for one thing at a time, with pauses, also after the last; several side by side', async () => {
    for (const path of ['1', '2', '3']) await add(path);
    await createWaiting(database.db, 'https://b.test/1');
    const atOnce = new Map<string, number>();
    const events: string[] = [];
    let meet = () => {};
    const met = new Promise<void>(resolve => {
      meet = resolve;
    });
    const fetch = async (url: string) => {
      const { host } = new URL(url);
      atOnce.set(host, (atOnce.get(host) ?? 0) + 1);
      events.push(`${host} ${atOnce.get(host)}`);
      if (host === 'b.test') meet();
      await met;
      atOnce.set(host, (atOnce.get(host) ?? 0) - 1);
      return pageAnswer();
    };
    const first = openJob({ fetch });
    const second = openJob({ fetch, lock: first.lock });

    const [one, other] = await Promise.all([first.run(), second.run()]);

    expect(events.sort()).toEqual(['a.test 1', 'a.test 1', 'a.test 1', 'b.test 1']);
    expect([...one, ...other].filter(({ outcome }) => outcome === 'done')).toHaveLength(4);
    expect([...first.waits, ...second.waits]).toEqual([1_000, 1_000, 1_000, 1_000]);
  });

  it('pauses as long as robots.txt says, and leaves the rest to a later run where that is long', async () => {
    for (const path of ['1', '2', '3']) await add(path);
    let crawlDelayMs = 5_000;
    const robots = { verdict: async () => ({ kind: 'allowed' as const, crawlDelayMs }) };
    const fetch = async (url: string) => {
      if (url.endsWith('2')) crawlDelayMs = minuteMs;
      return pageAnswer();
    };
    const { run, clock, asked, waits } = openJob({ robots, fetch });

    await run();
    crawlDelayMs = minuteMs;
    await database.db('articles').where('url', 'https://a.test/3').update({ enrichment_next_at: null });
    await run();

    expect(waits).toEqual([5_000, 5_000]);
    expect(asked).toEqual(['https://a.test/1', 'https://a.test/2', 'https://a.test/3']);
    expect(clock.now()).toEqual(new Date('2026-09-07T12:00:10Z'));
  });

  it('reads at most twenty pages of a host in a run', async () => {
    for (let path = 1; path <= 22; path += 1) await add(`${path}`);
    const { run } = openJob();

    const counts = [(await run()).length, (await run()).length, (await run()).length];

    expect(counts).toEqual([20, 2, 0]);
  });

  it('begins no page of a slow host after a minute, so that others are not kept waiting', async () => {
    for (let path = 1; path <= 6; path += 1) await add(`${path}`);
    const { run, clock } = openJob({
      fetch: async () => {
        clock.advance({ seconds: 14 });
        return pageAnswer();
      },
    });

    const counts = [(await run()).length, (await run()).length];

    expect(counts).toEqual([4, 2]);
  });

  it('recovers what was left in flight before it claims, and gives up after the third attempt', async () => {
    const orphan = (attempts: number) => ({
      enrichment_status: 'running',
      enrichment_claim_token: '00000000-0000-4000-8000-00000000000a',
      enrichment_claimed_at: new Date('2026-09-07T11:58:00Z'),
      enrichment_attempts: attempts,
    });
    const once = await add('1', orphan(1));
    const thrice = await createWaiting(database.db, 'https://b.test/1', orphan(3));
    const { run, clock } = openJob();

    const first = await run();
    const afterFirst = await article(once.articleId);
    clock.advance({ seconds: 30 });
    const second = await run();

    expect(first).toEqual([]);
    expect(afterFirst).toMatchObject({
      enrichment_status: 'pending',
      enrichment_attempts: 1,
      enrichment_error: 'interrupted (consumer restarted)',
    });
    expect(second).toMatchObject([{ articleId: once.articleId, outcome: 'done' }]);
    expect(await article(thrice.articleId)).toMatchObject({
      enrichment_status: 'failed',
      enrichment_error: 'interrupted (consumer restarted)',
    });
    expect(await routeArticle(database.db, thrice.routeArticleId)).toMatchObject(free);
  });

  it('records what comes after the wait, and touches nothing that no longer waits for it', async () => {
    const published = { publish_status: 'published', next_attempt_at: null, last_error_code: null };
    const claim = {
      publish_status: 'publishing',
      claim_token: '00000000-0000-4000-8000-00000000000b',
      claimed_at: waitUntil,
      claimed_from: 'pending',
      next_attempt_at: null,
    };
    const heldUp = { last_error_code: 'duplicate_in_flight' };
    const backedOff = { publish_status: 'failed', publish_attempts: 1, last_error_code: 'rate_limited' };
    const rows = [];
    for (const queued of [published, claim, heldUp, backedOff])
      rows.push(await add(`${rows.length}`, {}, queued));
    const before = await Promise.all(rows.map(row => routeArticle(database.db, row.routeArticleId)));
    const { run, clock } = openJob();
    clock.advance({ hours: 1 });

    await run();

    for (const { articleId } of rows)
      expect(await article(articleId)).toMatchObject({ enrichment_status: 'done', summary: 'From the page' });
    expect(await Promise.all(rows.map(row => routeArticle(database.db, row.routeArticleId)))).toEqual(before);
  });

  it('goes on with other hosts where one cannot be worked on', async () => {
    const stuck = await add('1');
    const other = await createWaiting(database.db, 'https://b.test/1');
    const { lock } = fakeLocks();
    const breaking = async (unit: string) => {
      if (unit === 'enrichment:a.test') throw new Error('no lock to be had');
      return lock(unit);
    };

    const runs = await openJob({ lock: breaking }).run();

    expect(runs).toContainEqual({
      host: 'a.test',
      articleId: null,
      outcome: 'postponed',
      detail: 'no lock to be had',
    });
    expect(await article(stuck.articleId)).toMatchObject({ enrichment_status: 'pending' });
    expect(await article(other.articleId)).toMatchObject({ enrichment_status: 'done' });
  });

  it('tells of a database that is away, and counts it against no article', async () => {
    const { articleId } = await add();
    const claims = new Set<string>();
    const fetch = async (): Promise<FetchResult> => {
      throw new Error('Connection terminated unexpectedly');
    };

    await expect(openJob({ fetch, claims }).run()).rejects.toThrow('Connection terminated');

    expect(claims.size).toBe(1);
    expect(await article(articleId)).toMatchObject({ enrichment_status: 'running', enrichment_error: null });
  });
});

function stopped<Answer>(stop: AbortController, answer: Answer): Answer {
  stop.abort();
  return answer;
}
