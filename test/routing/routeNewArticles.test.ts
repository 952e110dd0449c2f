import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { routeNewArticles } from '../../src/routing/routeNewArticles.ts';
import { useDatabase } from '../support/database.ts';
import { createArticle, createChannel, createFeed, createWorkspace } from '../support/factories.ts';

const database = useDatabase();
const now = new Date('2026-09-07T12:00:00Z');
const hourMs = 3_600_000;

async function scene() {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  const feedId = await createFeed(db, workspaceId);
  const route = {
    workspace_id: workspaceId,
    feed_id: feedId,
    channel_id: channelId,
    approval: 'auto',
    created_at: now,
  };
  await db('routes').insert(route);
  const article = async (publishedAt: Date) => ({
    id: await createArticle(db, workspaceId, { feed_id: feedId }),
    title: 'Title',
    url: 'https://blog.test/1',
    summary: null,
    author: null,
    tags: [],
    urlKey: randomUUID(),
    publishedAt,
    hold: null,
  });
  return { feed: { id: feedId, workspaceId, name: 'Blog', maxAgeMs: hourMs, enrichWithinMs: null }, article };
}

describe('routeNewArticles', () => {
  it('shows what is too old as skipped, and takes exactly the maximum age', async () => {
    const { feed, article } = await scene();
    const justOver = await article(new Date(now.getTime() - hourMs - 1));
    const exactly = await article(new Date(now.getTime() - hourMs));

    const routed = await routeNewArticles(database.db, feed, [justOver, exactly], {
      now,
      newPostKey: randomUUID,
    });

    expect(routed).toEqual({ queued: 1, tooOld: 1, held: 0, toEnrich: [] });
    const rows = await database.db('route_articles').orderBy('id');
    expect(
      rows.map(row => [row.article_id, row.publish_status, row.skip_reason, row.publish_attempts]),
    ).toEqual([
      [justOver.id, 'skipped', 'too_old', 4],
      [exactly.id, 'pending', null, 0],
    ]);
  });

  it('routes an article to a channel once', async () => {
    const { feed, article } = await scene();
    const articles = [await article(now)];

    await routeNewArticles(database.db, feed, articles, { now, newPostKey: randomUUID });
    const again = await routeNewArticles(database.db, feed, articles, { now, newPostKey: randomUUID });

    expect(again).toEqual({ queued: 0, tooOld: 0, held: 0, toEnrich: [] });
    expect(await database.db('route_articles')).toHaveLength(1);
  });
});
