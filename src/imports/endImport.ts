import type { Database } from '../database/Database.ts';
import { raiseAlert } from '../models/alerts.ts';
import { type Import, recordImportEnd } from '../models/importClaims.ts';

const mostInterruptions = 3;

export type ImportEnding = {
  claimToken: string;
  error: string;
  /** Whether it may go well another time; if not, the import has failed at once. */
  mayPass: boolean;
};

/**
 * Ends a claim that cannot go on, in the caller's transaction: taken up again, or, the third time in a row with
 * nothing put in between, failed, with an alert. It may be this import that kills its readers. Null: the claim
 * was lost.
 */
export async function endImport(
  trx: Database,
  found: Import,
  { claimToken, error, mayPass }: ImportEnding,
  now: Date,
): Promise<'failed' | 'postponed' | null> {
  const interruptions = Math.min(found.interruptions + 1, mostInterruptions);
  const hasFailed = !mayPass || interruptions === mostInterruptions;
  const status = hasFailed ? 'failed' : 'pending';
  const end = { importId: found.id, claimToken, status, interruptions, error, now } as const;
  if (!(await recordImportEnd(trx, end))) return null;
  if (!hasFailed) return 'postponed';
  const times = mayPass ? ` ${mostInterruptions} times in a row` : '';
  const message =
    `Import ${found.id} (${found.source}) failed${times}, with ${found.rowsDone} of ${found.rowsTotal} rows done: ` +
    `${error}. "headway import retry ${found.id}" goes on with the rest.`;
  const { workspaceId, feedId } = found;
  await raiseAlert(trx, {
    workspaceId,
    kind: 'import_failed',
    message,
    now,
    ...(feedId === null ? {} : { feedId }),
  });
  return 'failed';
}
