import type { FieldChange } from './diffFields.ts';
import type { RouteSetup, Stored } from './Setup.ts';

export type ChangedKind = 'workspace' | 'account' | 'channel' | 'feed' | 'route';

/** What an apply does with one object. It holds no secret: it is printed, logged and audited. */
export type PlannedChange = {
  action: 'create' | 'update' | 'archive' | 'restore' | 'unchanged';
  kind: ChangedKind;
  workspace: string;
  /** Of a route: `feed → channel`. */
  name: string;
  /** The row; null: it is created. */
  id: number | null;
  changes: readonly FieldChange[];
};

type Named = { workspace: string; name: string };

/** The change that makes a row what the file says. `changes`: those of its fields but the name. */
export function planEntry(
  kind: ChangedKind,
  { workspace, name }: Named,
  stored: Stored<Named> | null,
  changes: readonly FieldChange[],
): PlannedChange {
  if (!stored) return { action: 'create', kind, workspace, name, id: null, changes };
  const isRenamed = stored.name !== name;
  const all = isRenamed ? [{ field: 'name', from: stored.name, to: name }, ...changes] : changes;
  const action = stored.isArchived ? 'restore' : all.length > 0 ? 'update' : 'unchanged';
  return { action, kind, workspace, name, id: stored.id, changes: all };
}

/** The change for a row that the file leaves out; none if it already is in the archive. */
export function planArchive(
  kind: ChangedKind,
  { workspace, name, id, isArchived }: Stored<Named>,
): PlannedChange[] {
  return isArchived ? [] : [{ action: 'archive', kind, workspace, name, id, changes: [] }];
}

/** A route has no name of its own: its ends are it. */
export function nameRoute<Route extends RouteSetup>(route: Route): Route & { name: string } {
  return { ...route, name: `${route.feed} → ${route.channel}` };
}
