import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Reading, SourceRow } from '../../src/imports/SourceRow.ts';

/** Of what is never told to stop. */
export const { signal } = new AbortController();

type ArticleRow = Extract<SourceRow, { kind: 'article' }>;
type FeedRow = Extract<SourceRow, { kind: 'feed' }>;
type BadRow = Extract<SourceRow, { kind: 'bad' }>;

/** All that a reader says, sorted by what it is. */
export async function readAll(reading: Reading) {
  const rows: SourceRow[] = [];
  for await (const row of reading) rows.push(row);
  const last = rows.at(-1);
  return {
    articles: rows.filter((row): row is ArticleRow => row.kind === 'article').map(({ item }) => item),
    feeds: rows.filter((row): row is FeedRow => row.kind === 'feed').map(({ feed }) => feed),
    bad: rows
      .filter((row): row is BadRow => row.kind === 'bad')
      .map(({ row, reason }) => `${row}: ${reason}`),
    leftOut: rows.flatMap(row => (row.kind === 'left_out' ? row.what : [])),
    notes: rows.flatMap(row => (row.kind === 'note' ? row.text : [])),
    refusal: last?.kind === 'unreadable' ? last.reason : null,
  };
}

/** A folder of the test file's own. */
export function useFolder() {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headway-imports-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    path: (name: string) => join(folder, name),
    async write(name: string, content: string | Buffer): Promise<string> {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
  };
}
