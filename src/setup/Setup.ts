import type { FirstImport } from '../models/feeds.ts';
import type { EditsRule } from '../models/routes.ts';
import type { Secrets } from '../secrets.ts';

/** The domain objects of an installation as `config.yaml` states them (README, "config.yaml"). */
export type Setup = {
  workspaces: readonly WorkspaceSetup[];
  accounts: readonly AccountSetup[];
  channels: readonly ChannelSetup[];
  feeds: readonly FeedSetup[];
  routes: readonly RouteSetup[];
};

/** The same as the database has it, with each row's id. */
export type StoredSetup = {
  workspaces: readonly Stored<WorkspaceSetup>[];
  accounts: readonly Stored<AccountSetup>[];
  channels: readonly Stored<ChannelSetup>[];
  feeds: readonly Stored<FeedSetup>[];
  routes: readonly StoredRoute[];
};
export type Stored<Part> = Part & { id: number; isArchived: boolean };
export type StoredRoute = Stored<RouteSetup> & { feedId: number; channelId: number };

export type WorkspaceSetup = {
  name: string;
  /** True for the workspace of a file that lists none: made with defaults if missing, else left as it is. */
  isImplied: boolean;
  timezone: string;
  /** Publications per local day; null: no cap. */
  dailyCap: number | null;
  tickEveryMs: number;
  windows: readonly string[];
  /** Null: left as it is. Pausing is also done by hand, which a file that is silent must not undo. */
  paused: boolean | null;
};

export type AccountSetup = {
  workspace: string;
  name: string;
  platform: string;
  instance: string;
  username: string | null;
  isActive: boolean;
  secrets: Secrets;
};

export type ChannelSetup = {
  workspace: string;
  name: string;
  platform: string;
  /** With the platform and `target`: where posts appear, and what makes the channel itself. */
  instance: string;
  target: string;
  account: string | null;
  needsAccount: boolean;
  intervalMs: number;
  /** Publications per local day; null: only the workspace's cap. */
  dailyCap: number | null;
  paused: boolean | null;
  /** The platform's own keys without the secret ones. */
  settings: Readonly<Record<string, unknown>>;
  secrets: Secrets;
};

export type FeedSetup = {
  workspace: string;
  name: string;
  url: string;
  everyMs: number;
  firstImport: FirstImport;
  /** Null: no limit. */
  maxAgeMs: number | null;
  /** How long at most an article waits for its page; null: it is not asked. */
  enrichWithinMs: number | null;
  paused: boolean | null;
};

export type RouteSetup = {
  workspace: string;
  feed: string;
  channel: string;
  approval: 'auto' | 'manual';
  priority: number;
  include: readonly string[];
  exclude: readonly string[];
  template: string;
  /** Null: by its approval. */
  edits: EditsRule | null;
};
