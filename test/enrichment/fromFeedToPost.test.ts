import { expect, it } from 'vitest';
import { EnrichArticlesJob } from '../../src/enrichment/EnrichArticlesJob.ts';
import { isHtml } from '../../src/enrichment/isHtml.ts';
import { readPage } from '../../src/enrichment/readPage.ts';
import { createRobots } from '../../src/enrichment/robots.ts';
import { IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { followArticles } from '../../src/routing/followArticles.ts';
import { type FakeAnswer, fakeFetch, fakeLocks, rssOf } from '../ingestion/fakeFeeds.ts';
import { createRoute } from '../ingestion/scene.ts';
import { useDatabase } from '../support/database.ts';
import { createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { recordingLogger } from '../support/recordingLogger.ts';

const database = useDatabase();
const { signal } = new AbortController();

const page = '<html lang="en"><head><meta property="og:description" content="What the page says"></head>';

it('queues what the page says of an article whose feed says nothing', async () => {
  const { db } = database;
  const clock = new FakeClock('2026-09-07T12:00:00Z');
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  const feed = { url: 'https://a.test/feed', first_imported_at: clock.now(), enrich_within_ms: 600_000 };
  const feedId = await createFeed(db, workspaceId, feed);
  const template = '{{ title }}: {{ summary }}';
  await createRoute(db, { workspaceId, feedId, channelId }, { approval: 'auto', template });
  const items = [
    { title: 'Bare', link: 'https://a.test/bare' },
    { title: 'Full', link: 'https://a.test/full', description: 'What the feed says' },
    { title: 'Private', link: 'https://a.test/private' },
  ];
  const html = { headers: { 'content-type': 'text/html' }, body: page };
  const answers = new Map<string, FakeAnswer | null>([
    ['https://a.test/feed', { body: rssOf(items) }],
    ['https://a.test/robots.txt', { body: 'User-agent: *\nDisallow: /private' }],
    ['https://a.test/bare', html],
    ['https://a.test/full', html],
  ]);
  const { fetch, requests } = fakeFetch(answers);
  const tools = { db, fetch, lock: fakeLocks().lock, logger: recordingLogger().logger };
  const ingest = new IngestFeedsJob(tools);
  const enrich = new EnrichArticlesJob({
    ...tools,
    robots: createRobots({ fetch, userAgent: 'Headway/test', clock }),
    isHtml,
    readPage,
    onEnriched: (trx, ids, now) => followArticles(trx, ids, { following: 'enriched', now }),
    wait: async () => undefined,
  });
  const queued = () =>
    db('route_articles').orderBy('id').select('text', 'next_attempt_at', 'last_error_code', 'queue_state');

  await ingest.handle({ feedId }, { clock, signal });
  const before = await queued();
  await enrich.handle({}, { clock, signal });
  const after = await queued();

  const wait = {
    next_attempt_at: new Date('2026-09-07T12:10:00Z'),
    last_error_code: 'enriching',
    queue_state: 2,
  };
  const ready = { next_attempt_at: null, last_error_code: null, queue_state: 1 };
  const textsOf = (rows: readonly { text: string }[]) => rows.map(({ text }) => text).sort();
  expect(before).toMatchObject([wait, wait, wait]);
  expect(after).toMatchObject([ready, ready, ready]);
  expect(textsOf(after)).toEqual([
    'Bare: What the page says',
    'Full: What the feed says',
    textsOf(before)[2],
  ]);
  expect(
    requests
      .map(({ url }) => url)
      .filter(url => url !== 'https://a.test/feed')
      .sort(),
  ).toEqual(['https://a.test/bare', 'https://a.test/full', 'https://a.test/robots.txt']);
});
