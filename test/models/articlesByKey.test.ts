import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database/Database.ts';
import { insertArticleKeys, knownArticles } from '../../src/models/articles.ts';
import { articlesByKey } from '../../src/models/articlesByKey.ts';
import { useDatabase } from '../support/database.ts';
import { createArticle, createFeed, createWorkspace } from '../support/factories.ts';

const database = useDatabase();
type LookUp = (db: Database, feedId: number, keys: readonly string[]) => Promise<unknown>;

it.each<[string, LookUp, number]>([
  ['knownArticles', async (...asked) => (await knownArticles(...asked)).size, 15_000],
  ['articlesByKey', async (...asked) => (await articlesByKey(...asked)).length, 15_000],
])('%s finds thousands of keys by a plan that was made for one', async (_name, lookUp, expected) => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const feedId = await createFeed(db, workspaceId);
  const articleId = await createArticle(db, workspaceId, { feed_id: feedId });
  const keys = Array.from({ length: expected }, () => randomUUID());
  const add = (to: Database, some: readonly string[]) =>
    insertArticleKeys(
      to,
      feedId,
      some.map(key => ({ key, articleId })),
    );
  await add(db, keys.slice(0, 1));
  await db.raw('analyze articles, article_keys');
  await db.transaction(async trx => {
    await trx.raw("set local plan_cache_mode = 'force_generic_plan'");
    await lookUp(trx, feedId, keys.slice(0, 1));
    await add(trx, keys.slice(1));
    await trx.raw("set local statement_timeout = '5s'");

    const found = await lookUp(trx, feedId, keys);

    expect(found).toBe(expected);
  });
});
