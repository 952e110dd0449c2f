import type { Database } from '../../src/database/Database.ts';
import { query } from '../../src/database/Database.ts';
import { createScene } from './createScene.ts';
import { bulk, insertRows, maintain } from './loadRows.ts';

/** A database with so many articles that were read and published, ready for more. */
export type IngestScene = {
  db: Database;
  /** How many articles it began with. */
  stored: number;
  /** Half of them are read, the others are copied to. All have their share of the stored articles. */
  feedIds: readonly number[];
};

export const readAt = new Date('2026-11-01T12:00:00Z');

const feeds = 100;
const routesEach = 2;

/**
 * Fills a migrated database: a hundred feeds with two automatic routes each and `stored` articles between them,
 * each with three keys and two published route articles. Expects a pool of one connection.
 */
export async function createIngestScene(db: Database, stored: number): Promise<IngestScene> {
  const { workspaceId, channelIds } = await createScene(db, readAt);
  const rows = await query<{ id: number }>(db, insertFeeds, [workspaceId, readAt, feeds]);
  const feedIds = rows.map(({ id }) => id).sort((a, b) => a - b);
  const routed = channelIds.slice(0, routesEach);
  await query(db, insertRoutes, [workspaceId, readAt, feedIds, routed]);

  const feedOf = `(array[${feedIds.join()}])[1 + n % ${feedIds.length}]`;
  await bulk(db, insertArticles(workspaceId, feedOf, stored));
  for (const kind of ['guid', 'url', 'title']) await bulk(db, insertKeys(kind, feedOf, stored));
  const columns = { publish_status: "'published'", publish_attempts: '1' };
  for (const id of routed) {
    await bulk(db, insertRows({ workspaceId, channelIds: [id], from: 1, to: stored, columns }));
  }
  await bulk(db, "select setval(pg_get_serial_sequence('articles', 'id'), max(id)) from articles");
  await maintain(db, 'vacuum (analyze) articles, article_keys, route_articles');
  await maintain(db, 'checkpoint');
  return { db, stored, feedIds };
}

// Read a quarter of an hour ago: what is new now is no first import, and nothing was missed in between.
const insertFeeds = {
  name: 'bench-insert-feeds',
  text: `
    insert into feeds (workspace_id, name, url, first_import, first_imported_at, last_complete_at, next_fetch_at, created_at)
    select $1, 'feed ' || n, 'https://news.example/' || n, '{"mode": "all"}', $2::timestamptz - interval '15 minutes',
           $2::timestamptz - interval '15 minutes', $2, $2
    from generate_series(1, $3::int) n returning id`,
};

const insertRoutes = {
  name: 'bench-insert-routes',
  text: `
    insert into routes (workspace_id, feed_id, channel_id, approval, created_at)
    select $1, feed, channel, 'auto', $2 from unnest($3::bigint[]) feed, unnest($4::bigint[]) channel`,
};

function insertArticles(workspaceId: number, feedOf: string, stored: number): string {
  const at = "timestamptz '2026-01-01 00:00Z' + n * interval '1 second'";
  const url = "'https://news.example/stored/' || n";
  return `
    insert into articles (id, workspace_id, feed_id, guid, url, canonical_url, url_key, title, summary,
                          content_hash, published_at, first_seen_at)
    overriding system value
    select n, ${workspaceId}, ${feedOf}, n::text, ${url}, ${url}, md5(n::text)::uuid, 'Article ' || n,
           repeat('word ', 50), md5(n::text)::uuid, ${at}, ${at}
    from generate_series(1, ${stored}) n`;
}

// In the order of the index: half the time at a million.
function insertKeys(kind: string, feedOf: string, stored: number): string {
  return `
    insert into article_keys (feed_id, key, article_id)
    select ${feedOf} as feed, md5('${kind}' || n)::uuid as key, n from generate_series(1, ${stored}) n
    order by feed, key`;
}
