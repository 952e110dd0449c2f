import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { RedisEvictionPolicyError } from './evictionPolicy.ts';
import { RunningQueues } from './RunningQueues.ts';
import type { WithLock } from './reconcileSchedules.ts';
import type { QueueStore, TickQueue } from './store.ts';

export type QueuesOptions = {
  store: QueueStore;
  jobs: {
    publish(workspaceId: number, signal: AbortSignal): Promise<unknown>;
    ingest(signal: AbortSignal): Promise<unknown>;
  };
  /** The workspaces that should tick; an archived one is not among them. */
  listTicking(): Promise<readonly { id: number; tickIntervalMs: number }[]>;
  /** Used on the PostgreSQL store only. */
  withLock: WithLock;
  logger: Logger;
  clock: Clock;
  /** How often feeds that are due are looked for. Default 30,000. */
  ingestEveryMs?: number;
  /** How often the schedulers are compared with the workspaces. Default 30,000. */
  reconcileEveryMs?: number;
  /** False: a process that only shows the queues. It takes no tick and mends nothing by itself. */
  isWorker: boolean;
};

export type QueueStatus = {
  store: QueueStore['kind'];
  /** When the schedulers were last seen to be right, by this process; null: not yet. */
  reconciledAt: Date | null;
  /** Why the last look failed; null: it did not. */
  problem: string | null;
  /** Ticks that run in this process. */
  running: number;
};

export type Queues = {
  /** For Bull Board. */
  queues: readonly TickQueue[];
  /** Makes the schedulers right now, as after a change of the workspaces; rejects if it cannot. */
  reconcile(): Promise<void>;
  status(): QueueStatus;
  /** Aborts the ticks, waits up to `graceMs` for them, and returns within 3 s after that. */
  stop(graceMs: number): Promise<void>;
};

/**
 * Opens the queues, takes their ticks, and keeps the schedulers equal to the workspaces.
 *
 * A Redis that cannot be reached is waited for in the background, and a failed first reconciliation is
 * repeated (`status().problem` says why). Throws `RedisEvictionPolicyError` for a Redis that may drop
 * keys, and the store's own error for a PostgreSQL that cannot be reached: it is the application's own,
 * so there is nothing to wait for without it.
 */
export async function startQueues(options: QueuesOptions): Promise<Queues> {
  const running = new RunningQueues(options);
  try {
    await running.open();
  } catch (error) {
    await running.stop(0);
    throw error;
  }
  if (!options.isWorker) return running;
  try {
    await running.reconcile();
  } catch (error) {
    if (error instanceof RedisEvictionPolicyError) {
      await running.stop(0);
      throw error;
    }
  }
  running.keepReconciling();
  return running;
}
