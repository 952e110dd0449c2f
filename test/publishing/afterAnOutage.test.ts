import { describe, expect, it } from 'vitest';
import { alertKinds, createArticle, createFeed, routeArticle } from '../support/factories.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const hourMs = 3_600_000;

/** Articles of a feed with a maximum age of six hours, one an hour, the newest published now. */
async function hourlyArticles(count: number) {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const feed_id = await createFeed(scene.db, workspaceId, { max_age_ms: 6 * hourMs });
  const ids: number[] = [];
  for (let age = count - 1; age >= 0; age--) {
    const published_at = new Date(scene.clock.now().getTime() - age * hourMs);
    const article_id = await createArticle(scene.db, workspaceId, { feed_id, published_at });
    ids.push(await scene.article(workspaceId, channelId, { article_id, created_at: published_at }));
  }
  return { workspaceId, ids };
}

const ticked = (workspaceId: number, agoMs: number) =>
  scene
    .db('workspaces')
    .where({ id: workspaceId })
    .update({ last_tick_at: new Date(scene.clock.now().getTime() - agoMs) });

describe('the first tick after an outage', () => {
  it('skips all that became too old meanwhile, tells of it once, and publishes the rest in order', async () => {
    const { workspaceId, ids } = await hourlyArticles(30);
    await ticked(workspaceId, 7 * hourMs);

    const first = await scene.tick(workspaceId);
    await ticked(workspaceId, 0);
    const published = [first.published?.routeArticleId];
    for (let n = 0; n < 7; n++) published.push((await scene.nextTick(workspaceId)).published?.routeArticleId);

    // Exactly six hours is not too old; an article that passes them while it waits is skipped at its turn.
    expect(published).toEqual([ids[23], ...ids.slice(24), undefined]);
    expect(await scene.db('route_articles').where({ skip_reason: 'too_old' })).toHaveLength(23);
    expect(await scene.db('attempts').where({ outcome: 'skipped', code: 'too_old' })).toHaveLength(23);
    expect(await alertKinds(scene.db)).toEqual(['articles_too_old']);
    expect(await scene.db('alerts').pluck('message')).toEqual([
      expect.stringMatching(/had no tick since .*: 23 articles have, the oldest "Article \d+", passed/),
    ]);
  });

  it('is no news in ordinary times: each is skipped at its turn', async () => {
    const { workspaceId, ids } = await hourlyArticles(9);
    await ticked(workspaceId, 300_000);

    const { published } = await scene.tick(workspaceId);

    expect(published?.routeArticleId).toBe(ids[2]);
    expect(await routeArticle(scene.db, ids[0] ?? 0)).toMatchObject({ skip_reason: 'too_old' });
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('tells of nothing where nothing became too old', async () => {
    const { workspaceId } = await hourlyArticles(3);
    await ticked(workspaceId, 7 * hourMs);

    await scene.tick(workspaceId);

    expect(await alertKinds(scene.db)).toEqual([]);
  });
});
