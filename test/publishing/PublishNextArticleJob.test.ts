import { beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createArticle, createChannel, createRouteArticle, createWorkspace, routeArticle } from '../support/factories.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { FakePlatform, refused, succeeded, ticker } from '../support/publishing.ts';

const database = useDatabase();

describe('PublishNextArticleJob', () => {
  let clock: FakeClock;
  let platform: FakePlatform;
  let tick: ReturnType<typeof ticker>;

  beforeEach(() => {
    clock = new FakeClock('2026-09-07T10:00:00Z');
    platform = new FakePlatform();
    tick = ticker(database.db, platform, clock);
  });

  it('publishes the oldest due article and nothing else', async () => {
    const { db } = database;
    const workspaceId = await createWorkspace(db);
    const channelId = await createChannel(db, workspaceId);
    const newer = await createRouteArticle(db, { workspaceId, channelId }, { created_at: new Date('2026-02-01') });
    const older = await createRouteArticle(db, { workspaceId, channelId });

    const result = await tick(workspaceId);

    expect(result).toMatchObject({ outcome: 'published', reason: null, published: { routeArticleId: older } });
    expect(await routeArticle(db, older)).toMatchObject({ publish_status: 'published', publish_attempts: 1 });
    expect(await routeArticle(db, newer)).toMatchObject({ publish_status: 'pending', publish_attempts: 0 });
    expect(platform.posts).toHaveLength(1);
  });

  it('skips a duplicate for good and publishes the next candidate in the same tick', async () => {
    const { db } = database;
    const workspaceId = await createWorkspace(db);
    const channelId = await createChannel(db, workspaceId);
    const [first] = await db('articles').where({ id: await createArticle(db, workspaceId) });
    await createRouteArticle(db, { workspaceId, channelId }, { article_id: first.id });
    await tick(workspaceId);
    const twin = await createArticle(db, workspaceId, { url_key: first.url_key });
    const duplicate = await createRouteArticle(db, { workspaceId, channelId }, { article_id: twin });
    const next = await createRouteArticle(db, { workspaceId, channelId }, { created_at: new Date('2026-02-01') });
    clock.advance({ minutes: 5 });

    const result = await tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(next);
    expect(result.tried[0]).toMatchObject({ routeArticleId: duplicate, outcome: 'skipped', code: 'duplicate', attempts: 4 });
    clock.advance({ minutes: 5 });
    expect(await tick(workspaceId)).toMatchObject({ reason: 'nothing_due', tried: [] });
  });

  it('backs a failing article off by 5, 30, 120 and 360 minutes, and leaves it dead after the fourth try', async () => {
    const { db } = database;
    const workspaceId = await createWorkspace(db);
    const channelId = await createChannel(db, workspaceId);
    const failing = await createRouteArticle(db, { workspaceId, channelId });
    const healthy = await createRouteArticle(db, { workspaceId, channelId }, { created_at: new Date('2026-02-01') });
    platform.publish = post => (platform.posts.length > 0 || post.title === titles.failing ? refused : succeeded);
    const titles = { failing: (await routeArticle(db, failing)).title };

    const first = await tick(workspaceId);

    expect(first.published?.routeArticleId).toBe(healthy);
    const waits = [];
    for (const minutes of [5, 30, 120]) {
      waits.push(minutes);
      clock.advance({ minutes, ms: -10_000 });
      expect((await tick(workspaceId)).tried).toEqual([]);
      clock.advance({ ms: 10_000 });
      expect((await tick(workspaceId)).tried[0]).toMatchObject({ routeArticleId: failing, attempts: waits.length + 1 });
    }
    expect(await routeArticle(db, failing)).toMatchObject({ publish_status: 'dead', publish_attempts: 4 });
    clock.advance({ hours: 1_000 });
    expect((await tick(workspaceId)).tried).toEqual([]);
    expect(await db('alerts').where({ kind: 'article_dead' })).toHaveLength(1);
  });
});
