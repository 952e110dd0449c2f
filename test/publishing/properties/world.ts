import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Channel, Post, Reconciliation } from '../../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../../src/channels/PublishOutcome.ts';
import type { Clock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { ArticlePublishingService } from '../../../src/publishing/ArticlePublishingService.ts';
import { ClaimsInHand } from '../../../src/publishing/ClaimsInHand.ts';
import { PublishNextArticleJob } from '../../../src/publishing/PublishNextArticleJob.ts';
import type { PublishingTools } from '../../../src/publishing/publishRouteArticle.ts';
import type { LockUnit } from '../../../src/publishing/workspaceLock.ts';
import { closedOutlet, plainPlatform } from '../../support/outlet.ts';
import { FakePlatform, found, incomplete, lockInProcess, publishingTools } from '../../support/publishing.ts';
import type { Scene } from '../../support/scene.ts';

type Kind = Reconciliation['kind'];

export const kinds: readonly Kind[] = ['repeat', 'look_up', 'blind'];

/** Between claim and gate, between gate and socket, between acceptance and the reading of the answer. */
export type Point = 'gate' | 'send' | 'answer';

/** What one send meets: whether it arrives, and what is read of it. */
export type Meeting = { arrives: boolean; answer: PublishOutcome };

/** How one tick goes: where it is held up, what its sends meet, and whether its searches are complete. */
export type Script = { meetings: readonly Meeting[]; isSearchComplete: boolean };

/** Runs a step of a tick, sooner or later: what interleaves ticks. `statement` is any statement before one of the points. */
export type Around = <Result>(
  point: Point | 'statement',
  work: () => Promise<Result> | Result,
) => Promise<Result>;

/** The remote side: one that drops what it knows (`repeat`), one that can be searched, one that tells nothing. */
export type Remote = {
  /** Every post that was accepted, by its key; a second time only where nothing drops it. */
  accepted: { kind: Kind; postKey: string }[];
  has(postKey: string): boolean;
};

/** A process: what it has in hand, and its locks, which exclude nobody else. */
export type Consumer = { claims: ClaimsInHand; lock: LockUnit };

export function newRemote(): Remote {
  const accepted: Remote['accepted'] = [];
  return { accepted, has: postKey => accepted.some(post => post.postKey === postKey) };
}

export function newConsumer(): Consumer {
  return { claims: new ClaimsInHand(), lock: lockInProcess() };
}

/** What a consumer works with: everything real but the remote side and the clock. */
export function toolsOf(
  scene: Pick<Scene, 'db' | 'clock'>,
  remote: Remote,
  consumer: Consumer,
  { script, around }: { script: Script; around: Around },
): PublishingTools & { lock: LockUnit } {
  const meetings = [...script.meetings];
  const channelOf = (kind: Kind) => channel(kind, { remote, clock: scene.clock, script, meetings, around });
  const service = new ArticlePublishingService({
    channels: new Map(kinds.map(kind => [kind, channelOf(kind)])),
    openSettings: () => ({}),
    ...closedOutlet(scene.db),
  });
  const db = interleaved(scene.db, around);
  return { ...publishingTools(db, new FakePlatform()), ...consumer, service, newToken: randomUUID };
}

export function tickOf(
  tools: PublishingTools & { lock: LockUnit },
  { workspaceId, clock, signal }: { workspaceId: number; clock: Clock; signal: AbortSignal },
) {
  return new PublishNextArticleJob(tools, tools.lock).handle({ workspaceId }, { clock, signal });
}

type Circumstances = { remote: Remote; clock: Clock; script: Script; meetings: Meeting[]; around: Around };

function channel(kind: Kind, circumstances: Circumstances): Channel<Record<string, unknown>> {
  const { remote, clock, script, meetings, around } = circumstances;
  const search = async ({ post }: { post: Post }) => {
    if (!script.isSearchComplete) return incomplete;
    return remote.has(post.postKey) ? found : ({ kind: 'not_found' } as const);
  };
  return {
    platform: kind,
    ...plainPlatform,
    settings: z.record(z.string(), z.unknown()),
    reconciliation: () => (kind === 'look_up' ? { kind, lookUp: search } : { kind }),
    findExisting: async () => ({ kind: 'not_found' }),
    publish: async ({ postKey }, _settings, { sendingAt }) => {
      const { arrives, answer } = meetings.shift() ?? succeeds;
      const handOver = (): boolean => {
        // As the request helper does, in the turn in which it hands over.
        if (clock.now().getTime() > sendingAt.getTime() + defaultLimits.sendByMs) return false;
        const isDropped = kind === 'repeat' && remote.has(postKey);
        if (arrives && !isDropped) remote.accepted.push({ kind, postKey });
        return true;
      };
      if (!(await around('send', handOver))) return tooLate;
      return around('answer', () => answer);
    },
  };
}

const succeeds: Meeting = {
  arrives: true,
  answer: { kind: 'succeeded', remoteId: null, remoteUrl: null },
};
const tooLate: PublishOutcome = { kind: 'not_sent', code: 'send_by_passed', detail: 'too late' };

/** The gate is what takes a connection for itself; everything else is a statement or a transaction. */
function interleaved(db: Database, around: Around): Database {
  const client = new Proxy(db.client, {
    get(target, property, receiver) {
      if (property !== 'acquireConnection') return Reflect.get(target, property, receiver);
      return () => around('gate', () => target.acquireConnection());
    },
  });
  return new Proxy(db, {
    get(target, property, receiver) {
      if (property === 'client') return client;
      if (property === 'raw') {
        return (text: string) => ({
          options: (options: Readonly<Record<string, unknown>>) =>
            around('statement', async () => target.raw(text).options(options)),
        });
      }
      if (property === 'transaction') {
        return (...work: Parameters<Database['transaction']>) =>
          around('statement', () => target.transaction(...work));
      }
      return Reflect.get(target, property, receiver);
    },
  });
}
