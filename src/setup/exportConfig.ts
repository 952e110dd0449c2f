import { stringify } from 'yaml';
import type { Database } from '../database/Database.ts';
import { listWorkspaces } from '../models/workspaces.ts';
import type { SecretBox } from '../secrets.ts';
import {
  accountFields,
  channelFields,
  type Fields,
  feedFields,
  routeFields,
  workspaceFields,
} from './configFields.ts';
import { namePlaceholders, type Placeholder } from './namePlaceholders.ts';
import { readStoredSetup } from './readStoredSetup.ts';
import { escapePlaceholders, mapStrings } from './resolvePlaceholders.ts';
import type { StoredSetup } from './Setup.ts';

/**
 * The state as the text of a `config.yaml` that applies to the same state. Secrets stand in it as `${NAME}`, the
 * names listed at its top: the one that they came from, else one made of what they belong to. What is archived
 * is left out. `workspace`: only this one; null: all. Throws for one that does not exist.
 */
export async function exportConfig(
  db: Database,
  { box, workspace = null }: { box: SecretBox; workspace?: string | null },
): Promise<string> {
  const names = (await listWorkspaces(db)).map(({ name }) => name);
  if (workspace !== null && !names.includes(workspace)) throw new Error(`there is no workspace ${workspace}`);
  const stored = await readStoredSetup(db, box, workspace === null ? names : [workspace]);
  return formatConfig(stored);
}

/** As `exportConfig`, of a state already read. */
export function formatConfig(stored: StoredSetup): string {
  const accounts = stored.accounts.filter(isInUse);
  const channels = stored.channels.filter(isInUse);
  const placeholders = namePlaceholders([
    ...accounts.map(account => ({ kind: 'account' as const, ...account })),
    ...channels.map(channel => ({ kind: 'channel' as const, ...channel })),
  ]);
  const workspaces = stored.workspaces.filter(isInUse);
  const first = workspaces[0]?.name;
  const entry = (
    part: { workspace: string; name?: string; id: number },
    fields: Fields,
    secrets: Fields = {},
  ) => {
    const place = part.workspace === first ? null : part.workspace;
    return { ...written({ name: part.name, workspace: place, ...fields }), ...secrets };
  };

  const sections = {
    workspaces: workspaces.map(part =>
      written({ name: part.name, ...workspaceFields(part), ...pause(part) }),
    ),
    accounts: accounts.map(part =>
      entry(
        part,
        { ...accountFields(part), active: part.isActive ? null : false },
        placeholders.secretsOf('account', part.id),
      ),
    ),
    channels: channels.map(part =>
      entry(part, { ...channelFields(part), ...pause(part) }, placeholders.secretsOf('channel', part.id)),
    ),
    feeds: stored.feeds.filter(isInUse).map(part => entry(part, { ...feedFields(part), ...pause(part) })),
    routes: stored.routes
      .filter(isInUse)
      .map(({ feed, channel, ...part }) =>
        entry(part, { feed, channel, ...routeFields({ feed, channel, ...part }) }),
      ),
  };
  const texts = Object.entries(sections)
    .filter(([, entries]) => entries.length > 0)
    .map(([name, entries]) => stringify({ [name]: entries }, { lineWidth: 0, aliasDuplicateObjects: false }));
  return [head(placeholders.names), ...texts].join('\n');
}

function isInUse({ isArchived }: { isArchived: boolean }): boolean {
  return !isArchived;
}

// Without what is not there anyway.
function written(fields: Fields): Fields {
  const stated = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(stated.map(([key, value]) => [key, mapStrings(value, [], escapePlaceholders)]));
}

// A file that says nothing of a pause leaves it as it is; one that says "false" would end it.
function pause({ paused }: { paused: boolean | null }): Fields {
  return { paused: paused || null };
}

function head(placeholders: readonly Placeholder[]): string {
  const list = placeholders.map(({ name, owner }) => `#   ${name} (${owner})\n`).join('');
  const secrets =
    list === '' ? '' : `# Secrets are not in it. Set these in the environment before applying it:\n${list}`;
  return `# Exported by headway export.\n${secrets}`;
}
