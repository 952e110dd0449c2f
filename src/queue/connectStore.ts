import {
  type BackendFactory,
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  type RedisQueueBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import { silenceLimitMs } from '../database/Database.ts';
import type { Limits } from '../limits.ts';
import type { StoreErrors } from './storeErrors.ts';

/** Where BullMQ keeps wake-ups. `prefix` separates installations (and tests) that share a Redis. */
export type QueueStore = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** The PostgreSQL store is a database like any other, so the limits of the database hold for it. */
export type StoreLimits = Pick<Limits, 'queueAnswerMs' | 'queueStalledMs' | 'databaseAnswerMs'>;

const maxPostgresConnections = 4;

type EventSource = { on(event: 'error', listen: (error: unknown) => void): unknown };

type Connected = {
  connection: ConnectionOptions;
  backendFactory: BackendFactory<RedisQueueBackend>;
  disconnect(): void;
};

// BullMQ types a queue by its backend, and Bull Board asks for the type of the Redis one. Both use only
// what the backends share.
const postgresBackend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>;

type RedisLimits = {
  maxRetriesPerRequest: number | null;
  commandTimeout?: number;
  /** A connection on which something is awaited and nothing comes for so long is given up and replaced. */
  socketTimeout: number;
};

/**
 * What BullMQ connects with, for one queue or one worker: on either store nothing waits for ever on a network
 * that swallows what is sent.
 */
export function connectStore(
  store: QueueStore,
  errors: StoreErrors,
  limits: StoreLimits,
  redisLimits: RedisLimits,
): Connected {
  if (store.kind === 'postgres') {
    const connection = {
      connectionString: store.url,
      schema: 'bullmq',
      migrate: true,
      max: maxPostgresConnections,
      connectionTimeoutMillis: limits.queueAnswerMs,
      statement_timeout: limits.databaseAnswerMs,
      query_timeout: silenceLimitMs(limits.databaseAnswerMs),
      keepAlive: true,
      // Nothing travels together; but with it a statement that is not answered ends its connection.
      pipeline: true,
      // BullMQ leaves a connection that it has checked out without a listener: if that breaks, the process ends.
      onConnect: (client: EventSource) => void client.on('error', errors.report),
    };
    return { connection, backendFactory: postgresBackend, disconnect: () => {} };
  }
  // An instance, because BullMQ's type of the options is not that of ioredis 6.
  const client = new Redis(store.url, { ...redisLimits, connectTimeout: 2 * limits.queueAnswerMs });
  client.on('error', errors.report);
  client.on('ready', errors.clear);
  const clients = withCopies(client, errors);
  const disconnect = () => {
    for (const one of clients) one.disconnect();
  };
  return { connection: client, backendFactory: createRedisBackend, disconnect };
}

// A worker waits on a copy of the connection. One that is closed by force while Redis is away may leave its
// copy behind, which would then try to connect for ever.
function withCopies(client: Redis, errors: StoreErrors): readonly Redis[] {
  const clients = [client];
  const duplicate = client.duplicate.bind(client);
  client.duplicate = options => {
    const copy = duplicate(options);
    copy.on('error', errors.report);
    clients.push(copy);
    return copy;
  };
  return clients;
}
