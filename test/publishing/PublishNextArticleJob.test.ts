import { describe, expect, it } from 'vitest';
import { WorkspaceGoneError } from '../../src/publishing/PublishNextArticleJob.ts';
import { createArticle, createFeed, routeArticle } from '../support/factories.ts';
import {
  alreadyThere,
  answering,
  articleRefused,
  invalid,
  refused,
  throttled,
} from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const february = new Date('2026-02-01T00:00:00Z');

describe('PublishNextArticleJob', () => {
  it('publishes the oldest due article and nothing else', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const newer = await scene.article(workspaceId, channelId, { created_at: february });
    const older = await scene.article(workspaceId, channelId);

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({
      outcome: 'published',
      reason: null,
      published: { routeArticleId: older },
    });
    expect(await routeArticle(scene.db, older)).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
    expect(await routeArticle(scene.db, newer)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    expect(scene.platform.posts).toHaveLength(1);
  });

  it('prefers a higher priority to a greater age, and the lower id among equals', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId, { title: 'third' });
    await scene.article(workspaceId, channelId, { title: 'fourth', created_at: february });
    await scene.article(workspaceId, channelId, { title: 'first', created_at: february, priority: 7 });
    await scene.article(workspaceId, channelId, { title: 'second', created_at: february, priority: 7 });
    await scene.article(workspaceId, channelId, { title: 'last', priority: -1 });

    for (let n = 0; n < 5; n++) await scene.nextTick(workspaceId);

    expect(scene.platform.posts.map(({ title }) => title)).toEqual([
      'first',
      'second',
      'third',
      'fourth',
      'last',
    ]);
  });

  it('skips a duplicate for good and publishes the next candidate in the same tick', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const original = await scene.article(workspaceId, channelId);
    await scene.tick(workspaceId);
    const { url_key } = await routeArticle(scene.db, original);
    const duplicate = await scene.article(workspaceId, channelId, { url_key });
    const next = await scene.article(workspaceId, channelId);

    const result = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(next);
    expect(result.tried[0]).toMatchObject({
      routeArticleId: duplicate,
      outcome: 'skipped',
      code: 'duplicate',
      attempts: 4,
    });
    expect(await routeArticle(scene.db, duplicate)).toMatchObject({
      publish_status: 'skipped',
      skip_reason: 'duplicate',
      publish_attempts: 4,
      next_attempt_at: null,
    });
    for (let n = 0; n < 3; n++) {
      expect(await scene.nextTick(workspaceId, 500)).toMatchObject({ reason: 'nothing_due', tried: [] });
    }
    expect(scene.platform.posts).toHaveLength(2);
  });

  it('skips what the remote side has already, without cost to the cap, and goes on in the same tick', async () => {
    const workspaceId = await scene.workspace({ daily_cap: 1 });
    const channelId = await scene.channel(workspaceId);
    const there = await scene.article(workspaceId, channelId, { title: 'there' });
    const next = await scene.article(workspaceId, channelId);
    scene.platform.publish = answering({ there: alreadyThere });

    const result = await scene.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(next);
    expect(await routeArticle(scene.db, there)).toMatchObject({
      publish_status: 'skipped',
      skip_reason: 'already_there',
    });
    expect(await scene.db('publications').select('route_article_id')).toEqual([{ route_article_id: next }]);
  });

  it('skips what passed the maximum age of its feed, and not what has it exactly', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const feed_id = await createFeed(scene.db, workspaceId, { max_age_ms: 3_600_000 });
    const publishedAt = (ms: number) => new Date(scene.clock.now().getTime() - 3_600_000 + ms);
    const tooOld = await createArticle(scene.db, workspaceId, { feed_id, published_at: publishedAt(-1) });
    const justInTime = await createArticle(scene.db, workspaceId, { feed_id, published_at: publishedAt(0) });
    const first = await scene.article(workspaceId, channelId, { article_id: tooOld });
    const second = await scene.article(workspaceId, channelId, { article_id: justInTime });

    const result = await scene.tick(workspaceId);

    expect(result.tried.map(({ routeArticleId, code }) => [routeArticleId, code])).toEqual([
      [first, 'too_old'],
      [second, null],
    ]);
  });

  it('publishes one article per tick, however many are due, and drops none', async () => {
    const workspaceId = await scene.workspace();
    const channels = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    for (let n = 0; n < 6; n++) for (const channelId of channels) await scene.article(workspaceId, channelId);

    for (let published = 1; published <= 12; published++) {
      await scene.nextTick(workspaceId);
      expect(scene.platform.posts).toHaveLength(published);
    }

    expect(await scene.nextTick(workspaceId)).toMatchObject({
      outcome: 'idle',
      reason: 'nothing_due',
      tried: [],
    });
    expect(new Set(scene.platform.posts.map(({ postKey }) => postKey)).size).toBe(12);
  });

  it('returns cleanly when all that was due is blocked', async () => {
    const workspaceId = await scene.workspace();
    for (let n = 0; n < 10; n++) await scene.article(workspaceId, await scene.channel(workspaceId));
    const answers = [throttled, articleRefused, invalid, refused, alreadyThere];
    let sent = 0;
    scene.platform.publish = () => answers[sent++ % answers.length] ?? refused;

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({ outcome: 'idle', reason: 'all_blocked', published: null });
    expect(result.tried.map(({ outcome }) => outcome)).toEqual(
      [1, 2].flatMap(() => ['throttled', 'failed', 'failed', 'failed', 'skipped']),
    );
    expect(await scene.db('publications')).toEqual([]);
    expect(await scene.db('route_articles').where({ queue_state: 3 })).toEqual([]);
  });

  it('tries ten at most, and the rest at the next tick', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    for (let n = 0; n < 12; n++) await scene.article(workspaceId, channelId);
    scene.platform.publish = () => articleRefused;

    const first = await scene.tick(workspaceId);
    scene.clock.advance({ minutes: 4 });
    const second = await scene.nextTick(workspaceId, 0);

    expect(first).toMatchObject({ reason: 'all_blocked' });
    expect(first.tried).toHaveLength(10);
    expect(second.tried).toHaveLength(2);
  });

  it('takes no new candidate once 60 seconds have passed', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    for (let n = 0; n < 5; n++) await scene.article(workspaceId, channelId);
    scene.platform.publish = () => {
      scene.clock.advance({ seconds: 30, ms: 1 });
      return articleRefused;
    };

    const result = await scene.tick(workspaceId);

    expect(result.tried).toHaveLength(2);
  });

  it('has nothing to do where nothing is due, approved, or there', async () => {
    const workspaceId = await scene.workspace();
    const idle = { outcome: 'idle', reason: 'nothing_due', tried: [] };
    expect(await scene.tick(workspaceId)).toMatchObject(idle);
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId, { approval_status: 'pending' });
    await scene.article(workspaceId, channelId, { approval_status: 'rejected' });
    await scene.article(workspaceId, await scene.channel(workspaceId, { archived_at: february }));

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject(idle);
  });

  it('throws for a workspace that is archived or gone', async () => {
    const workspaceId = await scene.workspace({ archived_at: february });

    await expect(scene.tick(workspaceId)).rejects.toBeInstanceOf(WorkspaceGoneError);
    await expect(scene.tick(workspaceId + 1_000)).rejects.toBeInstanceOf(WorkspaceGoneError);
  });
});
