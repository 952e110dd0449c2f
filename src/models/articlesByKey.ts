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

const selectByKey = {
  name: 'articles-by-key',
  text: `
    select k.key, a.id as "articleId", a.title, a.url
    from unnest($2::uuid[]) as wanted (key)
    join article_keys k on k.feed_id = $1 and k.key = wanted.key
    join articles a on a.id = k.article_id`,
};
