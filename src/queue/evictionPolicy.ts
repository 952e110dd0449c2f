import { Redis } from 'ioredis';

/** Redis may drop keys when its memory is full: schedulers and jobs would vanish one by one. */
export class RedisEvictionPolicyError extends Error {
  override name = 'RedisEvictionPolicyError';

  constructor(policy: string) {
    super(
      `Redis runs with maxmemory-policy "${policy}" and may drop queued work when its memory is full. ` +
        'Set it to "noeviction" (in redis.conf, or CONFIG SET maxmemory-policy noeviction), or point ' +
        "REDIS_URL to a Redis of Headway's own.",
    );
  }
}

/**
 * Asks the Redis at `url` how it makes room, on a connection of its own. Throws
 * `RedisEvictionPolicyError` for any policy but noeviction, and the connection's error within `limitMs` when
 * Redis cannot be reached. A server that does not say passes. INFO, because hosted Redis forbids CONFIG.
 */
export async function checkEvictionPolicy(url: string, limitMs: number): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: limitMs,
    commandTimeout: limitMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let connectionError: Error | null = null;
  client.on('error', error => {
    connectionError = error;
  });
  try {
    await client.connect();
    const memory = await client.info('memory');
    const policy = /^maxmemory_policy:(.*)$/m.exec(memory)?.[1]?.trim() ?? 'noeviction';
    if (policy !== 'noeviction') throw new RedisEvictionPolicyError(policy);
  } catch (error) {
    // ioredis rejects with "Connection is closed."; the reason was an event.
    throw connectionError ?? error;
  } finally {
    client.disconnect();
  }
}
