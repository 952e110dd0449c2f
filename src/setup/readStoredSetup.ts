import type { Database } from '../database/Database.ts';
import { loadConfiguration } from '../models/configuration.ts';
import { openSecrets, type SecretBox, type SecretContext, type Secrets } from '../secrets.ts';
import type { StoredSetup } from './Setup.ts';

/**
 * The named workspaces as the database has them, archived rows included, secrets opened. Throws where a secret
 * was sealed with another key, unless `skipUnreadable`: an apply states secrets anew, so they count as absent.
 */
export async function readStoredSetup(
  db: Database,
  box: SecretBox,
  workspaceNames: readonly string[],
  { skipUnreadable = false } = {},
): Promise<StoredSetup> {
  const open = (sealed: Buffer | null, context: SecretContext): Secrets => {
    try {
      return openSecrets(sealed, box, context);
    } catch (error) {
      if (skipUnreadable) return {};
      throw error;
    }
  };
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
      secrets: open(secrets, 'accounts'),
    })),
    channels: rows.channels.map(({ secrets, ...row }) => ({
      ...row,
      secrets: open(secrets, 'channels'),
    })),
    feeds: rows.feeds,
    routes: rows.routes,
  };
}
