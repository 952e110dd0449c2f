import { type Database, query } from '../database/Database.ts';

export type KeyedArticle = { key: string; articleId: number; title: string; url: string | null };

/** The articles that a feed has brought under any of these keys. */
export async function articlesByKey(
  db: Database,
  feedId: number,
  keys: readonly string[],
): Promise<KeyedArticle[]> {
  return keys.length === 0 ? [] : query<KeyedArticle>(db, selectByKey, [feedId, keys]);
}

// Lateral and limited, as in `known-articles`.
const selectByKey = {
  name: 'articles-by-key',
  text: `
    select wanted.key, found.id as "articleId", found.title, found.url
    from unnest($2::uuid[]) as wanted (key)
    cross join lateral (
      select k.article_id from article_keys k where k.feed_id = $1 and k.key = wanted.key limit 1) known
    cross join lateral (select a.id, a.title, a.url from articles a where a.id = known.article_id limit 1) found`,
};
