import { randomUUID } from 'node:crypto';
import { createExchangeMessage } from './channels/exchangeMessage.ts';
import { channelRegistry } from './channels/registry.ts';
import { createSendRequest } from './channels/sendRequest.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { connectDatabase } from './database/connectDatabase.ts';
import type { Database } from './database/Database.ts';
import { createDatabaseHealth, type DatabaseHealth } from './database/DatabaseHealth.ts';
import { holdOn } from './database/holdOn.ts';
import { type OnLocksLost, UnitLocks } from './database/lockConnection.ts';
import { migrate } from './database/migrate.ts';
import type { ArticleClaimsInHand } from './enrichment/articleClaimsInHand.ts';
import { EnrichArticlesJob } from './enrichment/EnrichArticlesJob.ts';
import { enrichmentConsumer } from './enrichment/enrichmentConsumer.ts';
import { isHtml } from './enrichment/isHtml.ts';
import { readPage } from './enrichment/readPage.ts';
import { createRobots } from './enrichment/robots.ts';
import type { ImportClaimsInHand } from './imports/importClaimsInHand.ts';
import { importsConsumer } from './imports/importsConsumer.ts';
import { RunImportsJob } from './imports/RunImportsJob.ts';
import { FeedParser } from './ingestion/FeedParser.ts';
import type { FeedClaimsInHand } from './ingestion/feedClaimsInHand.ts';
import { IngestFeedsJob } from './ingestion/IngestFeedsJob.ts';
import { ingestionConsumer } from './ingestion/ingestionConsumer.ts';
import type { ReadDocument } from './ingestion/readDocument.ts';
import type { Logger } from './logger.ts';
import { hasSealedSecrets } from './models/configuration.ts';
import { createAddressGuard } from './network/addressGuard.ts';
import { createGuardedFetch } from './network/createGuardedFetch.ts';
import { createFetchImage } from './network/fetchImage.ts';
import type { GuardedFetch } from './network/guardedFetch.ts';
import { AccountSessions } from './publishing/AccountSessions.ts';
import { ArticlePublishingService } from './publishing/ArticlePublishingService.ts';
import type { CreateSend } from './publishing/ChannelCalls.ts';
import { ClaimsInHand } from './publishing/ClaimsInHand.ts';
import { PublishNextArticleJob } from './publishing/PublishNextArticleJob.ts';
import { publishingConsumer } from './publishing/publishingConsumer.ts';
import type { PublishingTools } from './publishing/publishRouteArticle.ts';
import type { AccountTools } from './publishing/reconnectAccount.ts';
import type { LockUnit } from './publishing/workspaceLock.ts';
import { followArticles } from './routing/followArticles.ts';
import { loadSecretKeys } from './secretKey.ts';
import { createSecretBox, type KeyRing, type SecretBox, unsealSettings } from './secrets.ts';
import type { UnitConsumer } from './unitConsumer.ts';
import { userAgent } from './version.ts';

/** The program, composed: everything that a command or a server works with. */
export type App = {
  config: Config;
  logger: Logger;
  db: Database;
  databaseUrl: string;
  secretBox: SecretBox;
  keyRing: KeyRing;
  publishing: PublishingTools & { lock: LockUnit };
  /** Whom channels post as. */
  accounts: AccountTools;
  publishNextArticle: PublishNextArticleJob;
  ingestFeeds: IngestFeedsJob;
  /** How a feed is read that need be none of ours. */
  feedReading: { fetch: GuardedFetch; read: ReadDocument };
  runImports: RunImportsJob;
  enrichArticles: EnrichArticlesJob;
  /** What each queue's consumer does beside its work, by the queue's name. */
  consumers: {
    publishing: UnitConsumer;
    ingestion: UnitConsumer;
    imports: UnitConsumer;
    enrichment: UnitConsumer;
  };
  /** Told of what happens to those who ask the database something. */
  health: DatabaseHealth;
  /** Says what to do when the locks were lost with their connection, before the first is taken again. */
  onLocksLost(act: OnLocksLost): void;
  /** Gives up every lock, and takes none again. Bounded by a second. */
  releaseLocks(): Promise<void>;
  /** Releases the locks, then the database, then the embedded server if it is ours. Bounded. */
  close(): Promise<void>;
};

export type AppOptions = {
  config: Config;
  logger: Logger;
  signal: AbortSignal;
  /** Null: wait for the database for ever, as servers do. */
  giveUpAfterMs: number | null;
  /** Share the embedded PostgreSQL of a running Headway, as one-shot commands do. */
  attach: boolean;
  /** Default: one that is of use only to those who never wait. */
  health?: DatabaseHealth;
  /** Called with each reason why the database was not reached, as it changes. */
  onRefusal?: (reason: string) => void;
};

/**
 * Opens the database, brings its schema up to date, and composes the program on top of it. A server that waits
 * for its database for ever does so throughout, also where it is lost again before all of this is done.
 */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, logger, signal, health = createDatabaseHealth(logger) } = options;
  const { databaseUrl, dataDir, limits } = config;
  const hold = <Result>(work: () => Promise<Result>) =>
    options.giveUpAfterMs === null ? holdOn(work, { health, signal }) : work();
  const connected = await connectDatabase({ ...options, databaseUrl, dataDir, limits });
  try {
    await hold(() => migrate(connected.db, logger));
    const hasSealed = () => hold(() => hasSealedSecrets(connected.db));
    const keyRing = await loadSecretKeys({ secretKey: config.secretKey, dataDir, hasSealed, logger });
    const secretBox = createSecretBox(keyRing);
    const locks = new UnitLocks({ url: connected.url, logger, limits });
    const parser = new FeedParser(limits);
    return {
      config,
      logger,
      db: connected.db,
      databaseUrl: connected.url,
      secretBox,
      keyRing,
      ...compose({ config, logger, db: connected.db, locks, parser, secretBox, health }),
      health,
      onLocksLost: act => locks.onLost(act),
      releaseLocks: () => locks.close(),
      close: async () => {
        await locks.close();
        await parser.stop();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw error;
  }
}

type Deadlines = Parameters<CreateSend>[0];
type Parts = Pick<App, 'config' | 'logger' | 'db' | 'secretBox' | 'health'> & {
  locks: UnitLocks;
  parser: FeedParser;
};

function compose({ config, logger, db, locks, parser, secretBox, health }: Parts) {
  const guard = createAddressGuard(config.allowNetworks);
  const agent = userAgent(config.contact);
  const { limits } = config;
  const lock: LockUnit = unit => locks.tryLock(unit);
  const fetch = createGuardedFetch({ guard, userAgent: agent });
  const outlet = {
    createSend: (deadlines: Deadlines) =>
      createSendRequest({ guard, userAgent: agent, limits, ...deadlines }),
    createExchangeMessage: (deadlines: Deadlines) =>
      createExchangeMessage({ guard, userAgent: agent, limits, ...deadlines }),
    fetchImage: createFetchImage(fetch),
    sessions: new AccountSessions({ db, secretBox, lock }),
  };
  const service = new ArticlePublishingService({
    channels: channelRegistry,
    openSettings: destination => unsealSettings(destination, secretBox),
    ...outlet,
  });
  const claims = new ClaimsInHand();
  const publishing = { db, service, logger, newToken: randomUUID, lock, claims, limits, health };
  const feedReading = { fetch, read: parser.read };
  const feedClaims: FeedClaimsInHand = new Map();
  const importClaims: ImportClaimsInHand = new Set();
  const articleClaims: ArticleClaimsInHand = new Set();
  return {
    publishing,
    accounts: { db, channels: channelRegistry, ...outlet },
    publishNextArticle: new PublishNextArticleJob(publishing, lock),
    ingestFeeds: new IngestFeedsJob({
      db,
      lock,
      ...feedReading,
      logger,
      claims: feedClaims,
      linksMs: limits.linksMs,
    }),
    feedReading,
    runImports: new RunImportsJob({ db, lock, logger, claims: importClaims }),
    enrichArticles: new EnrichArticlesJob({
      db,
      lock,
      fetch,
      robots: createRobots({ fetch, userAgent: agent, clock: systemClock }),
      isHtml,
      readPage,
      onEnriched: (trx, articleIds, now) => followArticles(trx, articleIds, { following: 'enriched', now }),
      logger,
      claims: articleClaims,
      pageMs: limits.pageMs,
    }),
    consumers: {
      publishing: publishingConsumer(publishing),
      ingestion: ingestionConsumer({ db, lock, logger, claims: feedClaims }),
      imports: importsConsumer({ db, lock, logger, claims: importClaims }),
      enrichment: enrichmentConsumer({ db, lock, logger, claims: articleClaims }),
    },
  };
}
