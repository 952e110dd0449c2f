import type { Database } from '../../src/database/Database.ts';
import { type IngestFeeds, IngestFeedsJob } from '../../src/ingestion/IngestFeedsJob.ts';
import { createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { recordingLogger } from '../support/recordingLogger.ts';
import { type FakeAnswer, type FakeEnd, fakeFetch, fakeLocks } from './fakeFeeds.ts';

export const feedUrl = 'https://blog.test/feed.xml';

type Columns = Readonly<Record<string, unknown>>;

/** A workspace with one channel, one feed and an automatic route between them, and a world to read from. */
export async function ingestionScene(
  db: Database,
  { feed = {}, route = {} }: { feed?: Columns; route?: Columns } = {},
) {
  const clock = new FakeClock('2026-09-07T12:00:00Z');
  const answers = new Map<string, FakeAnswer | null>();
  const ends = new Map<string, FakeEnd>();
  const world = fakeFetch(answers, ends);
  const locks = fakeLocks();
  const { logger, lines } = recordingLogger();
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  const feedId = await createFeed(db, workspaceId, { url: feedUrl, first_import: '{"mode":"all"}', ...feed });
  await createRoute(db, { workspaceId, feedId, channelId }, route);
  const job = new IngestFeedsJob({ db, lock: locks.lock, fetch: world.fetch, logger });
  const ingest = (what: IngestFeeds = {}, signal = new AbortController().signal) =>
    job.handle(what, { clock, signal });
  return { clock, answers, ends, world, locks, logger, lines, workspaceId, channelId, feedId, job, ingest };
}

export async function createRoute(
  db: Database,
  ids: { workspaceId: number; feedId: number; channelId: number },
  columns: Columns = {},
): Promise<void> {
  await db('routes').insert({
    workspace_id: ids.workspaceId,
    feed_id: ids.feedId,
    channel_id: ids.channelId,
    approval: 'auto',
    created_at: new Date('2026-01-01T00:00:00Z'),
    ...columns,
  });
}

/** The queue in publishing order. */
export async function queued(db: Database) {
  return db('route_articles').orderBy('created_at').orderBy('id');
}

export async function titlesQueued(db: Database): Promise<string[]> {
  return (await queued(db)).map(row => row.title);
}
