import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Database } from '../database/Database.ts';
import { importJson } from '../imports/importJson.ts';
import { type GoodRow, type ReadingSummary, readThrough } from '../imports/readThrough.ts';
import type { Reading } from '../imports/SourceRow.ts';
import { type Staged, stageImport } from '../imports/stageImport.ts';
import type { ListedImport, NewImport } from '../models/imports.ts';
import { failed, wrongUse } from './CliError.ts';
import { describeImport, describeProblems, describeReading } from './describeImport.ts';
import { print, printJson } from './output.ts';
import { startProgress } from './progress.ts';
import { complaint, runImport } from './runImport.ts';
import type { CommandContext } from './withApp.ts';

export type FileImport = {
  file: string;
  workspaceId: number;
  kind: NewImport['kind'];
  options: NewImport['options'];
  reading: Reading;
  /** The feed that articles go into, in the transaction that takes them in; null for feeds. */
  takeFeed: ((trx: Database) => Promise<number>) | null;
  /** The feed that is made for them; null: none is. */
  madeFeed: string | null;
};

const sampleSize = 5;

/** Throws a `CliError` (exit 2) for a file that is not there, before anything else is looked at. */
export async function refuseMissing(file: string): Promise<void> {
  await stat(file).catch(() => {
    throw wrongUse(`${file} cannot be read: is it there, and may this user read it?`);
  });
}

/** Reads a file and says what it holds; changes nothing. */
export async function previewFile(
  { signal }: CommandContext,
  { file, reading }: FileImport,
  { json }: { json?: boolean },
): Promise<void> {
  const sample: GoodRow[] = [];
  const onRow = (row: GoodRow) => {
    if (sample.length < sampleSize) sample.push(row);
  };
  const progress = startReading(file);
  const read = await readThrough(reading, { signal, onRow, ...progress }).finally(progress.end);
  if (read.kind !== 'read') throw refusal(file, read, json);
  const { total, bad, problems, leftOut, notes } = read;
  if (json)
    return printJson({ rows: { total, bad }, problems, leftOut, notes, sample: sample.map(shownRow) });
  print(
    `${basename(file)}: ${total - bad} of ${total} rows can be imported. This was a look: nothing was changed.`,
  );
  for (const line of [...describeReading(read), ...describeProblems(problems, bad)]) print(line);
  for (const row of sample) print(`  row ${row.row} would be ${JSON.stringify(shownRow(row))}`);
}

/**
 * Reads a file into the database and puts its rows in, or watches another process do that. Throws a `CliError`
 * (exit 1) where it cannot be read, was interrupted, or where rows could not be imported: the others are in.
 */
export async function importFile(
  context: CommandContext,
  wanted: FileImport,
  { json }: { json?: boolean },
): Promise<void> {
  const staged = await stageFile(context, wanted);
  if (staged.kind !== 'staged') throw refusal(wanted.file, staged, json);
  const ended = await runImport(context, staged.importId);
  tell(ended, staged, json);
  if (!json && wanted.madeFeed !== null) print(afterMaking(wanted.madeFeed));
  if (ended.status === 'done' && ended.rowsBad === 0) return;
  throw failed(complaint(ended, context.signal));
}

function stageFile({ app, clock, signal }: CommandContext, wanted: FileImport): Promise<Staged> {
  const { file, reading, workspaceId, kind, options, takeFeed } = wanted;
  const source = basename(resolve(file)).slice(0, 200);
  const { onProgress, end } = startReading(file);
  const prepare = async (trx: Database) => {
    const feedId = takeFeed && (await takeFeed(trx));
    return { workspaceId, kind, feedId, source, options };
  };
  return stageImport(app.db, reading, prepare, { clock, signal, onProgress }).finally(end);
}

function startReading(file: string): { onProgress: (rows: number) => void; end: () => void } {
  let count = 0;
  const { end } = startProgress(() => `reading ${basename(file)}: ${count} rows`);
  return {
    end,
    onProgress: rows => {
      count = rows;
    },
  };
}

function tell(ended: ListedImport, read: ReadingSummary, json: boolean | undefined): void {
  if (json) {
    printJson({ import: importJson(ended), leftOut: read.leftOut, notes: read.notes });
    return;
  }
  const [first = '', ...others] = describeImport(ended);
  for (const line of [first, ...describeReading(read), ...others]) print(line);
  if (ended.kind === 'opml' && ended.rowsAdded > 0) print(afterFeeds);
}

function refusal(
  file: string,
  read: { kind: 'unreadable'; reason: string } | { kind: 'stopped' },
  json: boolean | undefined,
) {
  if (read.kind === 'stopped') return failed('Interrupted: nothing was imported.');
  if (json) printJson({ error: read.reason });
  return failed(`${file} cannot be imported: ${read.reason}.`);
}

function shownRow(row: GoodRow) {
  if (row.kind === 'feed') return row.feed;
  const { title, url, publishedAt, tags } = row.item;
  return { title, url, publishedAt, tags };
}

function afterMaking(feed: string): string {
  return `  The feed "${feed}" was made for them, and its routes. "headway export" prints a config.yaml that names it: one
  that is applied without it archives it.`;
}

const afterFeeds = `  No route leads from them yet. "headway export" prints a config.yaml that names them: one that is applied
  without them archives them.`;
