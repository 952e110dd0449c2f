import {
  type BackendFactory,
  type Processor,
  Queue,
  type RedisQueueBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { defaultLimits } from '../limits.ts';
import { connectStore, type QueueStore, type StoreLimits } from './connectStore.ts';
import { retention } from './schedule.ts';
import type { StoreErrors } from './storeErrors.ts';
import { withinLimit } from './withinLimit.ts';

export type { QueueStore, StoreLimits };

/** A queue of ticks, on either store. Its payloads are ids and nothing else. */
export type TickQueue = Queue;

export type OpenQueue = { queue: TickQueue; close(limitMs: number): Promise<void> };
export type OpenWorker = { worker: Worker; disconnect(): void };

/**
 * Opens a queue to read and to write schedulers. It fails fast: a page or a reconciliation must not hang
 * on a store that is down. Connects in the background; `close` returns after `limitMs`, whatever is down.
 */
export function openQueue(
  store: QueueStore,
  name: string,
  errors: StoreErrors,
  limits: StoreLimits = defaultLimits,
): OpenQueue {
  const { connection, backendFactory, disconnect } = connectStore(store, errors, limits, {
    maxRetriesPerRequest: 1,
    commandTimeout: limits.queueAnswerMs,
    socketTimeout: limits.queueAnswerMs,
  });
  const queue = new Queue(
    name,
    {
      connection,
      ...prefixOf(store),
      defaultJobOptions: retention.jobs,
      streams: retention.streams,
      // Without it one INFO that fails at the first connect would leave the queue unusable for good.
      skipVersionCheck: store.kind === 'redis',
    },
    backendFactory,
  );
  queue.on('error', errors.report);
  return { queue, close: limitMs => closeQueue(queue, limitMs, errors).finally(disconnect) };
}

/** Opens a worker that does not run yet. Its commands wait for a store that is down and then go on. */
export function openWorker({
  store,
  name,
  processor,
  options,
  errors,
  limits = defaultLimits,
}: {
  store: QueueStore;
  name: string;
  processor: Processor;
  options: Omit<WorkerOptions, 'connection' | 'prefix' | 'autorun' | 'drainDelay'>;
  errors: StoreErrors;
  limits?: StoreLimits;
}): OpenWorker {
  const { connection, backendFactory, disconnect } = connectStore(store, errors, limits, {
    maxRetriesPerRequest: null,
    // Not a limit on commands: the one that waits for a job may take long, and is sent again after a loss.
    socketTimeout: longestWaitMs(limits) + limits.queueAnswerMs,
  });
  const drainDelay = Math.min(drainDelayMs, longestWaitMs(limits)) / 1_000;
  const worker = new Worker(
    name,
    processor,
    { ...options, drainDelay, connection, ...prefixOf(store), autorun: false },
    waitingAtMost(longestWaitMs(limits), backendFactory),
  );
  worker.on('error', errors.report);
  return { worker, disconnect };
}

/** How long a worker waits for a job that it does not know of, as BullMQ has it. */
const drainDelayMs = 5_000;

/** How long a worker waits for the next tick before it looks again: several times before it seems to stall. */
function longestWaitMs({ queueStalledMs }: StoreLimits): number {
  return queueStalledMs / 3;
}

// On PostgreSQL BullMQ lets a worker wait for an hour, trusting to be told of what comes. Where the connection
// that would tell it, or the question what comes next, fell into an outage, that hour passed without a tick.
function waitingAtMost(
  limitMs: number,
  open: BackendFactory<RedisQueueBackend>,
): BackendFactory<RedisQueueBackend> {
  return (...args) => {
    const backend = open(...args);
    return Object.defineProperty(backend, 'maximumBlockTimeout', { value: limitMs / 1_000 });
  };
}

async function closeQueue(queue: Queue, limitMs: number, errors: StoreErrors) {
  try {
    await withinLimit(queue.close(), limitMs, 'closing the queue');
  } catch (error) {
    errors.report(error);
  }
}

function prefixOf(store: QueueStore) {
  return store.kind === 'redis' && store.prefix !== undefined ? { prefix: store.prefix } : {};
}
