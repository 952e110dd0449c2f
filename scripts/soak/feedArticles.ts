import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/database/Database.ts';
import { refusedTitle } from './answers.ts';
import type { Outlet } from './createWorkspaces.ts';
import { every } from './every.ts';
import type { Random } from './random.ts';

export type FeedOptions = {
  outlets: readonly Outlet[];
  /** Articles a second, over all workspaces. */
  rate: number;
  random: Random;
  /** Ends it. */
  signal: AbortSignal;
};

type Article = Outlet & { title: string; url: string };

const everyMs = 250;
const refusedShare = 0.01;
const duplicateShare = 0.02;

/**
 * Inserts approved articles, a few at a time, until the signal; resolves with how many. A few of them have a
 * link that their channel had before, and a few are of the kind that is refused.
 */
export async function feedArticles(db: Database, options: FeedOptions): Promise<number> {
  const { outlets, rate, random, signal } = options;
  const links = new Map<number, string>();
  const startedMs = performance.now();
  let fed = 0;
  await every(everyMs, signal, async () => {
    const due = Math.floor((rate * (performance.now() - startedMs)) / 1_000) - fed;
    const articles = Array.from({ length: due }, (_, index) => {
      return write(random.pick(outlets), { number: fed + index + 1, links, random });
    });
    if (articles.length > 0) await insert(db, articles);
    fed += articles.length;
  });
  return fed;
}

function write(
  outlet: Outlet,
  { number, links, random }: { number: number; links: Map<number, string>; random: Random },
): Article {
  const title = `${random.chance(refusedShare) ? refusedTitle : 'Article'} ${number}`;
  const before = random.chance(duplicateShare) ? links.get(outlet.channelId) : undefined;
  const url = before ?? `https://news.example/${number}`;
  links.set(outlet.channelId, url);
  return { ...outlet, title, url };
}

async function insert(db: Database, articles: readonly Article[]): Promise<void> {
  const now = systemClock.now();
  await db.raw(insertAll, [
    articles.map(({ workspaceId }) => workspaceId),
    articles.map(({ channelId }) => channelId),
    articles.map(({ title }) => title),
    articles.map(({ url }) => url),
    ...Array(5).fill(now),
  ]);
}

const insertAll = `
  with fed as (
    select * from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
      as fed (workspace_id, channel_id, title, url)),
  article as (
    insert into articles (workspace_id, url, canonical_url, url_key, title, content_hash, published_at, first_seen_at)
    select workspace_id, url, url, md5(url)::uuid, title, md5(title)::uuid, ?, ? from fed
    returning id, workspace_id, title, url_key)
  insert into route_articles (workspace_id, channel_id, article_id, title, text, text_hash, approval_status,
                              url_key, post_key, post_created_at, created_at, updated_at)
  select fed.workspace_id, channel_id, article.id, title, title, md5(title)::uuid, 'approved',
         url_key, gen_random_uuid(), ?, ?, ?
  from fed join article using (title)`;
