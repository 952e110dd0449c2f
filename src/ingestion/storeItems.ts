import type { Database } from '../database/Database.ts';
import {
  insertArticleKeys,
  insertArticles,
  type KnownArticle,
  updateArticleTexts,
} from '../models/articles.ts';
import type { Feed } from '../models/feeds.ts';
import { canonicalUrl } from '../network/canonicalUrl.ts';
import { type Routed, routeNewArticles } from '../routing/routeNewArticles.ts';
import type { FeedItem } from './FeedItem.ts';
import { repeatedGuidKey } from './identityKeys.ts';
import type { Merged } from './mergeItems.ts';
import { oldestFirst } from './oldestFirst.ts';
import { recogniseItems } from './recogniseItems.ts';
import { selectFirstImport } from './selectFirstImport.ts';
import { believedDate, toArticle } from './toArticle.ts';

type Item = FeedItem & { canonicalUrl: string | null };

export type StoreContext = {
  now: Date;
  newId: () => string;
  /** Default `oldest_first`: feeds put the newest on top. `as_given`: the caller has put them in order. */
  order?: 'oldest_first' | 'as_given';
};
export type Stored = Routed & { newArticles: number; changedArticles: number };

/**
 * Stores what a complete read of a feed brought, and routes what is new, in the caller's transaction and in
 * statements over whole sets. What was ever seen is new never again, however the feed is reordered, emptied
 * or filled up; of the first read only what the feed's `firstImport` chooses is routed.
 */
export async function storeItems(
  db: Database,
  feed: Feed,
  items: readonly FeedItem[],
  { now, newId, order = 'oldest_first' }: StoreContext,
): Promise<Stored> {
  const withUrls = items.map(item => ({ ...item, canonicalUrl: item.url && canonicalUrl(item.url) }));
  const { fresh, seen, known, repeated } = await recogniseItems(db, feed.id, withUrls);

  const changedArticles = await followSeen(db, feed.id, seen, known, now);
  const articles = await insertFresh(db, feed, fresh, { now, order });
  await rememberRepeated(db, feed.id, repeated, articles);
  const isFirst = feed.firstImportedAt === null;
  const routable = isFirst ? selectFirstImport(articles, feed.firstImport, now) : articles;
  const routed = await routeNewArticles(db, feed, routable, { now, newPostKey: newId });
  return { ...routed, newArticles: articles.length, changedArticles };
}

async function insertFresh(
  db: Database,
  feed: Feed,
  fresh: readonly Merged<Item>[],
  { now, order }: Required<Pick<StoreContext, 'now' | 'order'>>,
) {
  const dated = fresh.map(({ item, keys }) => ({ item, keys, publishedAt: believedDate(item, now) }));
  const inOrder = order === 'as_given' ? dated : oldestFirst(dated, now);
  const articles = inOrder.map(({ item }) => toArticle(item, feed.id, now));
  const ids = await insertArticles(db, { workspaceId: feed.workspaceId, feedId: feed.id, now }, articles);
  const stored = articles.flatMap((article, place) => {
    const id = ids[place];
    return id === undefined ? [] : [{ ...article, id, keys: inOrder[place]?.keys ?? [] }];
  });
  const keys = stored.flatMap(({ id, keys }) => keys.map(key => ({ key, articleId: id })));
  await insertArticleKeys(db, feed.id, keys);
  return stored;
}

/** Learns new keys of known articles, and follows changes of their text. Returns how many changed. */
async function followSeen(
  db: Database,
  feedId: number,
  seen: readonly Merged<Item>[],
  known: ReadonlyMap<string, KnownArticle>,
  now: Date,
): Promise<number> {
  const matched = seen.flatMap(({ item, keys }) => {
    const article = keys.map(key => known.get(key)).find(found => found !== undefined);
    return article === undefined ? [] : [{ ...article, keys, text: toArticle(item, feedId, now) }];
  });
  const aliases = matched.flatMap(({ articleId, keys }) =>
    keys.filter(key => !known.has(key)).map(key => ({ key, articleId })),
  );
  await insertArticleKeys(db, feedId, aliases);
  const changed = matched.filter(({ contentHash, text }) => contentHash !== text.contentHash);
  // Two items of a document can turn out to be one known article: the first one's text counts.
  const texts = new Map(changed.reverse().map(({ articleId, text }) => [articleId, { ...text, articleId }]));
  await updateArticleTexts(db, [...texts.values()]);
  return texts.size;
}

/** Hangs the memory of each repeated guid on one of the articles that bear it. */
async function rememberRepeated(
  db: Database,
  feedId: number,
  repeated: ReadonlySet<string>,
  articles: readonly { id: number; guid: string | null }[],
): Promise<void> {
  const marks = articles.flatMap(({ id, guid }) =>
    guid !== null && repeated.has(guid) ? [{ key: repeatedGuidKey(guid), articleId: id }] : [],
  );
  await insertArticleKeys(db, feedId, marks);
}
