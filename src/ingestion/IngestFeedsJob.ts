import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { isDatabaseAway } from '../database/transact.ts';
import { defaultLimits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { dueFeeds } from '../models/feeds.ts';
import type { GuardedFetch } from '../network/guardedFetch.ts';
import { createBulkTurns } from './bulkTurns.ts';
import type { FeedOutcome } from './FeedOutcome.ts';
import type { FeedClaimsInHand } from './feedClaimsInHand.ts';
import type { LockFeed } from './feedLock.ts';
import { createHostTurns, hostOf } from './hostTurns.ts';
import { type IngestTools, ingestFeed } from './ingestFeed.ts';
import { onePerHost } from './onePerHost.ts';
import { type ReadDocument, readDocument } from './readDocument.ts';

export type IngestFeedsOptions = {
  db: Database;
  lock: LockFeed;
  fetch: GuardedFetch;
  /** Default: in this very thread, where a hostile document holds up everything. */
  read?: ReadDocument;
  logger: Logger;
  /** Makes claim tokens and post keys. Default: random uuids. */
  newId?: () => string;
  /** Where the job notes the claims that it has in hand, for those who give them back. Default: its own. */
  claims?: FeedClaimsInHand;
  /** For following the links of one read. Default 20,000. */
  linksMs?: number;
};

export type IngestFeeds = {
  /** Only this one. */
  feedId?: number;
  /** Only this workspace's. */
  workspaceId?: number;
  /** Whether they are due or not. Paused, gone and archived feeds are read by nothing. */
  isForced?: boolean;
};

export type IngestedFeed = FeedOutcome & { feedId: number; name: string };

const feedsAtOnce = 8;

type DueFeed = Awaited<ReturnType<typeof dueFeeds>>[number];

/**
 * Reads the feeds that are due, longest due first and those that failed the last time after all others, eight at
 * once and one per host. Each is its own unit: whatever happens to one, the others go on. Runs may overlap, so
 * that what becomes due while one waits for a silent host is read by the next.
 */
export class IngestFeedsJob {
  readonly #options: IngestTools;
  /** Those that a run of this job is still to read, or reads. */
  readonly #listed = new Set<number>();

  constructor(options: IngestFeedsOptions) {
    const read: ReadDocument = async document => readDocument(document);
    const { linksMs } = defaultLimits;
    const turns = { inTurn: createHostTurns(), inBulkTurn: createBulkTurns() };
    this.#options = { newId: randomUUID, claims: new Map(), read, linksMs, ...turns, ...options };
  }

  /** Throws when the database is away: that is no feed's fault, and told once, not feed by feed. */
  async handle(
    { feedId, workspaceId, isForced = false }: IngestFeeds,
    { clock, signal }: { clock: Clock; signal: AbortSignal },
  ): Promise<{ feeds: IngestedFeed[] }> {
    const selection = {
      feedId: feedId ?? null,
      workspaceId: workspaceId ?? null,
      isForced,
      now: clock.now(),
    };
    const due = (await dueFeeds(this.#options.db, selection)).filter(({ id }) => !this.#listed.has(id));
    for (const { id } of due) this.#listed.add(id);
    const away = new AbortController();
    const limits = {
      limit: feedsAtOnce,
      hostOf: ({ url }: DueFeed) => hostOf(url),
      signal: AbortSignal.any([signal, away.signal]),
    };
    const feeds = await onePerHost(due, limits, feed =>
      this.#read(feed, { clock, signal, isForced }, error => away.abort(error)).finally(() =>
        this.#listed.delete(feed.id),
      ),
    );
    // Those that a stop, or a database that went away, left unread.
    for (const { id } of due) this.#listed.delete(id);
    away.signal.throwIfAborted();
    return { feeds };
  }

  async #read(
    { id, name, workspaceId }: DueFeed,
    context: { clock: Clock; signal: AbortSignal; isForced: boolean },
    isAway: (error: unknown) => void,
  ): Promise<IngestedFeed> {
    const { logger } = this.#options;
    try {
      const outcome = await ingestFeed(id, { ...this.#options, ...context });
      const { change, newArticles } = outcome;
      logger[newArticles > 0 || change ? 'info' : 'debug'](
        { feedId: id, workspaceId, ...outcome },
        'feed read',
      );
      return { feedId: id, name, ...outcome };
    } catch (error) {
      if (isDatabaseAway(error)) isAway(error);
      else logger.error({ feedId: id, workspaceId, err: error }, 'feed could not be ingested');
      const detail = error instanceof Error ? error.message : String(error);
      return { feedId: id, name, outcome: 'failed', newArticles: 0, routed: 0, detail, change: null };
    }
  }
}
