import type { ListedImport } from '../models/imports.ts';

/** An import as JSON shows it, on the command line and over HTTP: how far it is, and what became of its rows. */
export function importJson(listed: ListedImport) {
  const { id, kind, feed, source, status, problems, lastError, createdAt, finishedAt, queued, tooOld } =
    listed;
  const { rowsTotal: total, rowsDone: done, rowsAdded: added, rowsBad: bad } = listed;
  const rows = { total, done, added, known: done - added - bad, bad };
  return { id, kind, feed, source, status, rows, queued, tooOld, problems, lastError, createdAt, finishedAt };
}
