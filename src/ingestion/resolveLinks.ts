import type { Database } from '../database/Database.ts';
import { articlesByKey } from '../models/articlesByKey.ts';
import type { Feed } from '../models/feeds.ts';
import { activeRoutes } from '../models/routes.ts';
import { canonicalUrl } from '../network/canonicalUrl.ts';
import { matchesFilters } from '../routing/matchesFilters.ts';
import { believedEnds, type EarlierArticle } from './believedEnds.ts';
import type { FeedItem, LinkedItem } from './FeedItem.ts';
import { type FollowTools, followLinks } from './followLinks.ts';
import { urlIdentityKey } from './identityKeys.ts';
import { oldestFirst } from './oldestFirst.ts';
import { recogniseItems } from './recogniseItems.ts';
import { selectFirstImport } from './selectFirstImport.ts';
import { believedDate } from './toArticle.ts';

/** Followed in one read at most, the newest: a feed of thousands must not send us to thousands of pages. */
const mostLinks = 200;

/**
 * Follows the links of what is new in a read and will be queued, so that one story is one, whatever it was
 * wrapped in. Each is asked once: what is known by its link later is not asked again. What cannot be followed
 * keeps the address that its link has by itself. Holds no transaction; stores nothing.
 */
export async function resolveLinks(
  feed: Feed,
  items: readonly FeedItem[],
  { db, now, ...tools }: FollowTools & { db: Database; now: Date },
): Promise<readonly LinkedItem[]> {
  const asked = await newlyQueued(db, feed, items, now);
  const titles = new Map(asked.slice(-mostLinks).flatMap(({ url, title }) => (url ? [[url, title]] : [])));
  if (titles.size === 0) return items;

  const ends = await followLinks([...titles.keys()], tools);
  const followed = [...ends].map(([link, end]) => ({ link, end, title: titles.get(link) ?? '' }));
  const believed = believedEnds(followed, await earlierArticles(db, feed.id, [...ends.values()]));
  return items.map(item => ({ ...item, resolvedUrl: (item.url && believed.get(item.url)) ?? null }));
}

/** Oldest first: new to the feed, not of its baseline, not too old, and taken by one of its routes. */
async function newlyQueued(
  db: Database,
  { id, firstImport, firstImportedAt, lastCompleteAt, maxAgeMs }: Feed,
  items: readonly FeedItem[],
  now: Date,
): Promise<FeedItem[]> {
  const isFirst = firstImportedAt === null;
  if (isFirst && firstImport.mode === 'baseline' && lastCompleteAt === null) return [];
  const routes = await activeRoutes(db, id);
  if (routes.length === 0) return [];

  const withUrls = items.map(item => ({ ...item, canonicalUrl: item.url && canonicalUrl(item.url) }));
  const { fresh } = await recogniseItems(db, isFirst ? null : id, withUrls);
  const dated = fresh.map(({ item }) => ({ ...item, publishedAt: believedDate(item, now) }));
  const inOrder = oldestFirst(dated, now).map(item => {
    const { publishedAt } = item;
    return { ...item, publishedAt: publishedAt ?? now, isDated: publishedAt !== null };
  });
  const chosen = isFirst
    ? selectFirstImport(inOrder, firstImport, { now, emptyAt: lastCompleteAt })
    : inOrder;
  const oldestMs = maxAgeMs === null ? Number.NEGATIVE_INFINITY : now.getTime() - maxAgeMs;
  return chosen.filter(
    item => item.publishedAt.getTime() >= oldestMs && routes.some(route => matchesFilters(item, route)),
  );
}

async function earlierArticles(
  db: Database,
  feedId: number,
  ends: readonly string[],
): Promise<ReadonlyMap<string, EarlierArticle>> {
  const addresses = new Map(ends.map(end => [urlIdentityKey(canonicalUrl(end)), canonicalUrl(end)]));
  const articles = await articlesByKey(db, feedId, [...addresses.keys()]);
  return new Map(articles.map(({ key, ...article }) => [addresses.get(key) ?? '', article]));
}
