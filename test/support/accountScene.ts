import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import type { Channel } from '../../src/channels/Channel.ts';
import type { SendRequest } from '../../src/channels/sendRequest.ts';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { UnitLocks } from '../../src/database/lockConnection.ts';
import { defaultLimits, type Limits } from '../../src/limits.ts';
import { createLogger, type Logger } from '../../src/logger.ts';
import { loadDestination } from '../../src/models/channels.ts';
import { AccountSessions } from '../../src/publishing/AccountSessions.ts';
import { ArticlePublishingService } from '../../src/publishing/ArticlePublishingService.ts';
import type { CreateSend } from '../../src/publishing/ChannelCalls.ts';
import { ClaimsInHand } from '../../src/publishing/ClaimsInHand.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { PublishingTools } from '../../src/publishing/publishRouteArticle.ts';
import type { ReadyChannel } from '../../src/publishing/ReadyChannel.ts';
import type { AccountTools } from '../../src/publishing/reconnectAccount.ts';
import type { TickResult } from '../../src/publishing/tickResult.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { checkTemplate } from '../../src/routing/checkTemplate.ts';
import { createSecretBox, type SecretBox, sealSecrets, unsealSettings } from '../../src/secrets.ts';
import { applyPlan } from '../../src/setup/applyPlan.ts';
import type { PlannedChange } from '../../src/setup/PlannedChange.ts';
import { parseConfig } from '../../src/setup/readConfigFile.ts';
import { AccountPlatform } from './accountPlatform.ts';
import { createAccount } from './factories.ts';
import { closedOutlet } from './outlet.ts';
import { type Scene, useScene } from './scene.ts';

/** One process as far as accounts go: locks of its own, nothing in memory that another one sees. */
export type Process = {
  tools: PublishingTools & { lock: LockUnit };
  accounts: AccountTools;
  tick(workspaceId: number, signal?: AbortSignal): Promise<TickResult>;
  /** A channel that can be used. Throws for one that cannot. */
  ready(channelId: number): Promise<ReadyChannel>;
};

export type ProcessOptions = {
  limits?: Partial<Limits>;
  logger?: Logger;
  /** Default: the one that is faked whole. */
  channels?: ReadonlyMap<string, Channel>;
  /** Default: nobody is reached. */
  createSend?: CreateSend;
  secretBox?: SecretBox;
};

export type AccountScene = Omit<Scene, 'platform'> & {
  readonly remote: AccountPlatform;
  readonly secretBox: SecretBox;
  /** Starts a process, which ends with the test. */
  process(options?: ProcessOptions): Process;
  account(workspaceId: number, columns?: Readonly<Record<string, unknown>>): Promise<number>;
  /** Applies a `config.yaml`. Default: its platform is `fake`. */
  apply(
    text: string,
    env: Readonly<Record<string, string>>,
    channels?: ReadonlyMap<string, Channel>,
  ): Promise<PlannedChange[]>;
  /** A channel that posts as an account. */
  channelOf(accountId: number, columns?: Readonly<Record<string, unknown>>): Promise<number>;
};

/** Gives a test file a scene whose platform has accounts with sessions. */
export function useAccountScene(startsAt?: string): AccountScene {
  const scene = useScene(startsAt);
  const secretBox = createSecretBox(randomBytes(32));
  const opened: UnitLocks[] = [];
  let remote: AccountPlatform;

  beforeEach(() => {
    remote = new AccountPlatform(scene.clock);
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map(locks => locks.close()));
  });

  const own = {
    get remote() {
      return remote;
    },
    secretBox,
    process(options: ProcessOptions = {}): Process {
      const logger = options.logger ?? createLogger('silent');
      const locks = new UnitLocks({ url: scene.url, logger });
      opened.push(locks);
      return compose(scene, remote, { secretBox, ...options, logger, lock: unit => locks.tryLock(unit) });
    },
    async account(workspaceId: number, columns = {}) {
      const secrets = { password: { value: remote.password, from: null } };
      const sealed = sealSecrets(secrets, secretBox, 'accounts');
      return createAccount(scene.db, workspaceId, { username: 'bot', secrets: sealed, ...columns });
    },
    async apply(text: string, env: Readonly<Record<string, string>>, given?: ReadonlyMap<string, Channel>) {
      const channels = given ?? new Map([['fake', remote.channel()]]);
      const setup = parseConfig(text, 'config.yaml', { env, channels, checkTemplate });
      return applyPlan(scene.db, setup, { box: secretBox, now: scene.clock.now(), actor: 'cli' });
    },
    async channelOf(accountId: number, columns = {}) {
      const { workspace_id } = await scene.db('accounts').where({ id: accountId }).first();
      return scene.channel(workspace_id, { needs_account: true, account_id: accountId, ...columns });
    },
  };
  // Its getters stay what they are: each test has new parts.
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(scene)) as typeof own & Scene;
}

type Parts = ProcessOptions & { secretBox: SecretBox; logger: Logger; lock: LockUnit };

function compose({ db, clock }: Scene, remote: AccountPlatform, parts: Parts): Process {
  const { secretBox, logger, lock, createSend = () => unreachable } = parts;
  const channels = parts.channels ?? new Map([['fake', remote.channel()]]);
  const outlet = {
    ...closedOutlet(db),
    sessions: new AccountSessions({ db, secretBox, lock }),
    createSend,
  };
  const service = new ArticlePublishingService({
    channels,
    openSettings: destination => unsealSettings(destination, secretBox),
    ...outlet,
  });
  const tools = {
    db,
    service,
    logger,
    lock,
    newToken: randomUUID,
    claims: new ClaimsInHand(),
    limits: { ...defaultLimits, ...parts.limits },
    health: createDatabaseHealth(logger),
  };
  const job = new PublishNextArticleJob(tools, lock);
  return {
    tools,
    accounts: { db, channels, ...outlet },
    tick: (workspaceId, signal = new AbortController().signal) =>
      job.handle({ workspaceId }, { clock, signal }),
    async ready(channelId) {
      const prepared = service.prepare(await loadDestination(db, channelId));
      if (prepared.kind !== 'ready') throw new Error(`not ready: ${prepared.detail}`);
      return prepared;
    },
  };
}

const unreachable: SendRequest = async () => ({
  phase: 'not_sent',
  failure: 'connection_refused',
  detail: 'nobody listens',
});
