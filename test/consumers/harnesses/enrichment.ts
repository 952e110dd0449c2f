import { randomUUID } from 'node:crypto';
import { standingClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { UnitLocks } from '../../../src/database/lockConnection.ts';
import type { ArticleClaimsInHand } from '../../../src/enrichment/articleClaimsInHand.ts';
import { EnrichArticlesJob } from '../../../src/enrichment/EnrichArticlesJob.ts';
import { enrichmentConsumer } from '../../../src/enrichment/enrichmentConsumer.ts';
import { enrichmentUnit, type LockHost } from '../../../src/enrichment/enrichmentLock.ts';
import type { FetchResult } from '../../../src/network/guardedFetch.ts';
import { allowed, createWaiting, emptyPage, pageAnswer } from '../../enrichment/scene.ts';
import { fakeLocks } from '../../ingestion/fakeFeeds.ts';
import type { TestDatabase } from '../../support/database.ts';
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
const claimedAt = new Date('2026-09-07T11:58:00Z');
const failedBefore = {
  enrichment_attempts: 1,
  enrichment_error: 'the server answered 500',
  enrichment_next_at: new Date('2026-09-07T11:59:00Z'),
};
const inTurn = alternately({}, failedBefore);
let hosts = 0;

/** What a fetch, or the reading of its page, may report when it was cut off. */
const cutOffs: Readonly<Record<string, () => FetchResult>> = {
  'a failure': () => ({ kind: 'failed', failure: 'aborted', detail: 'the fetch was aborted' }),
  'half of a page': () => pageAnswer({ body: '<html><head><ti' }),
  'that the page is gone': () => pageAnswer({ status: 404 }),
  'that the server is out of order': () => pageAnswer({ status: 500 }),
  'an exception': () => {
    throw new Error('cut off');
  },
};

export const enrichmentHarness: ConsumerHarness = {
  table: 'articles',
  claimColumn: 'enrichment_claim_token',
  lastWrite: { table: 'route_articles', event: 'update' },
  openWorker,
  rows: {
    ready: db => insert(db, inTurn()),
    orphan: db => insert(db, orphaned(1)),
    lastOrphan: db => insert(db, orphaned(3)),
    async atRest(db) {
      const kinds = [
        { enrichment_status: 'done', enrichment_attempts: 1 },
        { enrichment_status: 'failed', enrichment_attempts: 3, enrichment_error: 'the server answered 500' },
        { enrichment_status: 'none' },
        failedBefore,
      ];
      return Promise.all(kinds.map(columns => insert(db, columns)));
    },
  },
  stateOf,
  async effectsOf(db, id) {
    return (await db('route_articles').where({ article_id: id, next_attempt_at: null })).length;
  },
  cutOffs: Object.keys(cutOffs),
  hasPointOfNoReturn: false,
};

async function insert(db: Database, columns: Readonly<Record<string, unknown>> = {}): Promise<number> {
  hosts += 1;
  return (await createWaiting(db, `https://host-${hosts}.test/`, columns)).articleId;
}

function orphaned(attempts: number) {
  return {
    enrichment_status: 'running',
    enrichment_claim_token: randomUUID(),
    enrichment_claimed_at: claimedAt,
    enrichment_attempts: attempts,
  };
}

function stateOf({ enrichment_status, enrichment_error }: Row): RowState {
  if (enrichment_status === 'running') return 'claimed';
  if (enrichment_status === 'done') return 'finished';
  if (enrichment_error === 'interrupted (consumer restarted)') return 'interrupted';
  return enrichment_status === 'failed' || enrichment_error !== null ? 'failed' : 'ready';
}

function openWorker({ db, url }: TestDatabase, { holdsLocks = true }: WorkerOptions): Worker {
  const { logger, lines } = recordingLogger();
  const locks = new UnitLocks({ url, logger });
  const lock: LockHost = holdsLocks ? unit => locks.tryLock(unit) : fakeLocks().lock;
  const claims: ArticleClaimsInHand = new Set();
  const hostOf = async (id: number) => (await db('articles').where({ id }).first()).enrichment_host;
  return {
    consumer: enrichmentConsumer({ db, lock, logger, claims }),
    lines,
    lock: async id => lock(enrichmentUnit(await hostOf(id))),
    async begin(id, { signal = new AbortController().signal, claim = 'answered', cutOff }: WorkOptions = {}) {
      const host = await hostOf(id);
      const [started, released] = [signpost(), signpost<'well' | 'badly'>()];
      signal.addEventListener('abort', () => released.reach('well'), { once: true });
      const fetch = async (): Promise<FetchResult> => {
        started.reach();
        const how = await released.reached;
        const report = signal.aborted ? cutOffs[cutOff ?? 'a failure'] : null;
        if (report) return report();
        return pageAnswer({ status: how === 'well' ? 200 : 500 });
      };
      const meddled = meddleWith(db, ['claim-article'], claimThat(claim));
      const job = new EnrichArticlesJob({
        db: meddled,
        lock,
        logger,
        claims,
        fetch,
        robots: allowed,
        isHtml: () => true,
        readPage: async () => emptyPage,
        onEnriched: async () => null,
        wait: async () => undefined,
      });
      const ended = job.handle({ host }, { clock, signal }).catch((error: unknown) => error);
      await Promise.race([started.reached, ended]);
      return {
        ended,
        passPointOfNoReturn: () => Promise.reject(new Error('all of an enrichment can be given back')),
        async finish(how) {
          released.reach(how);
          await ended;
        },
      };
    },
    close: () => locks.close(),
  };
}
