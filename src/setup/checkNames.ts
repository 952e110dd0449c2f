import { type Entry, textIn } from './Entry.ts';
import type { Path, Problem } from './Problem.ts';
import type { Sections } from './readSections.ts';

/** What the checks across entries need to know of the file. */
export type Layout = {
  workspaceNames: readonly string[];
  workspaceOf(entry: Entry): string;
  lineOf(path: Path): number;
};

/** Finds what stands twice: names in one workspace, routes between the same ends. */
export function checkNames(
  { workspaces, accounts, channels, feeds, routes }: Sections,
  layout: Layout,
): Problem[] {
  const nameIn = (entry: Entry) => textIn(entry, 'name');
  const everywhere = { ...layout, workspaceOf: () => '' };
  return [
    ...findTwice(workspaces ?? [], { kind: 'workspace', key: 'name', labelOf: nameIn }, everywhere),
    ...findTwice(accounts, { kind: 'account', key: 'name', labelOf: nameIn }, layout),
    ...findTwice(channels, { kind: 'channel', key: 'name', labelOf: nameIn }, layout),
    ...findTwice(feeds, { kind: 'feed', key: 'name', labelOf: nameIn }, layout),
    ...findTwice(routes, { kind: 'route', key: 'channel', labelOf: endsIn }, layout),
  ];
}

function endsIn(entry: Entry): string | null {
  const [feed, channel] = [textIn(entry, 'feed'), textIn(entry, 'channel')];
  return feed === null || channel === null ? null : `${feed} → ${channel}`;
}

function findTwice(
  entries: readonly Entry[],
  { kind, key, labelOf }: { kind: string; key: string; labelOf: (entry: Entry) => string | null },
  { workspaceOf, lineOf }: Layout,
): Problem[] {
  const first = new Map<string, Entry>();
  return entries.flatMap(entry => {
    const label = labelOf(entry);
    if (label === null) return [];
    const scope = JSON.stringify([workspaceOf(entry), label]);
    const other = first.get(scope);
    if (!other) {
      first.set(scope, entry);
      return [];
    }
    const message = `stands twice: the ${kind} ${label} is already in line ${lineOf(other.path)}`;
    return [{ path: [...entry.path, key], message }];
  });
}
