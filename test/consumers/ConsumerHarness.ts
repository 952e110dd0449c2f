import type { Database } from '../../src/database/Database.ts';
import type { UnitConsumer } from '../../src/unitConsumer.ts';
import type { TestDatabase } from '../support/database.ts';
import type { LogLine } from '../support/recordingLogger.ts';

/** What a queue's file under `harnesses/` states for the suite. */
export type ConsumerHarness = {
  /** The table whose rows are claimed. */
  table: string;
  /** Its column with the token of the claim. Default `claim_token`. */
  claimColumn?: string;
  /** What ending the last orphan writes last, in another table. Default: an alert is inserted. */
  lastWrite?: { table: string; event: 'insert' | 'update' };
  /** Starts a worker process of this queue, as far as the suite needs one. */
  openWorker(database: TestDatabase, options: WorkerOptions): Worker;
  /** Each of these inserts rows, every one in a unit of its own, and answers with their ids. */
  rows: {
    /** A row that may be claimed now; of several, one that was never tried and one that failed before. */
    ready(db: Database): Promise<number>;
    /** A row that a process claimed and died with, for the first time. */
    orphan(db: Database): Promise<number>;
    /** The same, for the last time: ending it writes what `lastWrite` says, after all that it writes else. */
    lastOrphan(db: Database): Promise<number>;
    /** One of each kind that nothing is to be done about by a consumer that starts or stops. */
    atRest(db: Database): Promise<readonly number[]>;
  };
  stateOf(row: Row): RowState;
  /** What the work on a row has brought into being outside of the row itself. */
  effectsOf(db: Database, id: number): Promise<number>;
  /** What work that is cut off may report instead of throwing, each by its name. */
  cutOffs: readonly string[];
  /** Whether there is a point in the work from which on it can no longer be given back. */
  hasPointOfNoReturn: boolean;
};

export type Row = Readonly<Record<string, unknown>>;
export type RowState = 'ready' | 'claimed' | 'interrupted' | 'failed' | 'finished' | 'other';

export type WorkerOptions = {
  /** False: it works on although its locks are gone, as a process does that was frozen. Default true. */
  holdsLocks?: boolean;
};

export type Worker = {
  consumer: UnitConsumer;
  lines: readonly LogLine[];
  /** Takes the lock of a row's unit as the worker does; null: somebody has it. */
  lock(id: number): Promise<{ release(): Promise<void> } | null>;
  /** Claims a row and works on it to where it can just be given back; resolves there, or when it ended. */
  begin(id: number, options?: WorkOptions): Promise<Work>;
  close(): Promise<void>;
};

export type WorkOptions = {
  signal?: AbortSignal;
  /** Whether the claim's commit is answered, and whether it took place at all. Default `answered`. */
  claim?: 'answered' | 'answer_lost' | 'never_committed';
  /** One of the harness's `cutOffs`. Default: the first. */
  cutOff?: string;
};

export type Work = {
  /** Lets the work go on to just after its point of no return, and stays there. */
  passPointOfNoReturn(): Promise<void>;
  /** Lets the work go on to its end, and waits for that. */
  finish(how: 'well' | 'badly'): Promise<void>;
  /** Resolves when the work has ended: with what it threw, if it did. Never rejects. */
  ended: Promise<unknown>;
};
