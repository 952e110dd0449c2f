import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type {
  Channel,
  LookUpAnswer,
  LookUpContext,
  Post,
  Reconciliation,
  SendContext,
  Sought,
} from '../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import type { Clock } from '../../src/clock.ts';
import type { Database } from '../../src/database/Database.ts';
import { createDatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createLogger } from '../../src/logger.ts';
import { ArticlePublishingService } from '../../src/publishing/ArticlePublishingService.ts';
import { ClaimsInHand } from '../../src/publishing/ClaimsInHand.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { PublishingTools } from '../../src/publishing/publishRouteArticle.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { closedOutlet, plainPlatform } from './outlet.ts';

export type LookUp = (sought: Sought, context: LookUpContext) => Promise<LookUpAnswer> | LookUpAnswer;
export type Publish = (post: Post, context: SendContext) => Promise<PublishOutcome> | PublishOutcome;

export const succeeded = { kind: 'succeeded', remoteId: null, remoteUrl: null } satisfies PublishOutcome;
export const refused = {
  kind: 'failed',
  code: 'connection_refused',
  detail: 'nobody listens',
  isFinal: false,
  blames: 'channel',
} satisfies PublishOutcome;
export const articleRefused = {
  kind: 'failed',
  code: 'rejected',
  detail: 'not this one',
  isFinal: false,
  blames: 'article',
} satisfies PublishOutcome;
export const invalid = {
  kind: 'failed',
  code: 'invalid_post',
  detail: 'invalid_url',
  isFinal: true,
  blames: 'article',
} satisfies PublishOutcome;
export const blocked = {
  kind: 'blocked',
  scope: 'channel',
  code: 'forbidden',
  detail: 'banned from this community',
  isGone: false,
} satisfies PublishOutcome;
export const alreadyThere = {
  kind: 'skipped',
  reason: 'already_there',
  detail: 'posted by others',
} satisfies PublishOutcome;
export const throttled = {
  kind: 'throttled',
  scope: 'channel',
  code: 'rate_limited',
  detail: '429',
  until: null,
} satisfies PublishOutcome;
export const unknown = {
  kind: 'unknown',
  code: 'connection_reset',
  detail: 'the answer was lost',
} satisfies PublishOutcome;

export const found = {
  kind: 'found',
  remoteId: '17',
  remoteUrl: 'https://there.example/17',
} satisfies LookUpAnswer;
export const incomplete = { kind: 'incomplete', detail: 'the list was cut' } satisfies LookUpAnswer;

/** Answers by a post's title; a title that is not named succeeds. */
export function answering(answers: Readonly<Record<string, PublishOutcome>>): Publish {
  return ({ title }) => answers[title] ?? succeeded;
}

/** The remote side of the tests: what each post meets, and what has really arrived there. */
export class FakePlatform {
  readonly posts: Post[] = [];
  /** What a post meets; what succeeds, or is unknown, has arrived. */
  publish: Publish = () => succeeded;
  /** How a lost answer can be found out about. */
  reconciliation: Reconciliation['kind'] = 'blind';
  /** What a search finds. Default: what has really arrived. */
  lookUp: LookUp = ({ post }) => (this.has(post) ? found : { kind: 'not_found' });
  /** What is there already, by whomever; null: it cannot be asked. */
  findExisting: ((post: Post) => LookUpAnswer) | null = null;
  /** Which posts were searched for, by title. */
  readonly searched: string[] = [];
  /** Whether a post of this publication has arrived. */
  has({ postKey }: Post): boolean {
    return this.posts.some(post => post.postKey === postKey);
  }

  channel(): Channel<Record<string, unknown>> {
    return {
      platform: 'fake',
      ...plainPlatform,
      settings: z.record(z.string(), z.unknown()),
      reconciliation: () => this.#reconciliation(),
      findExisting: async post => this.findExisting?.(post) ?? { kind: 'not_found' },
      publish: async (post, _settings, context) => {
        const outcome = await this.publish(post, context);
        if (outcome.kind === 'succeeded' || outcome.kind === 'unknown') this.posts.push(post);
        return outcome;
      },
    };
  }

  #reconciliation(): Reconciliation {
    if (this.reconciliation !== 'look_up') return { kind: this.reconciliation };
    return {
      kind: 'look_up',
      lookUp: async (sought, context) => {
        this.searched.push(sought.post.title);
        return this.lookUp(sought, context);
      },
    };
  }
}

/** What a job is composed of, with the remote side faked and everything else real. */
export function publishingTools(db: Database, platform: FakePlatform): PublishingTools {
  const service = new ArticlePublishingService({
    channels: new Map([['fake', platform.channel()]]),
    openSettings: () => ({}),
    ...closedOutlet(db),
  });
  return {
    db,
    service,
    logger: createLogger('silent'),
    newToken: randomUUID,
    claims: new ClaimsInHand(),
    limits: defaultLimits,
    health: createDatabaseHealth(createLogger('silent')),
  };
}

/** A lock for tests of one process: a set stands for the advisory locks. */
export function lockInProcess(): LockUnit {
  const held = new Set<string>();
  return async unit => {
    if (held.has(unit)) return null;
    held.add(unit);
    return { signal: new AbortController().signal, release: async () => void held.delete(unit) };
  };
}

/** Runs ticks of one workspace by the test's clock. */
export function ticker(db: Database, platform: FakePlatform, clock: Clock) {
  const job = new PublishNextArticleJob(publishingTools(db, platform), lockInProcess());
  const { signal } = new AbortController();
  return (workspaceId: number) => job.handle({ workspaceId }, { clock, signal });
}
