import { expect, it } from 'vitest';
import { transact } from '../../src/database/transact.ts';
import { queuedTexts } from '../../src/models/queuedTexts.ts';
import { createRoute } from '../ingestion/scene.ts';
import { useDatabase } from '../support/database.ts';
import {
  createArticle,
  createChannel,
  createFeed,
  createRouteArticle,
  createWorkspace,
} from '../support/factories.ts';

const database = useDatabase();

it('keeps what it has read from being approved before the new text is there', async () => {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  const feedId = await createFeed(db, workspaceId);
  await createRoute(db, { workspaceId, feedId, channelId });
  const route = await db('routes').first();
  const articleId = await createArticle(db, workspaceId, { feed_id: feedId });
  const columns = { article_id: articleId, route_id: route.id, approval_status: 'pending' };
  const id = await createRouteArticle(db, { workspaceId, channelId }, columns);
  const free = () => db('route_articles').select('id').forUpdate().skipLocked();

  const [texts, during] = await transact(db, async transaction => [
    await queuedTexts(transaction, [articleId]),
    await free(),
  ]);

  expect(texts).toMatchObject([{ id, isApproved: false }]);
  expect(during).toEqual([]);
  expect(await free()).toEqual([{ id }]);
});
