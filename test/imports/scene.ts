import type { Database } from '../../src/database/Database.ts';
import { recordOfArticle } from '../../src/imports/records.ts';
import type { FeedItem } from '../../src/ingestion/FeedItem.ts';
import { insertImportRows } from '../../src/models/importRows.ts';

type Columns = Readonly<Record<string, unknown>>;

/** An article of which only some is given. */
export function articleOf(given: Partial<FeedItem> = {}): FeedItem {
  return {
    guid: null,
    url: null,
    title: 'Untitled',
    summary: null,
    content: null,
    author: null,
    tags: [],
    imageUrl: null,
    imageAlt: null,
    language: null,
    publishedAt: null,
    source: null,
    ...given,
  };
}

/** Inserts an import of articles that were read and are still to be put in. */
export async function createImport(
  db: Database,
  {
    workspaceId,
    feedId,
    articles,
  }: { workspaceId: number; feedId: number; articles: readonly Partial<FeedItem>[] },
  columns: Columns = {},
): Promise<number> {
  const [row] = await db('imports')
    .insert({
      workspace_id: workspaceId,
      feed_id: feedId,
      kind: 'csv',
      source: 'articles.csv',
      options: JSON.stringify({ mode: 'route' }),
      rows_total: articles.length,
      created_at: new Date('2026-09-07T11:00:00Z'),
      ...columns,
    })
    .returning('id');
  const id = Number(row.id);
  const rows = articles.map((article, place) => ({
    row: place + 2,
    sortAt: article.publishedAt ?? null,
    record: recordOfArticle(articleOf(article)),
  }));
  await insertImportRows(db, id, rows);
  return id;
}
