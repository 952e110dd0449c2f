import { didYouMean } from '../didYouMean.ts';
import type { Layout } from './checkNames.ts';
import { showValue } from './describeIssues.ts';
import { type Entry, textIn } from './Entry.ts';
import type { Problem } from './Problem.ts';
import type { Sections } from './readSections.ts';

const maxListed = 12;

/**
 * Finds names of nothing. It looks at what is written, not at what could be parsed: a channel with a bad
 * interval is still a channel that a route may name.
 */
export function checkReferences(sections: Sections, { workspaceNames, workspaceOf }: Layout): Problem[] {
  const { accounts, channels, feeds, routes } = sections;
  const namesByWorkspace = {
    account: groupNames(accounts, workspaceOf),
    channel: groupNames(channels, workspaceOf),
    feed: groupNames(feeds, workspaceOf),
  };
  const checkName = (entry: Entry, kind: keyof typeof namesByWorkspace) => {
    const workspace = workspaceOf(entry);
    // What is wrong is the workspace, which is said already.
    if (!workspaceNames.includes(workspace)) return [];
    return findUnknown(entry, kind, `workspace ${workspace}`, namesByWorkspace[kind].get(workspace) ?? []);
  };
  return [
    ...[...accounts, ...channels, ...feeds, ...routes].flatMap(entry =>
      workspaceNames.length === 0 ? [] : findUnknown(entry, 'workspace', 'this file', workspaceNames),
    ),
    ...channels.flatMap(entry => checkName(entry, 'account')),
    ...routes.flatMap(entry => [...checkName(entry, 'feed'), ...checkName(entry, 'channel')]),
  ];
}

function groupNames(entries: readonly Entry[], workspaceOf: (entry: Entry) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const entry of entries) {
    const name = textIn(entry, 'name');
    if (name === null) continue;
    const names = groups.get(workspaceOf(entry)) ?? [];
    names.push(name);
    groups.set(workspaceOf(entry), names);
  }
  return groups;
}

function findUnknown(entry: Entry, key: string, place: string, names: readonly string[]): Problem[] {
  const name = textIn(entry, key);
  if (name === null || names.includes(name)) return [];
  const allowed = names.length === 0 ? 'there is none' : `allowed ${listNames(names)}`;
  const message = `names no ${key} of ${place}, got ${showValue(name)}, ${allowed}${didYouMean(name, names)}`;
  return [{ path: [...entry.path, key], message }];
}

function listNames(names: readonly string[]): string {
  const different = [...new Set(names)];
  const shown = different.slice(0, maxListed).join(', ');
  return different.length > maxListed ? `${shown} and ${different.length - maxListed} more` : shown;
}
