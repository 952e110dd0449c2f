import { readFile } from 'node:fs/promises';
import { ConfigFileError } from './ConfigFileError.ts';
import { checkChannels } from './checkChannels.ts';
import { checkNames } from './checkNames.ts';
import { checkReferences } from './checkReferences.ts';
import { type Entry, textIn } from './Entry.ts';
import { formatPath, type Path, type Problem } from './Problem.ts';
import { parseAccount } from './parseAccount.ts';
import { type Channels, parseChannel } from './parseChannel.ts';
import { type CheckTemplate, parseFeed, parseRoute, parseWorkspace } from './parseEntries.ts';
import { parseYaml } from './parseYaml.ts';
import { readSections } from './readSections.ts';
import { type Environment, resolvePlaceholders } from './resolvePlaceholders.ts';
import type { Setup, WorkspaceSetup } from './Setup.ts';

export type ConfigContext = {
  /** What `${NAME}` is taken from. */
  env: Environment;
  /** The platforms by name: each parses the keys that are its own. */
  channels: Channels;
  checkTemplate: CheckTemplate;
};

/** Reads `config.yaml`. Throws a ConfigFileError that lists everything that is wrong with it. */
export async function readConfigFile(path: string, context: ConfigContext): Promise<Setup> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new ConfigFileError([`${path}: cannot be read: ${error.message}`]);
  });
  return parseConfig(text, path, context);
}

/** As `readConfigFile`, from its text; `file` is the name for messages. */
export function parseConfig(
  text: string,
  file: string,
  { env, channels, checkTemplate }: ConfigContext,
): Setup {
  const { value: written, problems: yamlProblems, lineOf } = parseYaml(text, file);
  if (written === null || written === undefined) {
    throw new ConfigFileError([`${file}:1: the file is empty: list workspaces, feeds, channels and routes`]);
  }
  const resolved = resolvePlaceholders(written, env);
  const { sections, problems } = readSections(written, resolved.value);

  const keepParsed = <Parsed>(entries: readonly Entry[], parse: (entry: Entry) => Parsed | null) =>
    entries.flatMap(entry => parse(entry) ?? []);

  const workspaces = keepParsed(sections.workspaces ?? [], entry => parseWorkspace(entry, problems));
  if (sections.workspaces === null) workspaces.push(impliedWorkspace);
  const names = sections.workspaces?.flatMap(entry => textIn(entry, 'name') ?? []) ?? [impliedWorkspace.name];
  const workspaceOf = (entry: Entry) => textIn(entry, 'workspace') ?? names[0] ?? impliedWorkspace.name;
  const zoneOf = (entry: Entry) =>
    workspaces.find(({ name }) => name === workspaceOf(entry))?.timezone ?? 'UTC';

  const accounts = keepParsed(sections.accounts, entry =>
    parseAccount(entry, workspaceOf(entry), channels, problems),
  );
  const placedChannels = keepParsed(sections.channels, entry => {
    const workspace = workspaceOf(entry);
    const accountNamed = (name: string) =>
      accounts.find(account => account.workspace === workspace && account.name === name) ?? null;
    const channel = parseChannel(entry, { workspace, channels, accountNamed }, problems);
    return channel && { channel, path: entry.path };
  });
  const feeds = keepParsed(sections.feeds, entry =>
    parseFeed(entry, workspaceOf(entry), zoneOf(entry), problems),
  );
  const routes = keepParsed(sections.routes, entry =>
    parseRoute(entry, workspaceOf(entry), checkTemplate, problems),
  );

  const layout = { workspaceNames: names, workspaceOf, lineOf };
  problems.push(...checkNames(sections, layout), ...checkReferences(sections, layout));
  problems.push(...checkChannels(placedChannels, accounts));
  // What follows from an unset ${NAME} is not worth a line of its own.
  const others = problems.filter(({ path }) => !resolved.problems.some(unset => isWithin(path, unset.path)));
  refuse([...resolved.problems, ...others], yamlProblems, file, lineOf);
  return { workspaces, accounts, channels: placedChannels.map(({ channel }) => channel), feeds, routes };
}

// Made if it is missing; one that exists keeps its settings, and so these matter only to a new one.
const impliedWorkspace: WorkspaceSetup = {
  name: 'default',
  isImplied: true,
  timezone: 'UTC',
  dailyCap: 24,
  tickEveryMs: 300_000,
  windows: [],
  paused: null,
};

function refuse(
  problems: readonly Problem[],
  yamlProblems: readonly string[],
  file: string,
  lineOf: (path: Path) => number,
): void {
  const lines = problems
    .map(({ path, message }) => ({ line: lineOf(path), place: formatPath(path), message }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, place, message }) => `${file}:${line}: ${place === '' ? '' : `${place}: `}${message}`);
  const all = [...new Set([...yamlProblems, ...lines])];
  if (all.length > 0) throw new ConfigFileError(all);
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, index) => path[index] === step);
}
