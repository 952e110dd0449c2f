import { type Database, execute, query } from '../database/Database.ts';

/** An article's own text: what a feed may still change. */
export type ArticleText = {
  title: string;
  summary: string | null;
  content: string | null;
  author: string | null;
  language: string | null;
  tags: readonly string[];
  imageUrl: string | null;
  imageAlt: string | null;
  /** Of all of the above. */
  contentHash: string;
};

export type NewArticle = ArticleText & {
  guid: string | null;
  url: string | null;
  canonicalUrl: string | null;
  urlKey: string;
  /** The feed's date, or the time first seen. */
  publishedAt: Date;
  isDated: boolean;
};

export type KnownArticle = { articleId: number; contentHash: string };

/** Which of these keys the feed has used before, and for which article. */
export async function knownArticles(
  db: Database,
  feedId: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, KnownArticle>> {
  if (keys.length === 0) return new Map();
  const rows = await query<KnownArticle & { key: string }>(db, selectKnown, [feedId, keys]);
  return new Map(rows.map(({ key, articleId, contentHash }) => [key, { articleId, contentHash }]));
}

// Lateral and limited, so that each key is looked up by itself: planned while the feed had few articles, a join
// compares every article of the feed with every key, and is still in use when there are twenty thousand of both.
const selectKnown = {
  name: 'known-articles',
  text: `
    select wanted.key, found.id as "articleId", found.content_hash as "contentHash"
    from unnest($2::uuid[]) as wanted (key)
    cross join lateral (
      select k.article_id from article_keys k where k.feed_id = $1 and k.key = wanted.key limit 1) known
    cross join lateral (select a.id, a.content_hash from articles a where a.id = known.article_id limit 1) found`,
};

/** Stores a feed's new articles in the order given, in one statement. Returns their ids in that order. */
export async function insertArticles(
  db: Database,
  { workspaceId, feedId, now }: { workspaceId: number; feedId: number; now: Date },
  articles: readonly NewArticle[],
): Promise<number[]> {
  if (articles.length === 0) return [];
  const rows = await query<{ id: number }>(db, insertMany, [
    workspaceId,
    feedId,
    now,
    articles.map(article => article.guid),
    articles.map(article => article.url),
    articles.map(article => article.canonicalUrl),
    articles.map(article => article.urlKey),
    articles.map(article => article.publishedAt),
    articles.map(article => article.isDated),
    ...textColumns(articles),
  ]);
  // Ids are drawn in the order of insertion, but nothing promises the order of the answer.
  return rows.map(row => row.id).sort((a, b) => a - b);
}

function textColumns(texts: readonly ArticleText[]) {
  return [
    texts.map(text => text.title),
    texts.map(text => text.summary),
    texts.map(text => text.content),
    texts.map(text => text.author),
    texts.map(text => text.language),
    texts.map(text => JSON.stringify(text.tags)),
    texts.map(text => text.imageUrl),
    texts.map(text => text.imageAlt),
    texts.map(text => text.contentHash),
  ];
}

// Lists of different lengths make no array of arrays: each row's tags travel as JSON.
const tagsOf = (row: string) =>
  `array(select tag from jsonb_array_elements_text(${row}.tags::jsonb) with ordinality as t (tag, place) order by place)`;

const insertMany = {
  name: 'insert-articles',
  text: `
    insert into articles
      (workspace_id, feed_id, first_seen_at, guid, url, canonical_url, url_key, published_at, is_dated,
       title, summary, content, author, language, tags, image_url, image_alt, content_hash)
    select $1, $2, $3, n.guid, n.url, n.canonical_url, n.url_key, n.published_at, n.is_dated,
           n.title, n.summary, n.content, n.author, n.language, ${tagsOf('n')}, n.image_url, n.image_alt, n.content_hash
    from unnest($4::text[], $5::text[], $6::text[], $7::uuid[], $8::timestamptz[], $9::boolean[], $10::text[],
                $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::uuid[])
      with ordinality as n (guid, url, canonical_url, url_key, published_at, is_dated, title,
                            summary, content, author, language, tags, image_url, image_alt, content_hash, place)
    order by n.place
    returning id`,
};

/** Makes keys mean an article of the feed; a key that is taken stays with the article that has it. */
export async function insertArticleKeys(
  db: Database,
  feedId: number,
  keys: readonly { key: string; articleId: number }[],
): Promise<void> {
  if (keys.length === 0) return;
  await execute(db, insertKeys, [feedId, keys.map(({ key }) => key), keys.map(({ articleId }) => articleId)]);
}

const insertKeys = {
  name: 'insert-article-keys',
  text: `
    insert into article_keys (feed_id, key, article_id)
    select $1, n.key, n.article_id from unnest($2::uuid[], $3::bigint[]) as n (key, article_id)
    on conflict do nothing`,
};

/**
 * Follows a feed that changed the text of known articles. What a page filled in stays where the feed still says
 * nothing.
 */
export async function updateArticleTexts(
  db: Database,
  texts: readonly (ArticleText & { articleId: number })[],
): Promise<void> {
  if (texts.length === 0) return;
  await execute(db, updateTexts, [texts.map(text => text.articleId), ...textColumns(texts)]);
}

const unlessFilledIn = (column: string) =>
  `coalesce(n.${column}, case when a.enrichment_status = 'done' then a.${column} end)`;
const hasSameImage = `a.image_url is not distinct from ${unlessFilledIn('image_url')}`;

const updateTexts = {
  name: 'update-article-texts',
  text: `
    update articles a
    set title = n.title, summary = ${unlessFilledIn('summary')}, content = n.content,
        author = ${unlessFilledIn('author')}, language = ${unlessFilledIn('language')}, tags = ${tagsOf('n')},
        image_url = ${unlessFilledIn('image_url')},
        image_alt = case when ${hasSameImage} then ${unlessFilledIn('image_alt')} else n.image_alt end,
        image_width = case when ${hasSameImage} then a.image_width end,
        image_height = case when ${hasSameImage} then a.image_height end,
        content_hash = n.content_hash
    from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                $8::text[], $9::text[], $10::uuid[])
      as n (id, title, summary, content, author, language, tags, image_url, image_alt, content_hash)
    where a.id = n.id`,
};
