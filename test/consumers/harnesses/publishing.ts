import { randomUUID } from 'node:crypto';
import type { LookUpAnswer, LookUpContext, Post } from '../../../src/channels/Channel.ts';
import { standingClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { UnitLocks } from '../../../src/database/lockConnection.ts';
import { PublishNextArticleJob } from '../../../src/publishing/PublishNextArticleJob.ts';
import { publishingConsumer } from '../../../src/publishing/publishingConsumer.ts';
import { type LockUnit, publishingUnit } from '../../../src/publishing/workspaceLock.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from '../../support/factories.ts';
import {
  articleRefused,
  FakePlatform,
  lockInProcess,
  publishingTools,
  succeeded,
} from '../../support/publishing.ts';
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
const earlier = new Date('2026-09-07T11:58:00Z');

/** What a search before the send may report when it was cut off. */
const cutOffs: Readonly<Record<string, () => LookUpAnswer>> = {
  'a search that was cut short': () => ({ kind: 'incomplete', detail: 'aborted' }),
  'that nothing is there': () => ({ kind: 'not_found' }),
  'that it is there already': () => ({ kind: 'found', remoteId: null, remoteUrl: null }),
  'an exception': () => {
    throw new Error('cut off');
  },
};
const failedBefore = {
  publish_status: 'failed',
  publish_attempts: 2,
  next_attempt_at: '2026-09-07T11:00:00Z',
  last_error_code: 'connection_refused',
  last_error: 'nobody listens',
};
const inTurn = alternately({}, failedBefore);

/** All that ever arrived on the remote side. */
const posts: Post[] = [];

export const publishingHarness: ConsumerHarness = {
  table: 'route_articles',
  openWorker,
  rows: {
    ready: db => insertArticle(db, inTurn()),
    orphan: db => insertArticle(db, orphaned(1, 'pending')),
    lastOrphan: db => insertArticle(db, orphaned(4, 'failed')),
    atRest: insertAtRest,
  },
  stateOf,
  async effectsOf(db, id) {
    const { post_key } = await routeArticle(db, id);
    return posts.filter(({ postKey }) => postKey === post_key).length;
  },
  cutOffs: Object.keys(cutOffs),
  hasPointOfNoReturn: true,
};

async function insertArticle(db: Database, columns: Readonly<Record<string, unknown>> = {}) {
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  return createRouteArticle(db, { workspaceId, channelId }, columns);
}

function orphaned(publish_attempts: number, claimed_from: 'pending' | 'failed') {
  const claim = { claim_token: randomUUID(), claimed_at: earlier, claimed_from };
  return { publish_status: 'publishing', publish_attempts, ...claim };
}

async function insertAtRest(db: Database): Promise<readonly number[]> {
  const later = '2026-09-08T00:00:00Z';
  const kinds = [
    { approval_status: 'rejected' },
    { publish_status: 'failed', publish_attempts: 1, next_attempt_at: later },
    { publish_status: 'dead', publish_attempts: 4, next_attempt_at: later },
    { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'duplicate' },
  ];
  const ids = await Promise.all(kinds.map(columns => insertArticle(db, columns)));
  for (const state of ['published', 'unknown']) {
    const id = await insertArticle(db, { publish_status: state, publish_attempts: 1, sending_at: earlier });
    await insertPublication(db, id, state);
    ids.push(id);
  }
  return ids;
}

async function insertPublication(db: Database, route_article_id: number, state: string): Promise<void> {
  const { workspace_id, channel_id, url_key } = await routeArticle(db, route_article_id);
  const times = { slot_at: earlier, counted_at: earlier, sending_at: earlier, send_by: earlier };
  const published_at = state === 'published' ? earlier : null;
  const ids = { workspace_id, channel_id, route_article_id, url_key, generation: 1 };
  await db('publications').insert({ ...ids, ...times, state, published_at, post: '{}' });
}

function stateOf({ publish_status, last_error_code }: Row): RowState {
  switch (publish_status) {
    case 'pending':
      return 'ready';
    case 'publishing':
      return 'claimed';
    case 'published':
      return 'finished';
    case 'failed':
    case 'dead':
      return last_error_code === 'interrupted' ? 'interrupted' : 'failed';
    default:
      return 'other';
  }
}

function openWorker({ db, url }: TestDatabase, { holdsLocks = true }: WorkerOptions): Worker {
  const { logger, lines } = recordingLogger();
  const locks = new UnitLocks({ url, logger });
  const lock: LockUnit = holdsLocks ? unit => locks.tryLock(unit) : lockInProcess();
  const tools = { ...publishingTools(db, new FakePlatform()), logger };
  return {
    consumer: publishingConsumer({ ...tools, lock }),
    lines,
    lock: async id => lock(publishingUnit((await routeArticle(db, id)).workspace_id)),
    async begin(id, { signal = new AbortController().signal, claim = 'answered', cutOff }: WorkOptions = {}) {
      const { workspace_id: workspaceId } = await routeArticle(db, id);
      const platform = new HeldPlatform(cutOff ?? 'that nothing is there');
      const meddled = meddleWith(db, ['claim-route-article'], claimThat(claim));
      const { service } = publishingTools(db, platform);
      const job = new PublishNextArticleJob({ ...tools, db: meddled, service }, lock);
      const ended = job.handle({ workspaceId }, { clock, signal }).catch((error: unknown) => error);
      await Promise.race([platform.searching.reached, ended]);
      return {
        ended,
        async passPointOfNoReturn() {
          platform.foundOut.reach();
          await platform.sending.reached;
        },
        async finish(how) {
          platform.foundOut.reach();
          platform.answer.reach(how);
          await ended;
        },
      };
    },
    close: () => locks.close(),
  };
}

/** Holds a post twice: while it is searched for, before the gate, and while it is sent. */
class HeldPlatform extends FakePlatform {
  readonly searching = signpost();
  readonly foundOut = signpost();
  readonly sending = signpost();
  readonly answer = signpost<'well' | 'badly'>();
  readonly #cutOff: string;

  constructor(cutOff: string) {
    super();
    this.#cutOff = cutOff;
    this.publish = async post => {
      this.sending.reach();
      if ((await this.answer.reached) === 'badly') return articleRefused;
      posts.push(post);
      return succeeded;
    };
  }

  override channel() {
    return {
      ...super.channel(),
      findExisting: (_post: Post, _settings: unknown, { signal }: LookUpContext) => this.#search(signal),
    };
  }

  async #search(signal: AbortSignal): Promise<LookUpAnswer> {
    this.searching.reach();
    signal.addEventListener('abort', () => this.foundOut.reach(), { once: true });
    await this.foundOut.reached;
    const report = cutOffs[this.#cutOff];
    return signal.aborted && report ? report() : { kind: 'not_found' };
  }
}
