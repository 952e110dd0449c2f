import type { Database } from '../../src/database/Database.ts';
import type { PageMetadata } from '../../src/enrichment/readPage.ts';
import type { FetchResult } from '../../src/network/guardedFetch.ts';
import { createArticle, createChannel, createRouteArticle, createWorkspace } from '../support/factories.ts';

type Columns = Readonly<Record<string, unknown>>;

export const emptyPage: PageMetadata = {
  description: null,
  author: null,
  language: null,
  siteName: null,
  pageUrl: null,
  image: null,
};

/** Until when what is queued of an article waits for its page. */
export const waitUntil = new Date('2026-09-07T12:10:00Z');

/** Inserts an article that is to be enriched, with a route article that waits for it. */
export async function createWaiting(db: Database, url: string, columns: Columns = {}, queued: Columns = {}) {
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  const articleId = await createArticle(db, workspaceId, {
    url,
    enrichment_status: 'pending',
    enrichment_host: new URL(url).host,
    ...columns,
  });
  const waiting = { article_id: articleId, next_attempt_at: waitUntil, last_error_code: 'enriching' };
  const routeArticleId = await createRouteArticle(db, { workspaceId, channelId }, { ...waiting, ...queued });
  return { articleId, routeArticleId };
}

/** A server's answer with an HTML page. */
export function pageAnswer({
  status = 200,
  headers = {},
  body = '<html>',
}: {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
} = {}): FetchResult {
  return {
    kind: 'answered',
    status,
    headers: { 'content-type': 'text/html', ...headers },
    body: Buffer.from(body),
    url: 'https://a.test/',
    movedTo: null,
  };
}

/** A robots.txt that says nothing. */
export const allowed = { verdict: async () => ({ kind: 'allowed' as const, crawlDelayMs: 0 }) };
