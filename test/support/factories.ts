import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '../../src/database/Database.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');
let sequence = 0;

type Row = { id: number };
type Columns = Readonly<Record<string, unknown>>;

/** Inserts a workspace with a five-minute tick, no cap, no windows. Columns may be given by name. */
export async function createWorkspace(db: Database, columns: Columns = {}): Promise<number> {
  return insert(db, 'workspaces', { name: `workspace-${++sequence}`, created_at: longAgo, ...columns });
}

/** Inserts an open channel of the `fake` platform. */
export async function createChannel(
  db: Database,
  workspaceId: number,
  columns: Columns = {},
): Promise<number> {
  const name = `channel-${++sequence}`;
  return insert(db, 'channels', {
    workspace_id: workspaceId,
    name,
    platform: 'fake',
    instance: '',
    target: name,
    created_at: longAgo,
    ...columns,
  });
}

export async function createAccount(
  db: Database,
  workspaceId: number,
  columns: Columns = {},
): Promise<number> {
  const name = `account-${++sequence}`;
  return insert(db, 'accounts', {
    workspace_id: workspaceId,
    name,
    platform: 'fake',
    created_at: longAgo,
    ...columns,
  });
}

export async function createFeed(db: Database, workspaceId: number, columns: Columns = {}): Promise<number> {
  const name = `feed-${++sequence}`;
  return insert(db, 'feeds', {
    workspace_id: workspaceId,
    name,
    url: `https://${name}.example/feed.xml`,
    next_fetch_at: longAgo,
    created_at: longAgo,
    ...columns,
  });
}

export async function createArticle(
  db: Database,
  workspaceId: number,
  columns: Columns = {},
): Promise<number> {
  const url = `https://news.example/${++sequence}`;
  return insert(db, 'articles', {
    workspace_id: workspaceId,
    url,
    canonical_url: url,
    url_key: md5(url),
    title: `Article ${sequence}`,
    content_hash: md5(url),
    published_at: longAgo,
    first_seen_at: longAgo,
    ...columns,
  });
}

/** Inserts an approved, ready route article, with an article of its own unless `article_id` is given. */
export async function createRouteArticle(
  db: Database,
  { workspaceId, channelId }: { workspaceId: number; channelId: number },
  columns: Columns = {},
): Promise<number> {
  const articleId = columns.article_id ?? (await createArticle(db, workspaceId));
  const [article] = await db('articles').where({ id: articleId }).select('title', 'url_key');
  return insert(db, 'route_articles', {
    workspace_id: workspaceId,
    channel_id: channelId,
    article_id: articleId,
    title: article.title,
    text: article.title,
    text_hash: md5(article.title),
    approval_status: 'approved',
    url_key: article.url_key,
    post_key: randomUUID(),
    post_created_at: longAgo,
    created_at: longAgo,
    updated_at: longAgo,
    ...columns,
  });
}

/** Inserts `count` ready rows of one channel in one statement: a backlog. */
export async function createBacklog(
  db: Database,
  { workspaceId, channelId, count }: { workspaceId: number; channelId: number; count: number },
): Promise<void> {
  await db.raw(
    `with backlog as (
       insert into articles (workspace_id, url, url_key, title, content_hash, published_at, first_seen_at)
       select ?, 'https://backlog.example/' || n, md5(?::text || '/' || n)::uuid, 'Backlog ' || n, md5('')::uuid, ?, ?
       from generate_series(1, ?) n returning id, title, url_key)
     insert into route_articles (workspace_id, channel_id, article_id, title, text, text_hash, approval_status,
                                 url_key, post_key, post_created_at, created_at, updated_at)
     select ?, ?, id, title, title, md5('')::uuid, 'approved', url_key, gen_random_uuid(), ?, ?, ? from backlog`,
    [workspaceId, channelId, longAgo, longAgo, count, workspaceId, channelId, longAgo, longAgo, longAgo],
  );
  await db.raw('analyze route_articles');
}

/** The route article as stored, by column name. */
export async function routeArticle(db: Database, id: number) {
  return db('route_articles').where({ id }).first();
}

/** Which alerts were raised, oldest first. */
export async function alertKinds(db: Database): Promise<string[]> {
  const alerts: { kind: string }[] = await db('alerts').orderBy('id').select('kind');
  return alerts.map(({ kind }) => kind);
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

async function insert(db: Database, table: string, columns: Columns): Promise<number> {
  const [row] = await db(table).insert(columns).returning<Row[]>('id');
  if (!row) throw new Error(`nothing was inserted into ${table}`);
  return Number(row.id);
}
