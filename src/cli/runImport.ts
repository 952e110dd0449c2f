import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/Database.ts';
import { findImport, type ListedImport } from '../models/imports.ts';
import { failed } from './CliError.ts';
import { startProgress } from './progress.ts';
import type { CommandContext } from './withApp.ts';

const pollMs = 500;

/** Runs an import, and those of its workspace that are before it, until it has ended or cannot go on now. */
export async function runImport({ app, clock, signal }: CommandContext, id: number): Promise<ListedImport> {
  let seen = await existing(app.db, id);
  const { workspaceId, source } = seen;
  const progress = startProgress(() => `importing ${source}: ${seen.rowsDone} of ${seen.rowsTotal} rows`);
  const watching = setInterval(() => {
    // The next look says it again, and the run itself tells of a database that is away.
    const look = existing(app.db, id).then(found => {
      seen = found;
    });
    look.catch(() => {});
  }, pollMs);
  try {
    for (;;) {
      seen = await existing(app.db, id);
      if (seen.status === 'done' || seen.status === 'failed' || signal.aborted) return seen;
      const { imports } = await app.runImports.handle({ workspaceId }, { clock, signal });
      const own = imports.find(({ importId }) => importId === id);
      if (own?.outcome === 'postponed') return await existing(app.db, id);
      if (own === undefined) await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    clearInterval(watching);
    progress.end();
  }
}

/** What is to be said of an import that did not end well. */
export function complaint(ended: ListedImport, signal: AbortSignal): string {
  const { id, status, rowsBad, rowsDone, rowsTotal } = ended;
  if (status === 'done') return `${rowsBad} of ${rowsTotal} rows could not be imported.`;
  if (status === 'failed') return `Import ${id} failed. "headway import retry ${id}" goes on with the rest.`;
  const why = signal.aborted ? 'Interrupted' : 'Not finished';
  return (
    `${why} after ${rowsDone} of ${rowsTotal} rows: a running "headway start" or "headway work" goes on with the ` +
    'rest, or "headway import resume".'
  );
}

async function existing(db: Database, id: number): Promise<ListedImport> {
  const found = await findImport(db, id);
  if (found === null) throw failed(`Import ${id} is no longer there.`);
  return found;
}
