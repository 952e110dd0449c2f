import {
  type BackendFactory,
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  type Processor,
  Queue,
  type RedisQueueBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import { retention } from './schedule.ts';
import type { StoreErrors } from './storeErrors.ts';
import { withinLimit } from './withinLimit.ts';

/** Where BullMQ keeps wake-ups. `prefix` separates installations (and tests) that share a Redis. */
export type QueueStore = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** A queue of ticks, on either store. Its payloads are ids and nothing else. */
export type TickQueue = Queue;

export type OpenQueue = { queue: TickQueue; close(limitMs: number): Promise<void> };
export type OpenWorker = { worker: Worker; disconnect(): void };

const commandTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;
const maxPostgresConnections = 4;

/**
 * Opens a queue to read and to write schedulers. It fails fast: a page or a reconciliation must not hang
 * on a store that is down. Connects in the background; `close` returns after `limitMs`, whatever is down.
 */
export function openQueue(store: QueueStore, name: string, errors: StoreErrors): OpenQueue {
  const { connection, backendFactory, disconnect } = connect(store, errors, {
    maxRetriesPerRequest: 1,
    commandTimeout: commandTimeoutMs,
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
}: {
  store: QueueStore;
  name: string;
  processor: Processor;
  options: Omit<WorkerOptions, 'connection' | 'prefix' | 'autorun'>;
  errors: StoreErrors;
}): OpenWorker {
  const { connection, backendFactory, disconnect } = connect(store, errors, { maxRetriesPerRequest: null });
  const worker = new Worker(
    name,
    processor,
    { ...options, connection, ...prefixOf(store), autorun: false },
    backendFactory,
  );
  worker.on('error', errors.report);
  return { worker, disconnect };
}

async function closeQueue(queue: Queue, limitMs: number, errors: StoreErrors) {
  try {
    await withinLimit(queue.close(), limitMs, 'closing the queue');
  } catch (error) {
    errors.report(error);
  }
}

type EventSource = { on(event: 'error', listen: (error: unknown) => void): unknown };

type Connected = {
  connection: ConnectionOptions;
  backendFactory: BackendFactory<RedisQueueBackend>;
  disconnect(): void;
};

// BullMQ types a queue by its backend, and Bull Board asks for the type of the Redis one. Both use only
// what the backends share.
const postgresBackend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>;

function connect(
  store: QueueStore,
  errors: StoreErrors,
  redisOptions: { maxRetriesPerRequest: number | null; commandTimeout?: number },
): Connected {
  if (store.kind === 'postgres') {
    const connection = {
      connectionString: store.url,
      schema: 'bullmq',
      migrate: true,
      max: maxPostgresConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      // BullMQ leaves a connection that it has checked out without a listener: if that breaks, the process ends.
      onConnect: (client: EventSource) => void client.on('error', errors.report),
    };
    return { connection, backendFactory: postgresBackend, disconnect: () => {} };
  }
  // An instance, because BullMQ's type of the options is not that of ioredis 6.
  const client = new Redis(store.url, redisOptions);
  client.on('error', errors.report);
  client.on('ready', errors.clear);
  return { connection: client, backendFactory: createRedisBackend, disconnect: () => client.disconnect() };
}

function prefixOf(store: QueueStore) {
  return store.kind === 'redis' && store.prefix !== undefined ? { prefix: store.prefix } : {};
}
