import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { useDatabase } from '../support/database.ts';
import { createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { until } from '../support/until.ts';
import { rssOf } from './fakeFeeds.ts';
import { createRoute, feedUrl, ingestionScene, queued, titlesQueued } from './scene.ts';

const database = useDatabase();

const feedRow = (id: number) => database.db('feeds').where({ id }).first();
const alerts = async () => (await database.db('alerts').orderBy('id')).map(row => row.kind);
const one = { title: 'One', link: 'https://blog.test/1', guid: 'g1', date: 'Mon, 07 Sep 2026 09:50:00 GMT' };
const two = {
  title: 'Two',
  link: 'https://blog.test/2',
  guid: 'g2',
  date: 'Mon, 07 Sep 2026 13:25:00 +0200',
};

describe('IngestFeedsJob', () => {
  it('stores and queues what a feed brings, oldest first', async () => {
    const { answers, ingest, feedId, workspaceId, clock } = await ingestionScene(database.db);
    answers.set(feedUrl, { body: rssOf([two, one]) });

    const { feeds } = await ingest();

    expect(feeds).toEqual([
      expect.objectContaining({
        feedId,
        outcome: 'read',
        newArticles: 2,
        routed: 2,
        detail: null,
        change: null,
      }),
    ]);
    const rows = await queued(database.db);
    expect(rows.map(row => row.title)).toEqual(['One', 'Two']);
    expect(rows[0]).toMatchObject({
      workspace_id: workspaceId,
      approval_status: 'approved',
      publish_status: 'pending',
      publish_attempts: 0,
      queue_state: 1,
      text: 'One',
      created_at: clock.now(),
      post_created_at: clock.now(),
    });
    expect(await feedRow(feedId)).toMatchObject({
      ingest_status: 'idle',
      claim_token: null,
      first_imported_at: clock.now(),
      last_complete_at: clock.now(),
      next_fetch_at: new Date('2026-09-07T12:15:00Z'),
    });
  });

  it('sees each item once, whatever its date, in five reads, reordered, emptied and filled again', async () => {
    const { answers, ingest, clock } = await ingestionScene(database.db, {
      feed: { max_age_ms: 30 * 86_400_000 },
    });
    const items = [
      one,
      two,
      { title: 'None', link: 'https://blog.test/3' },
      { title: 'Bad', link: 'https://blog.test/4', date: 'not a date' },
      { title: '2099', link: 'https://blog.test/5', date: 'Thu, 01 Jan 2099 00:00:00 GMT' },
      { title: '1970', link: 'https://blog.test/6', date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
      { title: 'PDT', link: 'https://blog.test/7', date: 'Mon, 7 Sep 26 04:00 PDT' },
    ];
    const polls = [
      items,
      items.toReversed(),
      [],
      items,
      [items[3], ...items].filter(item => item !== undefined),
    ];

    for (const poll of polls) {
      answers.set(feedUrl, { body: rssOf(poll) });
      await ingest();
      clock.advance({ minutes: 15 });
    }

    const rows = await queued(database.db);
    expect(rows.map(row => row.title)).toEqual(['1970', 'One', 'PDT', 'Two', 'None', 'Bad', '2099']);
    expect(rows.filter(row => row.publish_status === 'skipped')).toMatchObject([
      { title: '1970', skip_reason: 'too_old', publish_attempts: 4, queue_state: 0 },
    ]);
    const articles = await database.db('articles').orderBy('id');
    const seenAt = new Date('2026-09-07T12:00:00Z');
    expect(articles.map(row => [row.title, row.is_dated, row.published_at])).toEqual([
      ['1970', true, new Date(0)],
      ['One', true, new Date('2026-09-07T09:50:00Z')],
      ['PDT', true, new Date('2026-09-07T11:00:00Z')],
      ['Two', true, new Date('2026-09-07T11:25:00Z')],
      ['None', false, seenAt],
      ['Bad', false, seenAt],
      ['2099', false, seenAt],
    ]);
  });

  it('knows an item again by any of its keys, and learns the new ones', async () => {
    const { answers, ingest, clock } = await ingestionScene(database.db);
    const polls = [
      one,
      { ...one, link: 'https://blog.test/renamed' },
      { ...one, guid: 'other', link: 'https://blog.test/renamed?utm_source=rss#top' },
      { ...one, guid: 'other', link: 'https://blog.test/elsewhere' },
    ];

    for (const item of polls) {
      answers.set(feedUrl, { body: rssOf([item]) });
      await ingest();
      clock.advance({ minutes: 15 });
    }

    expect(await titlesQueued(database.db)).toEqual(['One']);
    expect((await queued(database.db))[0].url_key).toBe((await database.db('articles').first()).url_key);
  });

  it('does not trust a guid that a feed gave to different URLs, not even later when it stands alone', async () => {
    const { answers, ingest, clock } = await ingestionScene(database.db);
    const item = (n: number) => ({ title: `T${n}`, link: `https://blog.test/${n}`, guid: 'same' });
    const polls = [[item(2), item(1)], [item(3)], [item(4)], [item(4), item(2)]];

    for (const poll of polls) {
      answers.set(feedUrl, { body: rssOf(poll) });
      await ingest();
      clock.advance({ minutes: 15 });
    }

    expect(await titlesQueued(database.db)).toEqual(['T1', 'T2', 'T3', 'T4']);
  });

  it('gives one story of two feeds the same key, and different ones to different stories', async () => {
    const { answers, ingest, workspaceId, channelId } = await ingestionScene(database.db);
    const otherUrl = 'https://other.test/feed.xml';
    const feedId = await createFeed(database.db, workspaceId, {
      url: otherUrl,
      first_import: '{"mode":"all"}',
    });
    await createRoute(database.db, { workspaceId, feedId, channelId });
    answers.set(feedUrl, {
      body: rssOf([
        { title: 'A', link: 'HTTPS://News.test:443/a/1#top' },
        { title: 'B', link: 'https://news.test/a/10' },
      ]),
    });
    answers.set(otherUrl, { body: rssOf([{ title: 'A', link: 'https://news.test/a/1/?utm_source=x' }]) });

    await ingest();

    const rows = await queued(database.db);
    const keys = (title: string) => new Set(rows.filter(row => row.title === title).map(row => row.url_key));
    expect(rows).toHaveLength(3);
    expect(keys('A').size).toBe(1);
    expect(keys('B')).not.toEqual(keys('A'));
    const urls = (await database.db('articles').where({ title: 'A' }).orderBy('id'))
      .map(row => row.url)
      .sort();
    expect(urls).toEqual(['https://news.test/a/1#top', 'https://news.test/a/1/?utm_source=x']);
  });

  it('follows a changed text in the article and in what is queued, and keeps the link', async () => {
    const { answers, ingest, clock } = await ingestionScene(database.db);
    answers.set(feedUrl, { body: rssOf([one, two]) });
    await ingest();
    clock.advance({ minutes: 15 });
    answers.set(feedUrl, {
      body: rssOf([{ ...one, title: 'One, corrected', link: 'https://blog.test/new' }, two]),
    });

    const { feeds } = await ingest();

    expect(feeds).toMatchObject([{ outcome: 'read', newArticles: 0, routed: 0, detail: '1 changed' }]);
    const articles = await database.db('articles').orderBy('id');
    expect(articles.map(row => [row.title, row.url])).toEqual([
      ['One, corrected', 'https://blog.test/1'],
      ['Two', 'https://blog.test/2'],
    ]);
    expect(await titlesQueued(database.db)).toEqual(['One, corrected', 'Two']);
  });

  it('reads the feed of today although another one has an item of tomorrow', async () => {
    const { answers, ingest, workspaceId, channelId, clock } = await ingestionScene(database.db);
    const otherUrl = 'https://other.test/feed.xml';
    const feedId = await createFeed(database.db, workspaceId, {
      url: otherUrl,
      first_import: '{"mode":"all"}',
    });
    await createRoute(database.db, { workspaceId, feedId, channelId });
    answers.set(feedUrl, {
      body: rssOf([{ ...one, title: 'Tomorrow', date: 'Tue, 08 Sep 2026 12:00:00 GMT' }]),
    });
    answers.set(otherUrl, { body: rssOf([]) });
    await ingest();
    clock.advance({ minutes: 15 });
    answers.set(otherUrl, { body: rssOf([{ ...two, title: 'Today' }]) });

    await ingest();

    expect(await titlesQueued(database.db)).toEqual(['Tomorrow', 'Today']);
  });

  it('lets no feed that fails or trips us stop another', async () => {
    const { answers, ingest, workspaceId, lines, feedId } = await ingestionScene(database.db);
    const broken = await createFeed(database.db, workspaceId, { url: 'https://broken.test/feed' });
    const poison = await createFeed(database.db, workspaceId, { url: 'https://poison.test/feed' });
    answers.set('https://broken.test/feed', { body: '<html><body>Sorry</body></html>' });
    answers.set('https://poison.test/feed', { body: rssOf([one]) });
    answers.set(feedUrl, { body: rssOf([two]) });
    await database.db('feeds').where({ id: poison }).update({ first_import: '{"mode":"since","at":null}' });
    await database.db.raw(
      `create function trip() returns trigger language plpgsql as $$ begin
         if new.feed_id = ${poison} then raise exception 'tripped'; end if; return new; end $$;
       create trigger trip before insert on articles for each row execute function trip()`,
    );

    const { feeds } = await ingest();
    await database.db.raw('drop function trip cascade');

    expect(new Map(feeds.map(feed => [feed.feedId, feed.outcome]))).toEqual(
      new Map([
        [feedId, 'read'],
        [broken, 'failed'],
        [poison, 'failed'],
      ]),
    );
    expect(await feedRow(broken)).toMatchObject({
      failures: 1,
      status: 'active',
      last_error: 'a web page, not a feed',
    });
    expect(await feedRow(poison)).toMatchObject({
      failures: 1,
      ingest_status: 'idle',
      last_error: expect.stringContaining('tripped'),
      next_fetch_at: new Date('2026-09-07T12:15:00Z'),
    });
    expect(lines.filter(line => line.level === 50)).toHaveLength(1);
    expect(await titlesQueued(database.db)).toEqual(['Two']);
  });

  it('backs a failing feed off with one alert, and tells when it is back', async () => {
    const { answers, ingest, clock, feedId, lines } = await ingestionScene(database.db);
    const waits: number[] = [];

    for (let round = 0; round < 11; round += 1) {
      await ingest();
      const { next_fetch_at } = await feedRow(feedId);
      waits.push((next_fetch_at - clock.now().getTime()) / 60_000);
      clock.set(next_fetch_at.toISOString());
    }
    const whileDown = await feedRow(feedId);
    answers.set(feedUrl, { body: rssOf([one]) });
    await ingest();

    expect(waits).toEqual([15, 15, 30, 60, 120, 240, 480, 960, 1440, 1440, 1440]);
    expect(whileDown).toMatchObject({
      status: 'failing',
      failures: 11,
      last_error: expect.stringContaining('connection_refused'),
    });
    expect(await feedRow(feedId)).toMatchObject({ status: 'active', failures: 0, last_error: null });
    expect(await alerts()).toEqual(['feed_failing', 'feed_recovered']);
    expect(lines.filter(line => line.level === 30).map(line => line.change)).toEqual([
      'failing',
      'recovered',
    ]);
  });

  it('asks with the validators of the last complete read and keeps them on 304', async () => {
    const { answers, ingest, clock, feedId, world } = await ingestionScene(database.db);
    const headers = { etag: 'W/"a b"', 'last-modified': 'yesterday or so' };
    const answersInTurn = [
      { body: rssOf([one]), headers },
      { status: 304 },
      { body: 'no feed', headers: { etag: '"bad"' } },
      { body: rssOf([one]) },
    ];

    const outcomes: string[] = [];
    for (const answer of answersInTurn) {
      answers.set(feedUrl, answer);
      const { feeds } = await ingest();
      outcomes.push(...feeds.map(feed => feed.outcome));
      clock.advance({ minutes: 15 });
    }

    expect(outcomes).toEqual(['read', 'unchanged', 'failed', 'read']);
    const sent = world.requests.map(request => [
      request.headers['if-none-match'],
      request.headers['if-modified-since'],
    ]);
    const validators = ['W/"a b"', 'yesterday or so'];
    expect(sent).toEqual([[undefined, undefined], validators, validators, validators]);
    expect(await feedRow(feedId)).toMatchObject({ etag: null, last_modified: null });
  });

  it('takes a 304 that nobody asked for as a failure', async () => {
    const { answers, ingest, feedId } = await ingestionScene(database.db);
    answers.set(feedUrl, { status: 304 });

    await ingest();

    expect(await feedRow(feedId)).toMatchObject({ failures: 1, first_imported_at: null });
  });

  it('leaves a gone feed alone after one alert', async () => {
    const { answers, ingest, clock, feedId } = await ingestionScene(database.db);
    answers.set(feedUrl, { status: 410 });

    const first = await ingest();
    clock.advance({ hours: 48 });
    const second = await ingest({ feedId, isForced: true });

    expect(first.feeds).toMatchObject([{ outcome: 'gone', change: 'gone' }]);
    expect(second.feeds).toEqual([]);
    expect(await feedRow(feedId)).toMatchObject({ status: 'gone', ingest_status: 'idle' });
    expect(await alerts()).toEqual(['feed_gone']);
  });

  it('follows a permanent redirect for good after three in a row', async () => {
    const { answers, ingest, clock, feedId, world } = await ingestionScene(database.db);
    const moved = 'https://new.test/feed';
    const places = [moved, 'https://trap.test/', moved, moved, null, moved, moved, moved];
    answers.set(moved, { body: rssOf([one]) });

    for (const movedTo of places) {
      answers.set(feedUrl, { body: rssOf([one]), ...(movedTo === null ? {} : { movedTo }) });
      await ingest();
      clock.advance({ minutes: 15 });
    }
    await ingest();

    expect(world.requests.map(request => request.url)).toEqual([...places.map(() => feedUrl), moved]);
    expect(await feedRow(feedId)).toMatchObject({ url: moved, moved_to: null, moved_hits: 0 });
  });

  it.each([
    [{ 'retry-after': '3600' }, 60],
    [{ 'cache-control': 'public, max-age=7200', age: '3600' }, 60],
    [{ 'cache-control': 'max-age=60' }, 15],
    [{ 'cache-control': 'no-cache, max-age=7200' }, 15],
    [{ 'retry-after': '999999999' }, 24 * 60],
    [{ 'retry-after': 'Mon, 07 Sep 2026 13:00:00 GMT' }, 60],
    [{ 'retry-after': 'Mon, 07 Sep 2020 13:00:00 GMT' }, 15],
    [{ 'retry-after': 'soon' }, 15],
  ])('waits at least as long as %j asks, at most a day', async (headers, minutes) => {
    const { answers, ingest, clock, feedId } = await ingestionScene(database.db);
    answers.set(feedUrl, { body: rssOf([one]), headers });

    await ingest();

    const { next_fetch_at } = await feedRow(feedId);
    expect((next_fetch_at - clock.now().getTime()) / 60_000).toBe(minutes);
  });

  it('waits at least as long as the document asks, also while it is unchanged', async () => {
    const { answers, ingest, clock, feedId } = await ingestionScene(database.db);
    const withTtl = (ttl: string) => rssOf([one]).replace('<item>', `<ttl>${ttl}</ttl><item>`);
    const polls = [
      { body: withTtl('60'), headers: { etag: '"1"' } },
      { status: 304 },
      { status: 304, headers: { 'cache-control': 'max-age=7200' } },
      { body: withTtl('0') },
      { body: withTtl('soon') },
    ];

    const waits: number[] = [];
    for (const poll of polls) {
      answers.set(feedUrl, poll);
      await ingest();
      const { next_fetch_at } = await feedRow(feedId);
      waits.push((next_fetch_at - clock.now().getTime()) / 60_000);
      clock.set(next_fetch_at.toISOString());
    }

    expect(waits).toEqual([60, 60, 120, 15, 15]);
  });

  it('is told by 429 and 503 when to come again, as by any failure', async () => {
    const { answers, ingest, clock, feedId } = await ingestionScene(database.db);

    for (const [status, minutes] of [
      [429, 90],
      [503, 30],
    ] as const) {
      answers.set(feedUrl, { status, headers: { 'retry-after': String(minutes * 60) } });
      await ingest();
      const { next_fetch_at, last_error } = await feedRow(feedId);

      expect(last_error).toBe(`the server answered ${status}`);
      expect((next_fetch_at - clock.now().getTime()) / 60_000).toBe(minutes);
      clock.set(next_fetch_at.toISOString());
    }
  });

  it('reads two feeds that have come to one address, and sends nothing twice to one channel', async () => {
    const { answers, ingest, workspaceId, channelId, clock } = await ingestionScene(database.db);
    const moved = 'https://other.test/feed.xml';
    const feedId = await createFeed(database.db, workspaceId, { url: moved, first_import: '{"mode":"all"}' });
    await createRoute(database.db, { workspaceId, feedId, channelId });
    answers.set(moved, { body: rssOf([one]) });
    answers.set(feedUrl, { body: rssOf([one]), movedTo: moved });

    for (let read = 0; read < 5; read += 1) {
      await ingest();
      clock.advance({ minutes: 15 });
    }

    expect(await database.db('feeds').pluck('url')).toEqual([moved, moved]);
    const rows = await queued(database.db);
    expect([rows.length, new Set(rows.map(row => row.url_key)).size]).toEqual([2, 1]);
  });

  it('reads only what is due, and one feed on demand', async () => {
    const { answers, ingest, clock, feedId, workspaceId, world } = await ingestionScene(database.db);
    const later = await createFeed(database.db, workspaceId, {
      url: 'https://later.test/',
      next_fetch_at: new Date('2026-09-07T12:00:00.001Z'),
    });
    const elsewhere = await createFeed(database.db, await createWorkspace(database.db));
    const closed = [{ paused: true }, { archived_at: clock.now() }, { status: 'gone' }];
    for (const columns of closed) await createFeed(database.db, workspaceId, columns);
    answers.set(feedUrl, { body: rssOf([]) });

    const due = await ingest({ workspaceId });
    const none = await ingest({ workspaceId });
    const forced = await ingest({ feedId: later, isForced: true });
    const rest = await ingest();

    expect([due, none, forced, rest].map(({ feeds }) => feeds.map(feed => feed.feedId))).toEqual([
      [feedId],
      [],
      [later],
      [elsewhere],
    ]);
    expect(world.requests).toHaveLength(3);
  });

  it('reads eight at once, one per host', async () => {
    const { answers, ingest, workspaceId, world } = await ingestionScene(database.db);
    const urls = Array.from({ length: 30 }, (_, n) => `https://host${n}.test/feed`);
    const sameHost = Array.from({ length: 5 }, (_, n) => `https://same.test/${n}`);
    for (const url of [...urls, ...sameHost]) {
      answers.set(url, { body: rssOf([]) });
      await createFeed(database.db, workspaceId, { url });
    }
    await database.db('feeds').where({ url: feedUrl }).update({ paused: true });

    await database.db('feeds').where('url', 'like', '%host%').update({ paused: true });
    await ingest();
    const ofOneHost = world.mostAtOnce();
    await database.db('feeds').where('url', 'like', '%host%').update({ paused: false });
    await ingest();

    expect(ofOneHost).toBe(1);
    expect(world.mostAtOnce()).toBeGreaterThan(1);
    expect(world.mostAtOnce()).toBeLessThanOrEqual(8);
    expect(world.requests).toHaveLength(35);
  });

  it('reads what becomes due while an earlier run waits for a silent host, and nothing beside that run', async () => {
    const { answers, ingest, workspaceId, feedId, world } = await ingestionScene(database.db);
    const silentUrl = 'https://silent.test/feed';
    await createFeed(database.db, workspaceId, { url: silentUrl, next_fetch_at: new Date('2025-01-01') });
    answers.set(silentUrl, null);
    answers.set(feedUrl, { body: rssOf([one]) });
    const stop = new AbortController();
    const slow = ingest({}, stop.signal);
    await until(async () => (await feedRow(feedId))?.last_complete_at !== null);
    await database
      .db('feeds')
      .where({ id: feedId })
      .update({ next_fetch_at: new Date('2026-09-07T11:00:00Z') });

    const next = await ingest();
    stop.abort();
    await slow;

    expect(next.feeds.map(feed => feed.feedId)).toEqual([feedId]);
    expect(world.requests.filter(({ url }) => url === silentUrl)).toHaveLength(1);
  });

  it('reads feeds that failed the last time after all others, however long they are due', async () => {
    const { answers, ingest, workspaceId, world } = await ingestionScene(database.db);
    const failing = Array.from({ length: 9 }, (_, n) => `https://failing${n}.test/feed`);
    for (const url of failing) {
      answers.set(url, { status: 500 });
      await createFeed(database.db, workspaceId, { url, failures: 1, next_fetch_at: new Date('2025-01-01') });
    }
    answers.set(feedUrl, { body: rssOf([one]) });

    await ingest();

    expect(world.requests.slice(0, 8).map(({ url }) => url)).toContain(feedUrl);
    expect(world.requests).toHaveLength(10);
  });

  it('gives its claims back when it is stopped, and takes no new one', async () => {
    const { answers, ingest, workspaceId, feedId, world } = await ingestionScene(database.db);
    for (let n = 0; n < 10; n += 1) {
      answers.set(`https://slow${n}.test/`, null);
      await createFeed(database.db, workspaceId, { url: `https://slow${n}.test/` });
    }
    answers.set(feedUrl, null);
    const stop = new AbortController();

    const run = ingest({}, stop.signal);
    await until(() => world.requests.length === 8);
    const claimed = await database.db('feeds').where({ ingest_status: 'fetching' });
    stop.abort();
    const { feeds } = await run;

    expect(claimed).toHaveLength(8);
    expect(feeds.map(feed => feed.outcome)).toEqual(Array(8).fill('stopped'));
    expect(world.requests).toHaveLength(8);
    const rows = await database.db('feeds');
    expect(
      new Set(
        rows.map(row => `${row.ingest_status} ${row.failures} ${row.last_error} ${row.last_fetched_at}`),
      ),
    ).toEqual(new Set(['idle 0 null null']));
    expect(rows.every(row => row.next_fetch_at < new Date('2026-09-07'))).toBe(true);
    expect(await feedRow(feedId)).toMatchObject({ claim_token: null, claimed_at: null });
  });

  it('claims nothing when it is stopped while it asks for the lock', async () => {
    const { feedId, locks, logger, world, clock } = await ingestionScene(database.db);
    const before = await feedRow(feedId);
    const stop = new AbortController();
    const lock = (unit: string) => {
      stop.abort();
      return locks.lock(unit);
    };
    const claims = new Map<number, string>();
    const job = new IngestFeedsJob({ db: database.db, lock, fetch: world.fetch, logger, claims });

    const { feeds } = await job.handle({}, { clock, signal: stop.signal });

    expect(feeds).toMatchObject([{ outcome: 'stopped' }]);
    expect(await feedRow(feedId)).toEqual(before);
    expect(world.requests).toEqual([]);
    expect([claims.size, locks.held.size]).toEqual([0, 0]);
  });

  it('leaves a feed to the process that holds its lock', async () => {
    const { answers, ingest, locks, feedId, world } = await ingestionScene(database.db);
    answers.set(feedUrl, { body: rssOf([one]) });
    const held = await locks.lock(`feed:${feedId}`);

    const busy = await ingest();
    await held?.release();
    const free = await ingest();

    expect(busy.feeds).toMatchObject([{ outcome: 'busy' }]);
    expect(free.feeds).toMatchObject([{ outcome: 'read' }]);
    expect(world.requests).toHaveLength(1);
    expect(locks.held.size).toBe(0);
  });

  it('stops like a shutdown when the lock is lost', async () => {
    const { answers, ingest, locks, feedId, world } = await ingestionScene(database.db);
    answers.set(feedUrl, null);

    const run = ingest();
    await until(() => world.requests.length === 1);
    locks.held.get(`feed:${feedId}`)?.abort();
    const { feeds } = await run;

    expect(feeds).toMatchObject([{ outcome: 'stopped' }]);
    expect(await feedRow(feedId)).toMatchObject({ ingest_status: 'idle', failures: 0 });
  });

  it('takes over the claim of a dead reader, and backs off a feed that kills again and again', async () => {
    const { answers, ingest, feedId, world } = await ingestionScene(database.db);
    answers.set(feedUrl, { body: rssOf([one]) });
    const leftover = {
      ingest_status: 'fetching',
      claim_token: '00000000-0000-4000-8000-000000000001',
      claimed_at: new Date('2026-09-07T11:00:00Z'),
    };
    await database
      .db('feeds')
      .where({ id: feedId })
      .update({ ...leftover, failures: 2 });

    const third = await ingest();
    await database
      .db('feeds')
      .where({ id: feedId })
      .update({
        next_fetch_at: new Date('2026-09-07T11:00:00Z'),
        failures: 0,
        status: 'active',
        ...leftover,
      });
    const first = await ingest();

    expect(third.feeds).toMatchObject([
      { outcome: 'failed', detail: 'interrupted (consumer restarted)', change: 'failing' },
    ]);
    expect(first.feeds).toMatchObject([{ outcome: 'read', newArticles: 1 }]);
    expect(world.requests).toHaveLength(1);
    expect(await feedRow(feedId)).toMatchObject({ ingest_status: 'idle', claim_token: null, failures: 0 });
  });

  it("writes nothing once its claim is another one's", async () => {
    const { ingest, feedId, answers, world } = await ingestionScene(database.db);
    const stolen = '00000000-0000-4000-8000-000000000002';
    answers.set(feedUrl, null);
    const stop = new AbortController();

    const run = ingest({}, stop.signal);
    await until(() => world.requests.length === 1);
    await database.db('feeds').where({ id: feedId }).update({ claim_token: stolen });
    stop.abort();
    await run;

    expect(await feedRow(feedId)).toMatchObject({ ingest_status: 'fetching', claim_token: stolen });
  });

  it('says one line at info for what is new, and nothing on an idle run', async () => {
    const { answers, ingest, clock, lines, feedId } = await ingestionScene(database.db);
    answers.set(feedUrl, { body: rssOf([one]) });

    await ingest();
    clock.advance({ minutes: 15 });
    await ingest();
    await ingest();

    expect(lines.filter(line => line.level > 20)).toMatchObject([
      { msg: 'feed read', feedId, newArticles: 1, routed: 1 },
    ]);
  });

  it('routes by filters, approval, priority and template, past what is archived', async () => {
    const { answers, ingest, workspaceId, feedId, channelId, clock } = await ingestionScene(database.db, {
      route: { include: ['one'], template: '{{ title }} {{ url }}', priority: 5 },
    });
    const manual = await createChannel(database.db, workspaceId);
    const archived = await createChannel(database.db, workspaceId, { archived_at: clock.now() });
    const unrouted = await createChannel(database.db, workspaceId);
    await createRoute(
      database.db,
      { workspaceId, feedId, channelId: manual },
      { approval: 'manual', exclude: ['ONE'] },
    );
    await createRoute(database.db, { workspaceId, feedId, channelId: archived });
    await createRoute(
      database.db,
      { workspaceId, feedId, channelId: unrouted },
      { archived_at: clock.now() },
    );
    answers.set(feedUrl, { body: rssOf([two, one]) });

    await ingest();

    const rows = await queued(database.db);
    expect(rows.map(row => [row.channel_id, row.title, row.text, row.approval_status, row.priority])).toEqual(
      [
        [channelId, 'One', 'One https://blog.test/1', 'approved', 5],
        [manual, 'Two', 'Two', 'pending', 0],
      ],
    );
    expect(new Set(rows.map(row => row.post_key)).size).toBe(2);
  });
});
