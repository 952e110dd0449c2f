import type { Database } from '../database/Database.ts';
import {
  insertArticleKeys,
  insertArticles,
  type KnownArticle,
  type NewArticle,
  updateArticleTexts,
} from '../models/articles.ts';
import { markForEnrichment } from '../models/enrichment.ts';
import type { Feed } from '../models/feeds.ts';
import type { ApprovalHold } from '../models/insertRouteArticles.ts';
import { canonicalUrl } from '../network/canonicalUrl.ts';
import { followArticles } from '../routing/followArticles.ts';
import { type Routed, routeNewArticles } from '../routing/routeNewArticles.ts';
import type { LinkedItem } from './FeedItem.ts';
import { repeatedGuidKey } from './identityKeys.ts';
import type { Merged } from './mergeItems.ts';
import { findNamesakes, type NamedArticle } from './namesakes.ts';
import { oldestFirst } from './oldestFirst.ts';
import { recogniseItems } from './recogniseItems.ts';
import { selectFirstImport } from './selectFirstImport.ts';
import { believedDate, toArticle } from './toArticle.ts';

type Item = LinkedItem & { canonicalUrl: string | null };

export type StoreContext = {
  now: Date;
  newId: () => string;
  /** Default `oldest_first`: feeds put the newest on top. `as_given`: the caller has put them in order. */
  order?: 'oldest_first' | 'as_given';
  /** Why all that is new is held for approval, whatever the routes say. Default: it is not. */
  hold?: ApprovalHold | null;
  /** Whether what is known keeps its text, whatever is said of it now. Default: it follows. */
  keepsTexts?: boolean;
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
  items: readonly LinkedItem[],
  { now, newId, order = 'oldest_first', hold = null, keepsTexts = false }: StoreContext,
): Promise<Stored> {
  const withUrls = items.map(item => ({ ...item, canonicalUrl: item.url && canonicalUrl(item.url) }));
  const { fresh, seen, known, repeated } = await recogniseItems(db, feed.id, withUrls);

  const matched = await learnSeen(db, feed.id, seen, known, now);
  const changedArticles = keepsTexts ? 0 : await followChanges(db, matched, now);
  const articles = await insertFresh(db, feed, fresh, { now, order });
  await rememberRepeated(db, feed.id, repeated, articles);
  const namesakes = await holdNamesakes(db, feed.id, { articles, matched });
  const isFirst = feed.firstImportedAt === null;
  const chosen = isFirst
    ? selectFirstImport(articles, feed.firstImport, { now, emptyAt: feed.lastCompleteAt })
    : articles;
  const routable = chosen.map(article => ({ ...article, hold: hold ?? namesakes.get(article.id) ?? null }));
  const routed = await routeNewArticles(db, feed, routable, { now, newPostKey: newId });
  await markForEnrichment(db, hostsOf(articles, new Set(routed.toEnrich)));
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
    const given = inOrder[place];
    return id === undefined || given === undefined
      ? []
      : [{ ...article, id, keys: given.keys, item: given.item }];
  });
  const keys = stored.flatMap(({ id, keys }) => keys.map(key => ({ key, articleId: id })));
  await insertArticleKeys(db, feed.id, keys);
  return stored;
}

type Matched = KnownArticle & { item: Item; text: NewArticle };

/** Learns new keys of known articles. Returns which article each item of the document is. */
async function learnSeen(
  db: Database,
  feedId: number,
  seen: readonly Merged<Item>[],
  known: ReadonlyMap<string, KnownArticle>,
  now: Date,
): Promise<Matched[]> {
  const matched = seen.flatMap(({ item, keys }) => {
    const article = keys.map(key => known.get(key)).find(found => found !== undefined);
    return article === undefined ? [] : [{ ...article, item, keys, text: toArticle(item, feedId, now) }];
  });
  const aliases = matched.flatMap(({ articleId, keys }) =>
    keys.filter(key => !known.has(key)).map(key => ({ key, articleId })),
  );
  await insertArticleKeys(db, feedId, aliases);
  return matched;
}

/** Follows changes of known articles' text, and of what is still to go out of them. Returns how many changed. */
async function followChanges(db: Database, matched: readonly Matched[], now: Date): Promise<number> {
  // Two items of a document can turn out to be one known article: the first one's text counts. Were the second's
  // asked about as well, the article would change with every read, and so would what a person approved.
  const firsts = new Map([...matched].reverse().map(one => [one.articleId, one]));
  const changed = [...firsts.values()].filter(({ contentHash, text }) => contentHash !== text.contentHash);
  const texts = new Map(changed.map(({ articleId, text }) => [articleId, { ...text, articleId }]));
  await updateArticleTexts(db, [...texts.values()]);
  await followArticles(db, [...texts.keys()], { following: 'edited', now });
  return texts.size;
}

/** Makes the names of new articles known, and finds those that may be earlier ones. */
async function holdNamesakes(
  db: Database,
  feedId: number,
  {
    articles,
    matched,
  }: { articles: readonly (NewArticle & { id: number; item: Item })[]; matched: readonly Matched[] },
): Promise<ReadonlyMap<number, ApprovalHold>> {
  if (articles.length === 0) return new Map();
  const fresh: NamedArticle[] = articles.map(({ id, item }) => ({ articleId: id, item }));
  const { holds, keys } = await findNamesakes(db, feedId, { fresh, seen: matched });
  await insertArticleKeys(db, feedId, keys);
  return holds;
}

/** The hosts that are to be asked about these articles' pages. */
function hostsOf(articles: readonly { id: number; url: string | null }[], chosen: ReadonlySet<number>) {
  return articles.flatMap(({ id, url }) =>
    chosen.has(id) && url !== null && URL.canParse(url) ? [{ id, host: new URL(url).host }] : [],
  );
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
