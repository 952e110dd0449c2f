import { open, stat } from 'node:fs/promises';
import { decodeFeed } from '../ingestion/decodeFeed.ts';
import { toFeedItem } from '../ingestion/toFeedItem.ts';
import type { ContentFile } from './ContentFile.ts';
import { folderFiles } from './folderFiles.ts';
import { markdownArticle } from './markdownArticle.ts';
import { fileProblem, findFileProblem } from './openFile.ts';
import type { Reading, SourceRow } from './SourceRow.ts';
import { type DateTally, tallyDates } from './tallyDates.ts';
import { tarFiles } from './tarFiles.ts';
import { zipFiles } from './zipFiles.ts';

export type MarkdownOptions = {
  /** Dates without an offset are read in it. */
  zone: string;
  /** What relative links are relative to; null: they are refused. */
  site: string | null;
  signal: AbortSignal;
};

const headBytes = 262;
/** Of an archive with entries, and of one without. */
const zipMarks = ['PK\x03\x04', 'PK\x05\x06'];

/** Reads a folder of Markdown files with front matter, or a zip or tar archive of one, each file an article. */
export async function* readMarkdown(path: string, options: MarkdownOptions): Reading {
  const dates = tallyDates(options.zone);
  for await (const file of contentFiles(path, options.signal)) {
    // Not all of what reads archives knows of signals.
    if (options.signal.aborted) return;
    if (file.kind === 'unreadable') return yield file;
    if (file.kind === 'file') yield readFile(file, { ...options, dates });
    else yield { kind: 'bad', row: file.row, reason: `${file.path}: ${file.reason}` };
  }
  for (const text of dates.notes()) yield { kind: 'note', text };
}

async function* contentFiles(path: string, signal: AbortSignal): AsyncGenerator<ContentFile> {
  const found = await stat(path).catch(fileProblem);
  if (typeof found === 'string') return yield { kind: 'unreadable', reason: found };
  if (found.isDirectory()) return yield* folderFiles(path);
  const problem = await findFileProblem(path);
  if (problem !== null) return yield { kind: 'unreadable', reason: problem };
  const head = await readHead(path);
  if (zipMarks.some(mark => head.startsWith(mark))) yield* zipFiles(path);
  else if (head.startsWith('\x1f\x8b')) yield* tarFiles(path, { isGzipped: true, signal });
  else if (head.startsWith('ustar', 257)) yield* tarFiles(path, { isGzipped: false, signal });
  else yield { kind: 'unreadable', reason: 'it is neither a folder nor a .zip, .tar or .tar.gz archive' };
}

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function readFile(
  { row, path, bytes }: Extract<ContentFile, { kind: 'file' }>,
  { zone, site, dates }: MarkdownOptions & { dates: DateTally },
): SourceRow {
  const { text } = decodeFeed(bytes, null);
  const read = markdownArticle(path, text, site);
  if (read.kind === 'left_out') return read;
  if (read.kind === 'bad') return { kind: 'bad', row, reason: `${path}: ${read.reason}` };
  const item = dates.doubtsOf(doubts => toFeedItem(read.raw, zone, doubts));
  return item === null
    ? { kind: 'bad', row, reason: `${path}: it has no text` }
    : { kind: 'article', row, item };
}
