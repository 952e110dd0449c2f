import { randomBytes } from 'node:crypto';
import { createExchangeMessage } from '../../src/channels/exchangeMessage.ts';
import { channelRegistry } from '../../src/channels/registry.ts';
import { createSendRequest } from '../../src/channels/sendRequest.ts';
import type { Database } from '../../src/database/Database.ts';
import { defaultLimits } from '../../src/limits.ts';
import { insertArticles } from '../../src/models/articles.ts';
import { loadDestination } from '../../src/models/channels.ts';
import { md5Uuid } from '../../src/models/md5Uuid.ts';
import { findRouteArticle } from '../../src/models/routeArticleList.ts';
import { loadSchedule } from '../../src/models/schedule.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { createGuardedFetch } from '../../src/network/createGuardedFetch.ts';
import { createFetchImage } from '../../src/network/fetchImage.ts';
import { AccountSessions } from '../../src/publishing/AccountSessions.ts';
import { ArticlePublishingService } from '../../src/publishing/ArticlePublishingService.ts';
import type { Collaborators } from '../../src/publishing/ChannelCalls.ts';
import { explain } from '../../src/publishing/explain.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { ReadyChannel } from '../../src/publishing/ReadyChannel.ts';
import type { AccountTools } from '../../src/publishing/reconnectAccount.ts';
import type { TickResult } from '../../src/publishing/tickResult.ts';
import { checkTemplate } from '../../src/routing/checkTemplate.ts';
import { routeNewArticles } from '../../src/routing/routeNewArticles.ts';
import { createSecretBox, unsealSettings } from '../../src/secrets.ts';
import { applyPlan } from '../../src/setup/applyPlan.ts';
import { parseConfig } from '../../src/setup/readConfigFile.ts';
import { FakeClock } from './fakeClock.ts';
import { FakePlatform, lockInProcess, publishingTools } from './publishing.ts';

/** A workspace with the real channels, everything between `config.yaml` and the socket as it is in the program. */
export type PlatformScene = {
  readonly clock: FakeClock;
  readonly accounts: AccountTools;
  apply(config: string): Promise<void>;
  /** Stores an article of the feed `blog` and routes it, as an ingestion does. */
  article(fields?: Partial<ArticleFields>): Promise<void>;
  /** A channel as a tick, a test of it or a preview uses it. Throws for one that is not ready. */
  channel(name: string): Promise<ReadyChannel>;
  tick(): Promise<TickResult>;
  /** Ticks at each slot, five minutes apart, until nothing is due or waits; returns every result. */
  tickUntilIdle(longestMinutes: number): Promise<TickResult[]>;
  /** The rows of the queue, by the name of their channel. */
  rows(): Promise<Readonly<Record<string, QueueRow>>>;
  /** Why a channel's article waits. */
  reason(channel: string): Promise<string | null>;
};

export type ArticleFields = {
  title: string;
  /** Null: it has none. */
  url: string | null;
  summary: string;
  tags: readonly string[];
  imageUrl: string | null;
  imageAlt: string | null;
  language: string;
};

export type QueueRow = {
  id: number;
  status: string;
  attempts: number;
  code: string | null;
  error: string | null;
  remoteUrl: string | null;
};

const idleSlotsThatEnd = 3;
const usualArticle: Omit<ArticleFields, 'url'> = {
  title: 'The queue makes headway',
  summary: 'How it does.',
  tags: ['queue'],
  imageUrl: null,
  imageAlt: null,
  language: 'en',
};

/** Makes one in an empty database, whose clock starts at a slot after `startsAt`. */
export function openPlatformScene(
  db: Database,
  { startsAt, env }: { startsAt: Date; env: Readonly<Record<string, string>> },
): PlatformScene {
  const clock = new FakeClock(startsAt.toISOString());
  const box = createSecretBox(randomBytes(32));
  const guard = createAddressGuard(['127.0.0.1']);
  const userAgent = 'Headway/test';
  const outlet: Collaborators = {
    createSend: deadlines => createSendRequest({ guard, userAgent, limits: defaultLimits, ...deadlines }),
    createExchangeMessage: deadlines =>
      createExchangeMessage({ guard, userAgent, limits: defaultLimits, ...deadlines }),
    fetchImage: createFetchImage(createGuardedFetch({ guard, userAgent })),
    sessions: new AccountSessions({ db, secretBox: box, lock: lockInProcess() }),
  };
  const service = new ArticlePublishingService({
    channels: channelRegistry,
    openSettings: destination => unsealSettings(destination, box),
    ...outlet,
  });
  const tools = { ...publishingTools(db, new FakePlatform()), service };
  const job = new PublishNextArticleJob(tools, lockInProcess());
  const { signal } = new AbortController();
  let sequence = 0;

  const workspaceId = async (): Promise<number> => (await db('workspaces').first('id')).id;

  const scene: PlatformScene = {
    clock,
    accounts: { db, channels: channelRegistry, ...outlet },
    async apply(config) {
      const setup = parseConfig(config, 'config.yaml', { env, channels: channelRegistry, checkTemplate });
      await applyPlan(db, setup, { box, now: clock.now(), actor: 'test' });
    },
    async article(fields = {}) {
      const feed = await db('feeds').where({ name: 'blog' }).first();
      const now = clock.now();
      sequence += 1;
      const { url = `https://news.test/a/${sequence}`, ...text } = { ...usualArticle, ...fields };
      const key = md5Uuid(url ?? `article ${sequence}`);
      const article = {
        ...text,
        content: null,
        author: 'Ada',
        contentHash: key,
        guid: url,
        url,
        canonicalUrl: url,
        urlKey: key,
        publishedAt: now,
        isDated: true,
      };
      const place = { workspaceId: feed.workspace_id, feedId: feed.id, now };
      const [id = 0] = await insertArticles(db, place, [article]);
      const routed = {
        id: feed.id,
        workspaceId: feed.workspace_id,
        name: 'blog',
        maxAgeMs: null,
        enrichWithinMs: null,
      };
      await routeNewArticles(db, routed, [{ ...article, id, hold: null }], {
        now,
        newPostKey: tools.newToken,
      });
    },
    async channel(name) {
      const { id } = await db('channels').where({ name }).first('id');
      const prepared = service.prepare(await loadDestination(db, id));
      if (prepared.kind === 'ready') return prepared;
      throw new Error(`channel ${name} is not ready: ${prepared.detail}`);
    },
    tick: async () => job.handle({ workspaceId: await workspaceId() }, { clock, signal }),
    async tickUntilIdle(longestMinutes) {
      const results: TickResult[] = [];
      let idle = 0;
      for (let minutes = 0; minutes < longestMinutes && idle < idleSlotsThatEnd; minutes += 5) {
        clock.advance({ minutes: 5 });
        const result = await scene.tick();
        results.push(result);
        idle = result.reason === 'nothing_due' && !(await hasWaiting(db)) ? idle + 1 : 0;
      }
      return results;
    },
    async rows() {
      const rows: (QueueRow & { channel: string })[] = await db('route_articles as r')
        .join('channels as c', 'c.id', 'r.channel_id')
        .leftJoin('publications as p', 'p.route_article_id', 'r.id')
        .orderBy('r.id')
        .select('c.name as channel', 'r.id', 'r.publish_status as status', 'r.publish_attempts as attempts')
        .select('r.last_error_code as code', 'r.last_error as error', 'p.remote_url as remoteUrl');
      return Object.fromEntries(rows.map(({ channel, ...row }) => [channel, row]));
    },
    async reason(channel) {
      const row = (await scene.rows())[channel];
      const article = row && (await findRouteArticle(db, row.id));
      const schedule = await loadSchedule(db, await workspaceId());
      return article && schedule
        ? explain(article, schedule, { at: clock.now(), assumeWorker: true }).reason
        : null;
    },
  };
  return scene;
}

// What a hold without an end keeps back is nothing to wait for.
async function hasWaiting(db: Database): Promise<boolean> {
  const waiting = await db('route_articles')
    .where(row => row.whereNotNull('next_attempt_at').whereIn('publish_status', ['pending', 'failed']))
    .orWhereNotNull('next_lookup_at')
    .first('id');
  const held = await db('channels').whereNotNull('held_until').first('id');
  const heldAccount = await db('accounts').whereNotNull('held_until').first('id');
  return [waiting, held, heldAccount].some(Boolean);
}
