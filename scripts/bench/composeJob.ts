import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Channel } from '../../src/channels/Channel.ts';
import type { Database } from '../../src/database/Database.ts';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createLogger } from '../../src/logger.ts';
import { ArticlePublishingService } from '../../src/publishing/ArticlePublishingService.ts';
import { ClaimsInHand } from '../../src/publishing/ClaimsInHand.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { closedOutlet, plainPlatform } from '../../test/support/outlet.ts';

/** Composes a tick as `app.ts` does, with a platform that takes every post at once and a silent logger. */
export function composeJob(db: Database): PublishNextArticleJob {
  const service = new ArticlePublishingService({
    channels: new Map([[platform.platform, platform]]),
    openSettings: () => ({}),
    ...closedOutlet(db),
  });
  const logger = createLogger('silent');
  return new PublishNextArticleJob(
    {
      db,
      service,
      logger,
      newToken: randomUUID,
      claims: new ClaimsInHand(),
      limits: defaultLimits,
      health: createDatabaseHealth(logger),
    },
    alwaysFree,
  );
}

const platform: Channel<Record<string, unknown>> = {
  platform: 'bench',
  ...plainPlatform,
  settings: z.record(z.string(), z.unknown()),
  reconciliation: () => ({ kind: 'blind' }),
  publish: async () => ({ kind: 'succeeded', remoteId: null, remoteUrl: null }),
};

// The bench's ticks run one after the other, so nobody ever has the lock.
const alwaysFree: LockUnit = async () => ({
  signal: new AbortController().signal,
  release: async () => undefined,
});
