import { randomUUID } from 'node:crypto';
import { standingClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { UnitLocks } from '../../../src/database/lockConnection.ts';
import type { FeedClaimsInHand } from '../../../src/ingestion/feedClaimsInHand.ts';
import { feedUnit, type LockFeed } from '../../../src/ingestion/feedLock.ts';
import { IngestFeedsJob } from '../../../src/ingestion/IngestFeedsJob.ts';
import { ingestionConsumer } from '../../../src/ingestion/ingestionConsumer.ts';
import type { FetchResult, GuardedFetch } from '../../../src/network/guardedFetch.ts';
import { fakeLocks, rssOf } from '../../ingestion/fakeFeeds.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createFeed, createWorkspace } from '../../support/factories.ts';
import { recordingLogger } from '../../support/recordingLogger.ts';
import type {
  ConsumerHarness,
  Row,
  RowState,
  Worker,
  WorkerOptions,
  WorkOptions,
} from '../ConsumerHarness.ts';
import { alternately, claimThat, meddleWith, signpost } from '../meddle.ts';

const clock = standingClock(new Date('2026-09-07T12:00:00Z'));
const failedBefore = {
  failures: 1,
  last_error: 'timeout',
  etag: '"a"',
  last_fetched_at: '2026-09-07T11:00:00Z',
};
const inTurn = alternately({}, failedBefore);
const claimedAt = new Date('2026-09-07T11:58:00Z');

/** What a fetch may report when it was cut off in the middle of its body. */
const cutOffs: Readonly<Record<string, () => FetchResult>> = {
  'a failure': () => ({ kind: 'failed', failure: 'aborted', detail: 'the fetch was aborted' }),
  'a feed without items': () => answered(200, rssOf([])),
  'half of a document': () => answered(200, rssOf([{ title: 'One' }]).slice(0, 80)),
  'that the feed is gone': () => answered(410, ''),
  'an exception': () => {
    throw new Error('cut off');
  },
};
const endings = {
  well: () => answered(200, rssOf([{ title: 'One', guid: '1' }])),
  badly: () => answered(500, ''),
};

export const ingestionHarness: ConsumerHarness = {
  table: 'feeds',
  openWorker,
  rows: {
    ready: db => insertFeed(db, inTurn()),
    orphan: db => insertFeed(db, orphaned(0)),
    lastOrphan: db => insertFeed(db, orphaned(2)),
    async atRest(db) {
      const error = { failures: 3, last_error: 'the server answered 500' };
      const kinds = [{ paused: true }, { status: 'gone' }, { status: 'failing', ...error }, { failures: 1 }];
      return Promise.all(kinds.map(columns => insertFeed(db, columns)));
    },
  },
  stateOf,
  effectsOf: async (db, feedId) => (await db('articles').where({ feed_id: feedId })).length,
  cutOffs: Object.keys(cutOffs),
  hasPointOfNoReturn: false,
};

async function insertFeed(db: Database, columns: Readonly<Record<string, unknown>> = {}): Promise<number> {
  return createFeed(db, await createWorkspace(db), columns);
}

function orphaned(failures: number) {
  return { ingest_status: 'fetching', claim_token: randomUUID(), claimed_at: claimedAt, failures };
}

function stateOf(row: Row): RowState {
  if (row.ingest_status === 'fetching') return 'claimed';
  if (row.last_error === 'interrupted (consumer restarted)') return 'interrupted';
  if (row.last_error !== null) return 'failed';
  return row.last_complete_at === null ? 'ready' : 'finished';
}

function openWorker({ db, url }: TestDatabase, { holdsLocks = true }: WorkerOptions): Worker {
  const { logger, lines } = recordingLogger();
  const locks = new UnitLocks({ url, logger });
  const lock: LockFeed = holdsLocks ? unit => locks.tryLock(unit) : fakeLocks().lock;
  const claims: FeedClaimsInHand = new Map();
  return {
    consumer: ingestionConsumer({ db, lock, logger, claims }),
    lines,
    lock: id => lock(feedUnit(id)),
    async begin(
      feedId,
      { signal = new AbortController().signal, claim = 'answered', cutOff }: WorkOptions = {},
    ) {
      const [started, released] = [signpost(), signpost<'well' | 'badly'>()];
      const fetch: GuardedFetch = async (_url, { signal: stop } = {}) => {
        started.reach();
        stop?.addEventListener('abort', () => released.reach('well'), { once: true });
        const how = await released.reached;
        const report = cutOffs[cutOff ?? 'a failure'];
        return stop?.aborted && report ? report() : endings[how]();
      };
      const meddled = meddleWith(db, ['claim-feed'], claimThat(claim));
      const job = new IngestFeedsJob({ db: meddled, lock, fetch, logger, claims });
      const ended = job.handle({ feedId }, { clock, signal }).catch((error: unknown) => error);
      await Promise.race([started.reached, ended]);
      return {
        ended,
        passPointOfNoReturn: () => Promise.reject(new Error('all of a read can be given back')),
        async finish(how) {
          released.reach(how);
          await ended;
        },
      };
    },
    close: () => locks.close(),
  };
}

function answered(status: number, body: string): FetchResult {
  return {
    kind: 'answered',
    status,
    headers: {},
    body: Buffer.from(body),
    url: 'https://a.test/',
    movedTo: null,
  };
}
