import type { Clock } from '../clock.ts';
import type { DatabaseHealth } from '../database/DatabaseHealth.ts';
import { unlessAborted } from '../database/unlessAborted.ts';
import type { Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { RedisEvictionPolicyError } from './evictionPolicy.ts';
import type { QueueTasks } from './queueTasks.ts';
import { RunningQueues } from './RunningQueues.ts';
import type { WithLock } from './reconcileSchedules.ts';
import type { QueueStore, StoreLimits, TickQueue } from './store.ts';

export type QueuesOptions = {
  store: QueueStore;
  tasks: QueueTasks;
  /** The workspaces that should tick; an archived one is not among them. */
  listTicking(): Promise<readonly { id: number; tickIntervalMs: number }[]>;
  /** Used on the PostgreSQL store only. */
  withLock: WithLock;
  logger: Logger;
  clock: Clock;
  /** How often feeds that are due are looked for. */
  ingestEveryMs: number;
  limits: StoreLimits & Pick<Limits, 'reconcileMs'>;
  health: DatabaseHealth;
  /** False: a process that only shows the queues. It takes no tick and mends nothing by itself. */
  isWorker: boolean;
  /** Ends a start that still waits for something. */
  signal: AbortSignal;
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
  /** Gives back what is claimed and not begun, because its locks were lost; waits for the database. */
  giveBackLost(): Promise<void>;
  /**
   * Takes no further tick, aborts those that run, gives back what they had claimed and not begun, and waits up
   * to `graceMs` for what they had.
   */
  drain(graceMs: number): Promise<void>;
  /** Closes the connections, within a second and by force where the store is away. After `drain`. */
  close(): Promise<void>;
};

/**
 * Opens the queues, recovers what dead processes left in flight, takes ticks, and keeps the schedulers equal
 * to the workspaces.
 *
 * A Redis that cannot be reached is waited for in the background, and a failed first reconciliation is
 * repeated (`status().problem` says why). Throws `RedisEvictionPolicyError` for a Redis that may drop keys,
 * the signal's reason, and the store's own error for a PostgreSQL that cannot be reached: it is the
 * application's own, so there is nothing to do without it, and the caller may try again.
 *
 * `onOpened` is told of the queues at once: where the signal is aborted while they start, ticks may run
 * already, and whoever was told stops them, with its grace.
 */
export async function startQueues(
  options: QueuesOptions,
  onOpened: ((queues: Queues) => void) | null = null,
): Promise<Queues> {
  const running = new RunningQueues(options);
  onOpened?.(running);
  try {
    await unlessAborted(begin(running, options), options.signal);
    return running;
  } catch (error) {
    if (!onOpened || !options.signal.aborted) await running.close();
    throw error;
  }
}

async function begin(running: RunningQueues, { isWorker }: QueuesOptions): Promise<void> {
  await running.open();
  if (!isWorker) return;
  await running.recover();
  try {
    await running.reconcile();
  } catch (error) {
    if (error instanceof RedisEvictionPolicyError) throw error;
  }
  running.keepReconciling();
}
