import type { ComposedPost, Finding, Preview } from '../../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../../src/channels/PublishOutcome.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Database } from '../../../src/database/Database.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { loadPreviewSource } from '../../../src/models/previews.ts';
import { type ReconnectResult, reconnectAccount } from '../../../src/publishing/reconnectAccount.ts';
import type { TickResult } from '../../../src/publishing/tickResult.ts';
import { openPlatformScene, type PlatformScene } from '../../support/realPlatforms.ts';

/** The one channel of a scene, as `config.yaml` has it. */
export type Destination = {
  platform: string;
  /** Its account's own keys, the secret included. */
  account: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, unknown>>;
  template?: string;
};

export type QueuedArticle = {
  id: number;
  title: string;
  status: string;
  attempts: number;
  skipReason: string | null;
  code: string | null;
  error: string | null;
  remoteId: string | null;
  remoteUrl: string | null;
};

/** A workspace with one channel, `channel`, that posts to a server. */
export type ServerScene = Omit<PlatformScene, 'apply' | 'rows'> & {
  /** Applies its configuration, for the first time or another one. */
  apply(destination: Destination): Promise<void>;
  /** Moves the clock on, then runs a tick; what was tried, as `outcome code`. */
  nextTick(minutes?: number): Promise<string[]>;
  /** The queue, oldest first. */
  queue(): Promise<QueuedArticle[]>;
  /** What was sent last, as it was composed. Throws where nothing was. */
  sent(): Promise<ComposedPost>;
  /** Sends something by the channel once more, past all that would keep it back. */
  send(post: ComposedPost): Promise<PublishOutcome>;
  /** The article that was stored last, as `headway channels preview` shows it. */
  preview(): Promise<Preview>;
  check(): Promise<readonly Finding[]>;
  reconnect(): Promise<ReconnectResult>;
  accountStatus(): Promise<string>;
};

/**
 * Makes one in an empty database. Its clock starts at the system's time, which is what servers stamp posts with: a
 * post is to be sent before a test moves the clock, so that a look-up takes it for as new as it is.
 */
export function openServerScene(db: Database): ServerScene {
  const scene = openPlatformScene(db, { startsAt: systemClock.now(), env: {} });
  const { signal } = new AbortController();
  const limits = { clock: scene.clock, signal };

  const opened: ServerScene = {
    ...scene,
    apply: destination => scene.apply(JSON.stringify(configOf(destination))),
    async nextTick(minutes = 5) {
      scene.clock.advance({ minutes });
      return triedIn(await scene.tick());
    },
    queue: () =>
      db('route_articles as r')
        .leftJoin('publications as p', 'p.route_article_id', 'r.id')
        .orderBy('r.id')
        .select('r.id', 'r.title', 'r.publish_status as status', 'r.publish_attempts as attempts')
        .select('r.skip_reason as skipReason', 'r.last_error_code as code', 'r.last_error as error')
        .select('p.remote_id as remoteId', 'p.remote_url as remoteUrl'),
    async sent() {
      const [{ post } = { post: null }] = await db('publications').orderBy('id', 'desc').select('post');
      if (!post) throw new Error('nothing was sent');
      return post;
    },
    async send(post) {
      const sendingAt = scene.clock.now();
      const sendBy = new Date(sendingAt.getTime() + defaultLimits.sendByMs);
      return (await scene.channel('channel')).send(post, { ...limits, sendingAt, sendBy });
    },
    async preview() {
      const last = (await opened.queue()).at(-1)?.id ?? 0;
      const { channel_id: channelId } = await db('route_articles').where({ id: last }).first('channel_id');
      const source = await loadPreviewSource(db, { routeArticleId: last, channelId });
      if (!source) throw new Error('there is no article');
      const { postCreatedAt, articlePublishedAt, ...post } = source;
      const instants = {
        postCreatedAt: postCreatedAt.toISOString(),
        articlePublishedAt: articlePublishedAt.toISOString(),
      };
      return (await scene.channel('channel')).preview({ ...post, ...instants, refusals: 0 }, limits);
    },
    async check() {
      return (await (await scene.channel('channel')).check(limits)) ?? [];
    },
    async reconnect() {
      const { workspace_id: workspaceId, ...account } = await db('accounts')
        .where({ name: 'account' })
        .first('id', 'name', 'platform', 'status', 'workspace_id');
      return reconnectAccount(scene.accounts, { ...account, workspaceId }, { actor: 'ada', ...limits });
    },
    async accountStatus() {
      return (await db('accounts').where({ name: 'account' }).first('status')).status;
    },
  };
  return opened;
}

/** What a tick tried, as `outcome code`. */
export function triedIn({ tried }: TickResult): string[] {
  return tried.map(({ outcome, code }) => [outcome, code].filter(Boolean).join(' '));
}

function configOf({ platform, account, settings = {}, template }: Destination): object {
  return {
    workspaces: [{ name: 'default', dailyCap: 'none' }],
    accounts: [{ name: 'account', platform, ...account }],
    channels: [{ name: 'channel', platform, account: 'account', ...settings }],
    feeds: [{ name: 'blog', url: 'https://blog.test/feed.xml' }],
    routes: [{ feed: 'blog', channel: 'channel', approval: 'auto', ...(template && { template }) }],
  };
}
