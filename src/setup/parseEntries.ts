import { feedSchema, routeSchema, workspaceSchema } from './configSchema.ts';
import { type Entry, parseEntry } from './Entry.ts';
import type { Problem } from './Problem.ts';
import type { FeedSetup, RouteSetup, WorkspaceSetup } from './Setup.ts';

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
  const { name, url, every, firstImport, maxAge = null, enrich, paused = null } = parsed;
  const rules = { everyMs: every, firstImport, maxAgeMs: maxAge, enrichWithinMs: enrich };
  return { workspace, name, url, ...rules, paused };
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
  return parsed && { ...parsed, workspace, edits: parsed.edits ?? null };
}
