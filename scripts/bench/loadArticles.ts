import { bulk, insertRows } from './loadRows.ts';
import type { Scene } from './shapes.ts';

const published = 1_000;
const dailyCap = 24;

/** What a tick that has nothing to do looks at in a workspace with a past: a daily cap, old publications, waits. */
export async function addHistory(scene: Scene, tickIntervalMs: number): Promise<void> {
  const { db, workspaceId, at } = scene;
  const age = `timestamptz '${at.toISOString()}' - n * interval '${tickIntervalMs} ms' - interval '2 days'`;
  const columns = { publish_status: "'published'", publish_attempts: '1' };
  await bulk(db, insertRows({ ...scene, from: 1, to: published, columns }));
  await bulk(
    db,
    `insert into publications (workspace_id, channel_id, route_article_id, url_key, generation, slot_at, state,
                               post, counted_at, sending_at, send_by, published_at)
     select workspace_id, channel_id, id, url_key, generation, ${age}, 'published', '{}', ${age}, ${age}, ${age}, ${age}
     from (select *, article_id as n from route_articles where workspace_id = ${workspaceId}) rows`,
  );
  await bulk(db, `update workspaces set daily_cap = ${dailyCap} where id = ${workspaceId}`);
  await db.raw('analyze');
}

/** Ready rows with their articles, which a claim reads. */
export async function addReadyArticles(scene: Scene, count: number): Promise<void> {
  const { db, workspaceId, at } = scene;
  const readAt = `timestamptz '${at.toISOString()}'`;
  const [from, to] = [published + 1, published + count];
  await bulk(
    db,
    `insert into articles (id, workspace_id, url, canonical_url, url_key, title, content_hash, published_at, first_seen_at)
     overriding system value
     select n, ${workspaceId}, 'https://news.example/' || n, 'https://news.example/' || n, md5(n::text)::uuid,
            'Article ' || n, md5(n::text)::uuid, ${readAt}, ${readAt}
     from generate_series(${from}, ${to}) n`,
  );
  await bulk(db, insertRows({ ...scene, from, to }));
  await db.raw('analyze');
}
