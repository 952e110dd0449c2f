import { randomUUID } from 'node:crypto';
import { channelRegistry } from '../../src/channels/registry.ts';
import { createSendRequest } from '../../src/channels/sendRequest.ts';
import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/database/Database.ts';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { createLogger } from '../../src/logger.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { ArticlePublishingService } from '../../src/publishing/ArticlePublishingService.ts';
import { ClaimsInHand } from '../../src/publishing/ClaimsInHand.ts';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import type { PublishingTools } from '../../src/publishing/publishRouteArticle.ts';
import { settleUnknown } from '../../src/publishing/settleUnknown.ts';
import type { AcceptedPost } from '../../test/faults/support/publisherPath.ts';
import { limitsInForce } from '../../test/faults/support/realTime.ts';
import { closedOutlet } from '../../test/support/outlet.ts';
import { createRandom } from './random.ts';

type PersonOptions = { db: Database; posts: readonly AcceptedPost[]; seed: number };

const actor = 'soak';
const shortestWaitMs = 4_000;
const longestWaitMs = 8_000;
const retryShare = 0.7;
const never = new AbortController().signal;

/**
 * Whoever looks after it all: some seconds after an unknown outcome was left to people, looks at the publisher
 * and says truly what became of it; now and then has a dead article tried again.
 */
export class Person {
  readonly #options: PersonOptions;
  readonly #tools: PublishingTools;
  readonly #accepted = new Set<string>();
  /** When each task is seen to, by `performance.now()`. */
  readonly #dueMs = new Map<string, number>();
  #read = 0;

  constructor(options: PersonOptions) {
    this.#options = options;
    this.#tools = composeTools(options.db);
  }

  /** Settles what has been left to people for long enough. */
  async settle(): Promise<void> {
    const rows: { id: number; postKey: string }[] = (await this.#options.db.raw(selectLeft)).rows;
    for (const { id, postKey } of rows) {
      if (!this.#isDue(`settle ${id}`)) continue;
      const settlement = this.#wasAccepted(postKey)
        ? ({ as: 'published', url: null } as const)
        : ({ as: 'send_again' } as const);
      await settleUnknown(this.#tools, { id, settlement, actor, clock: systemClock, signal: never });
    }
  }

  /** Has some of the dead ones tried again. */
  async retry(): Promise<void> {
    const { db, seed } = this.#options;
    const ids: number[] = await db('route_articles')
      .where({ publish_status: 'dead' })
      .orderBy('id')
      .pluck('id');
    for (const id of ids) {
      const task = `retry ${id}`;
      if (!createRandom(seed, task).chance(retryShare) || !this.#isDue(task)) continue;
      await changeRouteArticle(db, { id, change: { action: 'retry' }, actor, now: systemClock.now() });
    }
  }

  #isDue(task: string): boolean {
    const nowMs = performance.now();
    const waitMs = createRandom(this.#options.seed, task).between(shortestWaitMs, longestWaitMs);
    const dueMs = this.#dueMs.get(task) ?? nowMs + waitMs;
    this.#dueMs.set(task, dueMs);
    if (dueMs > nowMs) return false;
    this.#dueMs.delete(task);
    return true;
  }

  #wasAccepted(postKey: string): boolean {
    const { posts } = this.#options;
    for (const post of posts.slice(this.#read)) this.#accepted.add(post.postKey);
    this.#read = posts.length;
    return this.#accepted.has(postKey);
  }
}

const selectLeft = `
  select r.id, p.post ->> 'postKey' as "postKey"
  from route_articles r join publications p on p.route_article_id = r.id and p.state = 'unknown'
  where r.publish_status = 'unknown' and r.next_lookup_at is null
  order by r.id`;

/** As `app.ts` composes them, for the commands that people give. */
function composeTools(db: Database): PublishingTools {
  const guard = createAddressGuard(['127.0.0.0/8']);
  const limits = limitsInForce;
  const service = new ArticlePublishingService({
    channels: channelRegistry,
    openSettings: ({ settings }) => settings,
    ...closedOutlet(db),
    createSend: deadlines => createSendRequest({ guard, userAgent: 'soak', limits, ...deadlines }),
  });
  const logger = createLogger('silent');
  const claims = new ClaimsInHand();
  const health = createDatabaseHealth(logger);
  return { db, service, logger, newToken: randomUUID, claims, limits, health };
}
