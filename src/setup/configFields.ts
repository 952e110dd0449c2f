import { formatDuration } from '../duration.ts';
import { formatEnrichment } from './enrichment.ts';
import { formatFirstImport } from './firstImport.ts';
import type { AccountSetup, ChannelSetup, FeedSetup, RouteSetup, WorkspaceSetup } from './Setup.ts';

/**
 * The keys of an entry of `config.yaml` but its name, workspace and secrets, as they are written there. Null:
 * left out. Undefined: not stated at all, so that nothing is compared with it. A plan compares these, an
 * export writes them: the two cannot disagree.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** The keys of an entry of `workspaces`. */
export function workspaceFields(workspace: WorkspaceSetup): Fields {
  return {
    timezone: workspace.timezone,
    dailyCap: workspace.dailyCap ?? 'none',
    tickEvery: formatDuration(workspace.tickEveryMs),
    windows: unlessEmpty(workspace.windows),
    paused: workspace.paused ?? undefined,
  };
}

/** The keys of an entry of `accounts`. */
export function accountFields(account: AccountSetup): Fields {
  const { platform, instance, username, isActive } = account;
  return { platform, instance: instance === '' ? null : instance, username, active: isActive };
}

/** The keys of an entry of `channels`, the platform's own among them. */
export function channelFields(channel: ChannelSetup): Fields {
  return {
    platform: channel.platform,
    account: channel.account,
    ...channel.settings,
    interval: formatDuration(channel.intervalMs),
    dailyCap: channel.dailyCap ?? 'none',
    paused: channel.paused ?? undefined,
  };
}

/** The keys of an entry of `feeds`. */
export function feedFields(feed: FeedSetup): Fields {
  return {
    url: feed.url,
    every: formatDuration(feed.everyMs),
    firstImport: formatFirstImport(feed.firstImport),
    maxAge: feed.maxAgeMs === null ? null : formatDuration(feed.maxAgeMs),
    enrich: formatEnrichment(feed.enrichWithinMs),
    paused: feed.paused ?? undefined,
  };
}

/** The keys of an entry of `routes` but its two ends. */
export function routeFields(route: RouteSetup): Fields {
  const { approval, priority, template, edits } = route;
  const [include, exclude] = [unlessEmpty(route.include), unlessEmpty(route.exclude)];
  return { approval, priority, include, exclude, template, edits };
}

function unlessEmpty(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list;
}
