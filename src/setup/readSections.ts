import { didYouMean } from '../didYouMean.ts';
import { showValue } from './describeIssues.ts';
import type { Entry } from './Entry.ts';
import type { Problem } from './Problem.ts';

export const sectionNames = ['workspaces', 'accounts', 'channels', 'feeds', 'routes'] as const;
export type SectionName = (typeof sectionNames)[number];

/** The entries of each list of the file. `workspaces` is null where the file has no such key. */
export type Sections = Record<Exclude<SectionName, 'workspaces'>, Entry[]> & { workspaces: Entry[] | null };

/** Splits the file into its lists, as `written` and with placeholders resolved (`value`, of the same shape). */
export function readSections(written: unknown, value: unknown): { sections: Sections; problems: Problem[] } {
  const problems: Problem[] = [];
  const writtenMap = toMap(written);
  const valueMap = toMap(value);
  if (!writtenMap || !valueMap) {
    const message = `must be a map of ${sectionNames.join(', ')}, got ${kindOf(written)}`;
    return { sections: emptySections(), problems: [{ path: [], message }] };
  }
  for (const key of Object.keys(writtenMap)) {
    if (sectionNames.some(name => name === key)) continue;
    const message = `unknown key, allowed ${sectionNames.join(', ')}${didYouMean(key, sectionNames)}`;
    problems.push({ path: [key], message });
  }
  const read = (name: SectionName) => readSection(name, writtenMap[name], valueMap[name], problems);
  const sections = {
    workspaces: writtenMap.workspaces === undefined ? null : read('workspaces'),
    accounts: read('accounts'),
    channels: read('channels'),
    feeds: read('feeds'),
    routes: read('routes'),
  };
  if (sections.workspaces?.length === 0 && problems.length === 0) {
    problems.push({ path: ['workspaces'], message: 'lists none: leave the key out for one named default' });
  }
  return { sections, problems };
}

// A key with nothing after it is an empty list.
function readSection(name: SectionName, written: unknown, value: unknown, problems: Problem[]): Entry[] {
  if (written === undefined || written === null) return [];
  if (!Array.isArray(written) || !Array.isArray(value)) {
    problems.push({ path: [name], message: `must be a list, got ${kindOf(written)}` });
    return [];
  }
  return written.flatMap((entry: unknown, index) => {
    const writtenEntry = toMap(entry);
    const valueEntry = toMap(value[index]);
    if (writtenEntry && valueEntry)
      return [{ path: [name, index], written: writtenEntry, value: valueEntry }];
    problems.push({
      path: [name, index],
      message: `must be a map such as { name: … }, got ${kindOf(entry)}`,
    });
    return [];
  });
}

function toMap(value: unknown): Readonly<Record<string, unknown>> | null {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap ? (value as Record<string, unknown>) : null;
}

// Of a string that stands where a map belongs only its kind is shown: nobody knows what it was to be.
function kindOf(value: unknown): string {
  return typeof value === 'string' ? 'a string' : showValue(value);
}

function emptySections(): Sections {
  return { workspaces: null, accounts: [], channels: [], feeds: [], routes: [] };
}
