import type { AccountKind } from '../channels/AccountKind.ts';
import { accountSchema, accountSecretKeys, accountSwitches } from './configSchema.ts';
import { type Entry, keysOf, parseEntry, pickKeys } from './Entry.ts';
import type { Problem } from './Problem.ts';
import { type Channels, checkPlatform } from './parseChannel.ts';
import type { AccountSetup } from './Setup.ts';
import { takeSecrets } from './takeSecrets.ts';

/** Parses an entry of `accounts`: the keys that all have, then what its platform logs in with. */
export function parseAccount(
  entry: Entry,
  workspace: string,
  channels: Channels,
  problems: Problem[],
): AccountSetup | null {
  const kind = checkPlatform(entry, channels, problems)?.account ?? null;
  return kind ? parseOfKind(entry, workspace, kind, problems) : parseOfAnyKind(entry, workspace, problems);
}

function parseOfKind(
  entry: Entry,
  workspace: string,
  kind: AccountKind,
  problems: Problem[],
): AccountSetup | null {
  const { secretKeys } = kind;
  const commonKeys = Object.keys(accountSwitches.shape);
  const knownKeys = [...commonKeys, ...keysOf(kind.credentials)];
  const common = parseEntry(
    accountSwitches,
    pickKeys(entry, commonKeys, true),
    { knownKeys: commonKeys },
    problems,
  );
  const own = pickKeys(entry, commonKeys, false);
  const parsed = parseEntry(
    kind.credentials.transform(credentials => ({ credentials })),
    own,
    { knownKeys, secretKeys },
    problems,
  );
  const taken = parsed && takeSecrets(own, secretKeys, problems);
  if (!common || !parsed || !taken) return null;
  const { name, platform, active: isActive } = common;
  const { secrets } = taken;
  return { workspace, name, platform, ...placeIn(parsed.credentials), isActive, secrets };
}

// As the platform has read them, so that they mean the same everywhere.
function placeIn(credentials: unknown): { instance: string; username: string | null } {
  const { instance, username }: { instance?: unknown; username?: unknown } = Object(credentials);
  return {
    instance: typeof instance === 'string' ? instance : '',
    username: typeof username === 'string' ? username : null,
  };
}

// A platform whose posts need no account may have one all the same: it can be disabled for all its channels.
function parseOfAnyKind(entry: Entry, workspace: string, problems: Problem[]): AccountSetup | null {
  const taken = takeSecrets(entry, accountSecretKeys, problems);
  const knownKeys = [...Object.keys(accountSchema.shape), ...accountSecretKeys];
  const open = pickKeys(entry, accountSecretKeys, false);
  const parsed = parseEntry(accountSchema, open, { knownKeys, secretKeys: accountSecretKeys }, problems);
  if (!parsed) return null;
  const { name, platform, instance, username = null, active } = parsed;
  return taken && { workspace, name, platform, instance, username, isActive: active, secrets: taken.secrets };
}
