import type { Database } from '../database/Database.ts';
import {
  type ApprovalHold,
  insertRouteArticles,
  type NewRouteArticle,
} from '../models/insertRouteArticles.ts';
import { activeRoutes, type Route } from '../models/routes.ts';
import { textHash } from '../models/textHash.ts';
import { matchesFilters } from './matchesFilters.ts';
import { renderTemplate } from './renderTemplate.ts';

export type RoutedFeed = {
  id: number;
  workspaceId: number;
  name: string;
  /** Null: no limit. */
  maxAgeMs: number | null;
  /** How long at most an article waits for what its page says of it; null: its page is not asked. */
  enrichWithinMs: number | null;
};

export type RoutedArticle = {
  id: number;
  title: string;
  url: string | null;
  summary: string | null;
  author: string | null;
  tags: readonly string[];
  urlKey: string;
  publishedAt: Date;
  /** Why a person is asked, whatever its routes say; null: they decide. */
  hold: ApprovalHold | null;
};

export type Routed = {
  /** Of the queued ones: held for approval for a reason of their own. */
  held: number;
  /** The articles of which something waits for what their pages say. */
  toEnrich: readonly number[];
  /** Route articles that can still go out, approved or not. */
  queued: number;
  /** Route articles that were skipped at once: older than the feed's maximum age. */
  tooOld: number;
};

/**
 * Makes a route article of every (article, route) pair that matches, in the articles' order: callers give the
 * oldest first. `newPostKey` makes a random uuid for each.
 */
export async function routeNewArticles(
  db: Database,
  feed: RoutedFeed,
  articles: readonly RoutedArticle[],
  { now, newPostKey }: { now: Date; newPostKey: () => string },
): Promise<Routed> {
  if (articles.length === 0) return { queued: 0, tooOld: 0, held: 0, toEnrich: [] };
  const routes = await activeRoutes(db, feed.id);
  const rows = articles.flatMap(article =>
    routes
      .filter(route => matchesFilters(article, route))
      .map(route => routeArticle(article, route, feed, { now, postKey: newPostKey() })),
  );
  const inserted = await insertRouteArticles(db, { workspaceId: feed.workspaceId, now }, rows);
  const tooOld = rows.filter(row => row.isTooOld).length;
  const held = rows.filter(row => row.hold !== null).length;
  const toEnrich = new Set(rows.filter(row => row.wait !== null).map(row => row.articleId));
  return { queued: Math.max(0, inserted - tooOld), tooOld, held, toEnrich: [...toEnrich] };
}

function routeArticle(
  article: RoutedArticle,
  route: Route,
  feed: RoutedFeed,
  { now, postKey }: { now: Date; postKey: string },
): NewRouteArticle {
  const { title, url, urlKey } = article;
  const text = renderTemplate(route.template, { ...article, feed: feed.name });
  const isTooOld = feed.maxAgeMs !== null && now.getTime() - article.publishedAt.getTime() > feed.maxAgeMs;
  const hold = isTooOld ? null : article.hold;
  return {
    channelId: route.channelId,
    articleId: article.id,
    routeId: route.id,
    title,
    text,
    textHash: textHash({ title, text, url }),
    isApproved: route.approval === 'auto' && hold === null,
    hold,
    wait: isTooOld ? null : enrichmentWait(article, feed, now),
    isTooOld,
    priority: route.priority,
    urlKey,
    postKey,
  };
}

function enrichmentWait(
  { url }: RoutedArticle,
  { enrichWithinMs }: RoutedFeed,
  now: Date,
): NewRouteArticle['wait'] {
  if (enrichWithinMs === null || url === null || !URL.canParse(url)) return null;
  return { until: new Date(now.getTime() + enrichWithinMs), code: 'enriching' };
}
