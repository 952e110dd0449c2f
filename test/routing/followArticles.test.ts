import { expect, it } from 'vitest';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { followArticles } from '../../src/routing/followArticles.ts';
import { createRoute } from '../ingestion/scene.ts';
import { useDatabase } from '../support/database.ts';
import {
  createArticle,
  createChannel,
  createFeed,
  createRouteArticle,
  createWorkspace,
  routeArticle,
} from '../support/factories.ts';

const database = useDatabase();
const now = new Date('2026-09-07T12:00:00Z');

/** A route article of a route without approval, of which the page has filled in the summary since. */
async function filledIn(columns: Readonly<Record<string, unknown>>) {
  const { db } = database;
  const workspaceId = await createWorkspace(db);
  const channelId = await createChannel(db, workspaceId);
  const feedId = await createFeed(db, workspaceId);
  const template = '{{ title }}: {{ summary }}';
  await createRoute(db, { workspaceId, feedId, channelId }, { approval: 'auto', template });
  const { id: routeId } = await db('routes').first();
  const article = { feed_id: feedId, title: 'Bare', summary: 'What the page says' };
  const articleId = await createArticle(db, workspaceId, article);
  const row = { article_id: articleId, route_id: routeId, text: 'Bare:', ...columns };
  const id = await createRouteArticle(db, { workspaceId, channelId }, row);
  return { id, follow: () => followArticles(db, [articleId], { following: 'enriched', now }) };
}

it('puts what a page says into what nobody was asked about', async () => {
  const { id, follow } = await filledIn({ approval_status: 'approved' });

  await follow();

  expect(await routeArticle(database.db, id)).toMatchObject({ text: 'Bare: What the page says' });
});

it('puts it into what a person is still to be asked about', async () => {
  const { id, follow } = await filledIn({ approval_status: 'pending', approval_reason: 'after_gap' });

  await follow();

  expect(await routeArticle(database.db, id)).toMatchObject({
    text: 'Bare: What the page says',
    approval_status: 'pending',
  });
});

it('leaves what was held and a person approved, though its route asks nobody', async () => {
  const { id, follow } = await filledIn({ approval_status: 'pending', approval_reason: 'after_gap' });
  await changeRouteArticle(database.db, { id, change: { action: 'approve' }, actor: 'test', now });

  await follow();

  expect(await routeArticle(database.db, id)).toMatchObject({ text: 'Bare:', approval_status: 'approved' });
});
