import type { Database } from '../database/Database.ts';
import { loadConfiguration } from '../models/configuration.ts';
import { openSecrets, type SecretBox } from '../secrets.ts';
import type { StoredSetup } from './Setup.ts';

/**
 * The named workspaces as the database has them, archived rows included, secrets opened. Throws where a secret
 * was sealed with another key.
 */
export async function readStoredSetup(
  db: Database,
  box: SecretBox,
  workspaceNames: readonly string[],
): Promise<StoredSetup> {
  const rows = await loadConfiguration(db, workspaceNames);
  return {
    workspaces: rows.workspaces.map(({ tickIntervalMs, ...row }) => ({
      ...row,
      isImplied: false,
      tickEveryMs: tickIntervalMs,
    })),
    accounts: rows.accounts.map(({ isDisabled, secrets, ...row }) => ({
      ...row,
      isActive: !isDisabled,
      secrets: openSecrets(secrets, box, 'accounts'),
    })),
    channels: rows.channels.map(({ secrets, ...row }) => ({
      ...row,
      secrets: openSecrets(secrets, box, 'channels'),
    })),
    feeds: rows.feeds,
    routes: rows.routes,
  };
}
