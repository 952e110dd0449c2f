import {
  accountSchema,
  accountSecretKeys,
  feedSchema,
  routeSchema,
  workspaceSchema,
} from './configSchema.ts';
import { type Entry, parseEntry } from './Entry.ts';
import type { Problem } from './Problem.ts';
import { type Channels, checkPlatform } from './parseChannel.ts';
import type { AccountSetup, FeedSetup, RouteSetup, WorkspaceSetup } from './Setup.ts';
import { takeSecrets } from './takeSecrets.ts';

/** Answers with what is wrong with a template; nothing: it can be used. */
export type CheckTemplate = (template: string) => readonly string[];

/** Parses an entry of `workspaces`. */
export function parseWorkspace(entry: Entry, problems: Problem[]): WorkspaceSetup | null {
  const knownKeys = Object.keys(workspaceSchema.shape);
  const parsed = parseEntry(workspaceSchema, entry, { knownKeys }, problems);
  if (!parsed) return null;
  const { name, timezone, dailyCap, tickEvery, windows, paused = null } = parsed;
  return { name, isImplied: false, timezone, dailyCap, tickEveryMs: tickEvery, windows, paused };
}

/** Parses an entry of `accounts`. */
export function parseAccount(
  entry: Entry,
  workspace: string,
  channels: Channels,
  problems: Problem[],
): AccountSetup | null {
  checkPlatform(entry, channels, problems);
  const taken = takeSecrets(entry, accountSecretKeys, problems);
  const knownKeys = [...Object.keys(accountSchema.shape), ...accountSecretKeys];
  const open = { ...entry, value: taken?.rest ?? withoutSecrets(entry.value) };
  const parsed = parseEntry(accountSchema, open, { knownKeys, secretKeys: accountSecretKeys }, problems);
  if (!parsed) return null;
  const { name, platform, instance, username = null, active } = parsed;
  return taken && { workspace, name, platform, instance, username, isActive: active, secrets: taken.secrets };
}

/** Parses an entry of `feeds`; `zone` is its workspace's. */
export function parseFeed(
  entry: Entry,
  workspace: string,
  zone: string,
  problems: Problem[],
): FeedSetup | null {
  const schema = feedSchema(zone);
  const parsed = parseEntry(schema, entry, { knownKeys: Object.keys(schema.shape) }, problems);
  if (!parsed) return null;
  const { name, url, every, firstImport, maxAge = null, paused = null } = parsed;
  return { workspace, name, url, everyMs: every, firstImport, maxAgeMs: maxAge, paused };
}

/** Parses an entry of `routes`. */
export function parseRoute(
  entry: Entry,
  workspace: string,
  checkTemplate: CheckTemplate,
  problems: Problem[],
): RouteSetup | null {
  const schema = routeSchema(checkTemplate);
  const parsed = parseEntry(schema, entry, { knownKeys: Object.keys(schema.shape) }, problems);
  return parsed && { ...parsed, workspace };
}

function withoutSecrets(value: Entry['value']): Entry['value'] {
  const secretKeys: readonly string[] = accountSecretKeys;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !secretKeys.includes(key)));
}
