import type { Database } from '../database/Database.ts';
import { insertAccount, updateAccount } from '../models/accountConfiguration.ts';
import { insertChannel, renameChannel, updateChannel } from '../models/channelConfiguration.ts';
import {
  archiveRow,
  insertRoute,
  insertWorkspace,
  updateRoute,
  updateWorkspace,
} from '../models/configurationChanges.ts';
import { insertFeed, updateFeed } from '../models/feedConfiguration.ts';
import { type SecretBox, sealSecrets } from '../secrets.ts';
import { diffSecrets } from './diffFields.ts';
import { type ChangedKind, nameRoute, type PlannedChange } from './PlannedChange.ts';
import type { AccountSetup, Setup, StoredSetup } from './Setup.ts';

/** The rows of what the file names, as far as they are written, by `idKey`. */
export type Ids = Map<string, number>;

export type WriteContext = { desired: Setup; stored: StoredSetup; ids: Ids; box: SecretBox; now: Date };

/**
 * Writes one change of a plan, in the plan's order: what it refers to has its row by then. Notes the row's id
 * and returns it.
 */
export async function writeChange(
  db: Database,
  change: PlannedChange,
  context: WriteContext,
): Promise<{ id: number; workspaceId: number }> {
  const id = await write(db, change, context);
  context.ids.set(idKey(change.kind, change.workspace, change.name), id);
  return { id, workspaceId: idOf(context.ids, 'workspace', change.workspace, change.workspace) };
}

async function write(db: Database, change: PlannedChange, context: WriteContext): Promise<number> {
  if (change.id !== null && change.action === 'unchanged') return change.id;
  switch (change.kind) {
    case 'workspace':
      return writeWorkspace(db, change, context);
    case 'account':
      return writeAccount(db, change, context);
    case 'channel':
      return writeChannel(db, change, context);
    case 'feed':
      return writeFeed(db, change, context);
    case 'route':
      return writeRoute(db, change, context);
    default:
      return change.kind satisfies never;
  }
}

async function writeWorkspace(db: Database, change: PlannedChange, { desired, stored, now }: WriteContext) {
  const wanted = desired.workspaces.find(({ name }) => name === change.name);
  if (!wanted) throw lost(change);
  // An implied workspace that exists keeps its settings, even as it comes out of the archive.
  const kept = wanted.isImplied ? stored.workspaces.find(({ name }) => name === change.name) : undefined;
  const { name, timezone, dailyCap, tickEveryMs, windows, paused } = kept ?? wanted;
  const values = { name, timezone, dailyCap, tickIntervalMs: tickEveryMs, windows, paused };
  if (change.id === null) return insertWorkspace(db, values, now);
  await updateWorkspace(db, change.id, values);
  return change.id;
}

async function writeAccount(
  db: Database,
  change: PlannedChange,
  { desired, stored, ids, box, now }: WriteContext,
) {
  if (change.action === 'archive') return archive(db, 'accounts', change, now);
  const wanted = desired.accounts.find(isNamed(change));
  if (!wanted) throw lost(change);
  const { workspace, name, platform, instance, username, isActive, secrets } = wanted;
  const workspaceId = idOf(ids, 'workspace', workspace, workspace);
  const sealed = sealSecrets(secrets, box, 'accounts');
  const values = { workspaceId, name, platform, instance, username, isDisabled: !isActive, secrets: sealed };
  if (change.id === null) return insertAccount(db, values, now);
  const before = stored.accounts.find(({ id }) => id === change.id);
  await updateAccount(db, change.id, {
    ...values,
    hasNewCredentials: !before || areNewCredentials(before, wanted),
  });
  return change.id;
}

function areNewCredentials(before: AccountSetup, after: AccountSetup): boolean {
  const isElsewhere = before.platform !== after.platform || before.instance !== after.instance;
  return (
    isElsewhere || before.username !== after.username || diffSecrets(before.secrets, after.secrets).length > 0
  );
}

async function writeChannel(db: Database, change: PlannedChange, { desired, ids, box, now }: WriteContext) {
  const wanted = desired.channels.find(isNamed(change));
  if (!wanted || change.action === 'archive') {
    if (change.id !== null && change.changes.length > 0) await renameChannel(db, change.id, change.name);
    return change.action === 'archive' ? archive(db, 'channels', change, now) : rowOf(change);
  }
  const { workspace, account, secrets, ...rest } = wanted;
  const workspaceId = idOf(ids, 'workspace', workspace, workspace);
  const accountId = account === null ? null : idOf(ids, 'account', workspace, account);
  const values = { ...rest, workspaceId, accountId, secrets: sealSecrets(secrets, box, 'channels') };
  if (change.id === null) return insertChannel(db, values, now);
  const isMended = change.changes.some(({ field }) => !paceFields.includes(field));
  await updateChannel(db, change.id, { ...values, isMended });
  return change.id;
}

// What says nothing of whether it can post.
const paceFields: readonly string[] = ['name', 'interval', 'dailyCap', 'paused'];

async function writeFeed(db: Database, change: PlannedChange, { desired, ids, now }: WriteContext) {
  if (change.action === 'archive') return archive(db, 'feeds', change, now);
  const wanted = desired.feeds.find(isNamed(change));
  if (!wanted) throw lost(change);
  const values = { ...wanted, workspaceId: idOf(ids, 'workspace', wanted.workspace, wanted.workspace) };
  if (change.id === null) return insertFeed(db, values, now);
  await updateFeed(db, change.id, values, now);
  return change.id;
}

async function writeRoute(db: Database, change: PlannedChange, { desired, ids, now }: WriteContext) {
  if (change.action === 'archive') return archive(db, 'routes', change, now);
  const wanted = desired.routes.map(nameRoute).find(isNamed(change));
  if (!wanted) throw lost(change);
  const { workspace, feed, channel, ...rest } = wanted;
  const workspaceId = idOf(ids, 'workspace', workspace, workspace);
  const ends = {
    feedId: idOf(ids, 'feed', workspace, feed),
    channelId: idOf(ids, 'channel', workspace, channel),
  };
  const values = { ...rest, ...ends, workspaceId };
  if (change.id === null) return insertRoute(db, values, now);
  await updateRoute(db, change.id, values);
  return change.id;
}

async function archive(
  db: Database,
  table: Parameters<typeof archiveRow>[1],
  change: PlannedChange,
  now: Date,
): Promise<number> {
  const id = rowOf(change);
  await archiveRow(db, table, id, now);
  return id;
}

function isNamed({ workspace, name }: PlannedChange) {
  return (part: { workspace: string; name: string }) => part.workspace === workspace && part.name === name;
}

function rowOf(change: PlannedChange): number {
  if (change.id === null) throw lost(change);
  return change.id;
}

function idKey(kind: ChangedKind, workspace: string, name: string): string {
  return `${kind}:${JSON.stringify([workspace, name])}`;
}

function idOf(ids: Ids, kind: ChangedKind, workspace: string, name: string): number {
  const id = ids.get(idKey(kind, workspace, name));
  if (id === undefined) throw new Error(`${kind} ${name} of workspace ${workspace} has no row yet`);
  return id;
}

function lost({ action, kind, workspace, name }: PlannedChange): Error {
  return new Error(`nothing to ${action} for ${kind} ${name} of workspace ${workspace}`);
}
