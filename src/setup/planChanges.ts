import { destinationKey } from './checkChannels.ts';
import { accountFields, feedFields, routeFields, workspaceFields } from './configFields.ts';
import { diffFields, diffSecrets } from './diffFields.ts';
import { matchStored } from './matchStored.ts';
import { nameRoute, type PlannedChange, planArchive, planEntry } from './PlannedChange.ts';
import { planChannel, planLeftoverChannels } from './planChannels.ts';
import type { RouteSetup, Setup, StoredRoute, StoredSetup } from './Setup.ts';

/**
 * What makes the stored state the desired one. The file is the whole truth for the workspaces that it names: what
 * it leaves out there is archived, never deleted, and comes back when it is named again. A channel is known by
 * where it posts first, by its name second: its history is what keeps a post from going out twice.
 */
export function planChanges(desired: Setup, stored: StoredSetup): PlannedChange[] {
  const workspaces = matchStored(desired.workspaces, stored.workspaces, [workspace => workspace.name]);
  const accounts = matchStored(desired.accounts, stored.accounts, [nameKey]);
  const channels = matchStored(desired.channels, stored.channels, [destinationKey, nameKey]);
  const feeds = matchStored(desired.feeds, stored.feeds, [nameKey, urlKey]);
  const routes = matchStored(desired.routes, stored.routes, [
    routeKey(storedIds(feeds.pairs), storedIds(channels.pairs)),
  ]);

  return [
    ...workspaces.pairs.map(({ desired, stored }) => {
      const isKept = desired.isImplied && stored !== null;
      const changes = isKept ? [] : diffFields(stored && workspaceFields(stored), workspaceFields(desired));
      return planEntry('workspace', placeWorkspace(desired), stored && placeWorkspace(stored), changes);
    }),
    ...accounts.pairs.map(({ desired, stored }) => {
      const changes = diffFields(stored && accountFields(stored), accountFields(desired));
      const secretChanges = diffSecrets(stored?.secrets ?? {}, desired.secrets);
      return planEntry('account', desired, stored, [...changes, ...secretChanges]);
    }),
    ...accounts.leftover.flatMap(row => planArchive('account', row)),
    ...channels.pairs.map(({ desired, stored }) => planChannel(desired, stored)),
    ...planLeftoverChannels(channels.leftover, [...desired.channels, ...stored.channels]),
    ...feeds.pairs.map(({ desired, stored }) => {
      const changes = diffFields(stored && feedFields(stored), feedFields(desired));
      return planEntry('feed', desired, stored, changes);
    }),
    ...feeds.leftover.flatMap(row => planArchive('feed', row)),
    ...routes.pairs.map(({ desired, stored }) => {
      const changes = diffFields(stored && routeFields(stored), routeFields(desired));
      // Its ends may have been renamed; the route is the same.
      const named = nameRoute(desired);
      return planEntry('route', named, stored && { ...stored, name: named.name }, changes);
    }),
    ...routes.leftover.flatMap(row => planArchive('route', nameRoute(row))),
  ];
}

function nameKey({ workspace, name }: { workspace: string; name: string }): string {
  return JSON.stringify([workspace, name]);
}

function urlKey({ workspace, url }: { workspace: string; url: string }): string {
  return JSON.stringify([workspace, url]);
}

function placeWorkspace<Workspace extends { name: string }>(workspace: Workspace) {
  return { ...workspace, workspace: workspace.name };
}

type Pair = { desired: { workspace: string; name: string }; stored: { id: number } | null };

function storedIds(pairs: readonly Pair[]): ReadonlyMap<string, number> {
  return new Map(pairs.flatMap(({ desired, stored }) => (stored ? [[nameKey(desired), stored.id]] : [])));
}

// A route whose feed or channel is new is new itself.
function routeKey(feedIds: ReadonlyMap<string, number>, channelIds: ReadonlyMap<string, number>) {
  return (route: RouteSetup | StoredRoute): string | null => {
    if ('feedId' in route) return JSON.stringify([route.feedId, route.channelId]);
    const feedId = feedIds.get(nameKey({ workspace: route.workspace, name: route.feed }));
    const channelId = channelIds.get(nameKey({ workspace: route.workspace, name: route.channel }));
    return feedId === undefined || channelId === undefined ? null : JSON.stringify([feedId, channelId]);
  };
}
