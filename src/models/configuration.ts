import { type Database, query } from '../database/Database.ts';
import type { FirstImport } from './feeds.ts';
import type { EditsRule } from './routes.ts';

// What `config.yaml` can state, read as one across its tables: apply and export are all-or-nothing.

export type WorkspaceRow = {
  id: number;
  name: string;
  timezone: string;
  dailyCap: number | null;
  tickIntervalMs: number;
  windows: readonly string[];
  paused: boolean;
  isArchived: boolean;
};

export type AccountRow = {
  id: number;
  workspace: string;
  name: string;
  platform: string;
  instance: string;
  username: string | null;
  isDisabled: boolean;
  secrets: Buffer | null;
  isArchived: boolean;
};

export type ChannelRow = {
  id: number;
  workspace: string;
  name: string;
  platform: string;
  instance: string;
  target: string;
  account: string | null;
  needsAccount: boolean;
  intervalMs: number;
  dailyCap: number | null;
  paused: boolean;
  settings: Readonly<Record<string, unknown>>;
  secrets: Buffer | null;
  isArchived: boolean;
};

export type FeedRow = {
  id: number;
  workspace: string;
  name: string;
  url: string;
  everyMs: number;
  firstImport: FirstImport;
  maxAgeMs: number | null;
  /** How long at most an article waits for its page; null: it is not asked. */
  enrichWithinMs: number | null;
  paused: boolean;
  isArchived: boolean;
};

export type RouteRow = {
  id: number;
  workspace: string;
  feedId: number;
  channelId: number;
  feed: string;
  channel: string;
  approval: 'auto' | 'manual';
  priority: number;
  include: readonly string[];
  exclude: readonly string[];
  template: string;
  /** Null: by its approval. */
  edits: EditsRule | null;
  isArchived: boolean;
};

export type Configuration = {
  workspaces: WorkspaceRow[];
  accounts: AccountRow[];
  channels: ChannelRow[];
  feeds: FeedRow[];
  routes: RouteRow[];
};

/** Everything of the named workspaces, archived rows included, each list by id. */
export async function loadConfiguration(db: Database, names: readonly string[]): Promise<Configuration> {
  return {
    workspaces: await query<WorkspaceRow>(db, selectWorkspaces, [names]),
    accounts: await query<AccountRow>(db, selectAccounts, [names]),
    channels: await query<ChannelRow>(db, selectChannels, [names]),
    feeds: await query<FeedRow>(db, selectFeeds, [names]),
    routes: await query<RouteRow>(db, selectRoutes, [names]),
  };
}

const selectWorkspaces = {
  name: 'configuration-workspaces',
  text: `
    select id, name, timezone, daily_cap as "dailyCap", tick_interval_ms as "tickIntervalMs", windows, paused,
           archived_at is not null as "isArchived"
    from workspaces where name = any($1) order by id`,
};

const selectAccounts = {
  name: 'configuration-accounts',
  text: `
    select a.id, w.name as workspace, a.name, a.platform, a.instance, a.username,
           a.status = 'disabled' as "isDisabled", a.secrets, a.archived_at is not null as "isArchived"
    from accounts a join workspaces w on w.id = a.workspace_id
    where w.name = any($1) order by a.id`,
};

const selectChannels = {
  name: 'configuration-channels',
  text: `
    select c.id, w.name as workspace, c.name, c.platform, c.instance, c.target, a.name as account,
           c.needs_account as "needsAccount", c.publish_interval_ms as "intervalMs", c.daily_cap as "dailyCap",
           c.paused, c.settings, c.secrets, c.archived_at is not null as "isArchived"
    from channels c join workspaces w on w.id = c.workspace_id left join accounts a on a.id = c.account_id
    where w.name = any($1) order by c.id`,
};

const selectFeeds = {
  name: 'configuration-feeds',
  text: `
    select f.id, w.name as workspace, f.name, f.url, f.every_ms as "everyMs", f.first_import as "firstImport",
           f.max_age_ms as "maxAgeMs", f.enrich_within_ms as "enrichWithinMs", f.paused,
           f.archived_at is not null as "isArchived"
    from feeds f join workspaces w on w.id = f.workspace_id
    where w.name = any($1) order by f.id`,
};

const selectRoutes = {
  name: 'configuration-routes',
  text: `
    select r.id, w.name as workspace, r.feed_id as "feedId", r.channel_id as "channelId", f.name as feed,
           c.name as channel, r.approval, r.priority, r.include, r.exclude, r.template, r.edits,
           r.archived_at is not null as "isArchived"
    from routes r
    join workspaces w on w.id = r.workspace_id
    join feeds f on f.id = r.feed_id
    join channels c on c.id = r.channel_id
    where w.name = any($1) order by r.id`,
};

/**
 * Until the transaction ends: no other apply, and no gate in these workspaces (it locks its workspace first,
 * as here), so that no post goes out on half of a configuration.
 */
export async function lockConfiguration(db: Database, names: readonly string[]): Promise<void> {
  await query(db, lockApply);
  await query(db, lockWorkspaces, [names]);
}

// The number is Headway's own, of no meaning: it stands for "apply".
const lockApply = { name: 'lock-apply', text: 'select pg_advisory_xact_lock(7210443019)' };

const lockWorkspaces = {
  name: 'lock-workspaces',
  text: 'select id from workspaces where name = any($1) order by id for no key update',
};

/** Whether any account or channel has sealed secrets. */
export async function hasSealedSecrets(db: Database): Promise<boolean> {
  const [row] = await query<{ sealed: boolean }>(db, selectSealed);
  return row?.sealed ?? false;
}

const selectSealed = {
  name: 'has-sealed-secrets',
  text: `
    select exists (select 1 from accounts where secrets is not null)
        or exists (select 1 from channels where secrets is not null) as sealed`,
};
