import { randomUUID } from 'node:crypto';
import { standingClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { UnitLocks } from '../../../src/database/lockConnection.ts';
import type { ImportClaimsInHand } from '../../../src/imports/importClaimsInHand.ts';
import { importsConsumer } from '../../../src/imports/importsConsumer.ts';
import { importsUnit, type LockImports } from '../../../src/imports/importsLock.ts';
import { RunImportsJob } from '../../../src/imports/RunImportsJob.ts';
import { nextImportRows, type ReadImportRows } from '../../../src/models/importRows.ts';
import { createImport } from '../../imports/scene.ts';
import { fakeLocks } from '../../ingestion/fakeFeeds.ts';
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
const claimedAt = new Date('2026-09-07T11:58:00Z');
const inTurn = alternately({}, { interruptions: 1, last_error: 'internal error: no room' });

/** What the reader of the rows may report when it was cut off. */
const cutOffs: Readonly<Record<string, ReadImportRows>> = {
  'no rows, as after the last': async () => [],
  'some of the rows': async (db, id) => (await nextImportRows(db, id, null)).slice(0, 1),
  'rows that are none': async (db, id) =>
    (await nextImportRows(db, id, null)).map(row => ({ ...row, record: {} })),
  'an exception': async () => {
    throw new Error('cut off');
  },
};

export const importsHarness: ConsumerHarness = {
  table: 'imports',
  openWorker,
  rows: {
    ready: db => insert(db, inTurn()),
    orphan: db => insert(db, orphaned(0)),
    lastOrphan: db => insert(db, orphaned(2)),
    async atRest(db) {
      const finished_at = claimedAt;
      const kinds = [
        { status: 'done', rows_done: 1, rows_added: 1, finished_at },
        { status: 'failed', interruptions: 3, last_error: 'its feed is no longer in use', finished_at },
        { interruptions: 2, last_error: 'internal error: no room' },
      ];
      return Promise.all(kinds.map(columns => insert(db, columns)));
    },
  },
  stateOf,
  async effectsOf(db, id) {
    const { feed_id } = await importOf(db, id);
    return (await db('articles').where({ feed_id })).length;
  },
  cutOffs: Object.keys(cutOffs),
  hasPointOfNoReturn: false,
};

async function insert(db: Database, columns: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const workspaceId = await createWorkspace(db);
  const feedId = await createFeed(db, workspaceId);
  return createImport(
    db,
    { workspaceId, feedId, articles: [{ title: 'One', url: 'https://a.test/1' }] },
    columns,
  );
}

async function importOf(db: Database, id: number) {
  return db('imports').where({ id }).first();
}

function orphaned(interruptions: number) {
  return { status: 'running', claim_token: randomUUID(), claimed_at: claimedAt, interruptions };
}

function stateOf({ status, last_error }: Row): RowState {
  if (status === 'running') return 'claimed';
  if (status === 'done') return 'finished';
  if (last_error === 'interrupted (consumer restarted)') return 'interrupted';
  return status === 'failed' || last_error !== null ? 'failed' : 'ready';
}

function openWorker({ db, url }: TestDatabase, { holdsLocks = true }: WorkerOptions): Worker {
  const { logger, lines } = recordingLogger();
  const locks = new UnitLocks({ url, logger });
  const lock: LockImports = holdsLocks ? unit => locks.tryLock(unit) : fakeLocks().lock;
  const claims: ImportClaimsInHand = new Set();
  return {
    consumer: importsConsumer({ db, lock, logger, claims }),
    lines,
    lock: async id => lock(importsUnit((await importOf(db, id)).workspace_id)),
    async begin(id, { signal = new AbortController().signal, claim = 'answered', cutOff }: WorkOptions = {}) {
      const { workspace_id: workspaceId } = await importOf(db, id);
      const [started, released] = [signpost(), signpost<'well' | 'badly'>()];
      signal.addEventListener('abort', () => released.reach('well'), { once: true });
      const readRows: ReadImportRows = async (from, importId, after) => {
        started.reach();
        const how = await released.reached;
        const report = signal.aborted ? cutOffs[cutOff ?? 'an exception'] : null;
        if (report) return report(from, importId, after);
        if (how === 'badly') throw new Error('the rows cannot be read');
        return nextImportRows(from, importId, after);
      };
      const meddled = meddleWith(db, ['claim-import'], claimThat(claim));
      const job = new RunImportsJob({ db: meddled, lock, logger, claims, readRows });
      const ended = job.handle({ workspaceId }, { clock, signal }).catch((error: unknown) => error);
      await Promise.race([started.reached, ended]);
      return {
        ended,
        passPointOfNoReturn: () => Promise.reject(new Error('all of an import can be given back')),
        async finish(how) {
          released.reach(how);
          await ended;
        },
      };
    },
    close: () => locks.close(),
  };
}
