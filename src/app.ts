import { randomUUID } from 'node:crypto';
import { channelRegistry } from './channels/registry.ts';
import { createSendRequest } from './channels/sendRequest.ts';
import type { Config } from './config.ts';
import { connectDatabase } from './database/connectDatabase.ts';
import type { Database } from './database/Database.ts';
import { UnitLocks } from './database/lockConnection.ts';
import { migrate } from './database/migrate.ts';
import { IngestFeedsJob } from './ingestion/IngestFeedsJob.ts';
import type { Logger } from './logger.ts';
import { hasSealedSecrets } from './models/configuration.ts';
import { createAddressGuard } from './network/addressGuard.ts';
import { createGuardedFetch } from './network/createGuardedFetch.ts';
import { ArticlePublishingService } from './publishing/ArticlePublishingService.ts';
import { PublishNextArticleJob } from './publishing/PublishNextArticleJob.ts';
import type { PublishingTools } from './publishing/publishRouteArticle.ts';
import type { LockUnit } from './publishing/workspaceLock.ts';
import { loadSecretKey } from './secretKey.ts';
import { createSecretBox, type SecretBox, unsealSettings } from './secrets.ts';
import { userAgent } from './version.ts';

/** The program, composed: everything that a command or a server works with. */
export type App = {
  config: Config;
  logger: Logger;
  db: Database;
  databaseUrl: string;
  secretBox: SecretBox;
  publishing: PublishingTools & { lock: LockUnit };
  publishNextArticle: PublishNextArticleJob;
  ingestFeeds: IngestFeedsJob;
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
};

/** Opens the database, brings its schema up to date, and composes the program on top of it. */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, logger } = options;
  const { databaseUrl, dataDir } = config;
  const connected = await connectDatabase({ ...options, databaseUrl, dataDir });
  try {
    await migrate(connected.db, logger);
    const hasSealed = () => hasSealedSecrets(connected.db);
    const key = await loadSecretKey({ secretKey: config.secretKey, dataDir, hasSealed, logger });
    const secretBox = createSecretBox(key);
    const locks = new UnitLocks({ url: connected.url, logger });
    return {
      config,
      logger,
      db: connected.db,
      databaseUrl: connected.url,
      secretBox,
      ...compose({ config, logger, db: connected.db, locks, secretBox }),
      close: async () => {
        await locks.close();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw error;
  }
}

type Parts = { config: Config; logger: Logger; db: Database; locks: UnitLocks; secretBox: SecretBox };

function compose({ config, logger, db, locks, secretBox }: Parts) {
  const guard = createAddressGuard(config.allowNetworks);
  const agent = userAgent(config.contact);
  const service = new ArticlePublishingService({
    channels: channelRegistry,
    openSettings: destination => unsealSettings(destination, secretBox),
    createSend: limits => createSendRequest({ guard, userAgent: agent, ...limits }),
  });
  const lock: LockUnit = unit => locks.tryLock(unit);
  const publishing = { db, service, logger, newToken: randomUUID, lock };
  const fetch = createGuardedFetch({ guard, userAgent: agent });
  return {
    publishing,
    publishNextArticle: new PublishNextArticleJob(publishing, lock),
    ingestFeeds: new IngestFeedsJob({ db, lock, fetch, logger }),
  };
}
