import { describe, expect, it } from 'vitest';
import { hasExhaustedPublishAttempts, waitUntil } from '../../src/publishing/backoff.ts';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { routeArticle } from '../support/factories.ts';
import { answering, articleRefused, invalid, succeeded } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const minuteMs = 60_000;

describe('waitUntil', () => {
  it.each([
    [0, 5],
    [1, 5],
    [2, 30],
    [3, 120],
    [4, 360],
    [5, 360],
    [1_000, 360],
  ])('makes the %i. failure in a row wait %i minutes', (count, minutes) => {
    const at = new Date('2026-12-31T23:58:00Z');

    expect(waitUntil(at, count)).toEqual(new Date(at.getTime() + minutes * minuteMs));
  });
});

describe('hasExhaustedPublishAttempts', () => {
  it('is true from the fourth attempt on', () => {
    expect([1, 2, 3, 4, 5].map(hasExhaustedPublishAttempts)).toEqual([false, false, false, true, true]);
  });
});

describe('an article that fails', () => {
  it('lets the next one out in the same tick, and waits', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const failing = await scene.article(workspaceId, channelId, { title: 'failing' });
    const healthy = await scene.article(workspaceId, channelId);
    scene.platform.publish = answering({ failing: articleRefused });
    const at = scene.clock.now();

    const result = await scene.tick(workspaceId);

    const nextAttemptAt = new Date(at.getTime() + 5 * minuteMs);
    expect(result.published?.routeArticleId).toBe(healthy);
    expect(result.tried[0]).toMatchObject({
      routeArticleId: failing,
      outcome: 'failed',
      attempts: 1,
      nextAttemptAt,
    });
    expect(await routeArticle(scene.db, failing)).toMatchObject({
      publish_status: 'failed',
      publish_attempts: 1,
      next_attempt_at: nextAttemptAt,
      last_error_code: 'rejected',
      last_error: 'not this one',
      claim_token: null,
      sending_at: null,
    });
  });

  it('is tried again at the very instant its wait ends, and not a moment before', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId, { title: 'failing' });
    scene.platform.publish = answering({ failing: articleRefused });
    // In the middle of a slot, where no instant is taken for the slot's start.
    scene.clock.advance({ minutes: 2 });
    await scene.tick(workspaceId);

    for (const [attempts, minutes] of [
      [2, 5],
      [3, 30],
      [4, 120],
    ] as const) {
      scene.clock.advance({ minutes, ms: -1 });
      expect(await scene.tick(workspaceId)).toMatchObject({ reason: 'nothing_due', tried: [] });
      scene.clock.advance({ ms: 1 });
      expect((await scene.tick(workspaceId)).tried).toMatchObject([{ outcome: 'failed', attempts }]);
    }
  });

  it.each([
    ['13 ms early', { ms: -13 }, 1],
    ['5 s early', { seconds: -5 }, 1],
    ['5.001 s early', { seconds: -5, ms: -1 }, 0],
    ['300 ms late', { ms: 300 }, 1],
    ['5.001 s late', { seconds: 5, ms: 1 }, 1],
  ])('is tried by a timer that fires %s: %o', async (_, drift, tries) => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId);
    scene.platform.publish = () => articleRefused;
    scene.clock.advance({ ms: 4_999 });
    await scene.tick(workspaceId);
    scene.clock.advance({ minutes: 5, ms: -4_999 });
    scene.clock.advance(drift);

    const result = await scene.tick(workspaceId);

    expect(result.tried).toHaveLength(tries);
  });

  it('waits 5, 30 and 120 minutes, then is dead with its wait stamped and one alert', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const failing = await scene.article(workspaceId, channelId, { title: 'failing' });
    scene.platform.publish = () => articleRefused;
    await scene.tick(workspaceId);
    for (const slots of [1, 6, 24]) await scene.nextTick(workspaceId, slots);

    const dead = await routeArticle(scene.db, failing);

    const wait = new Date(scene.clock.now().getTime() + 360 * minuteMs);
    expect(dead).toMatchObject({
      publish_status: 'dead',
      publish_attempts: 4,
      next_attempt_at: wait,
      queue_state: 0,
    });
    for (const slots of [1, 71, 1, 100_000]) {
      expect(await scene.nextTick(workspaceId, slots)).toMatchObject({ reason: 'nothing_due', tried: [] });
    }
    const alerts = await scene.db('alerts').select('kind', 'route_article_id', 'message');
    expect(alerts).toMatchObject([{ kind: 'article_dead', route_article_id: failing }]);
    expect(alerts[0].message).toContain('dead after 4 attempts');
    const history = await scene.db('attempts').orderBy('id').select('attempt', 'outcome', 'code');
    expect(history).toEqual([1, 2, 3, 4].map(attempt => ({ attempt, outcome: 'failed', code: 'rejected' })));
  });

  it('comes back from the dead by a person alone, with its history kept', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const failing = await scene.article(workspaceId, channelId);
    scene.platform.publish = () => articleRefused;
    await scene.tick(workspaceId);
    for (const slots of [1, 6, 24]) await scene.nextTick(workspaceId, slots);
    scene.platform.publish = () => succeeded;
    const { post_key } = await routeArticle(scene.db, failing);

    await changeRouteArticle(scene.db, {
      id: failing,
      change: { action: 'retry' },
      actor: 'test',
      now: scene.clock.now(),
    });
    const result = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(failing);
    expect(await routeArticle(scene.db, failing)).toMatchObject({
      publish_attempts: 1,
      post_key,
      generation: 1,
    });
    expect(await scene.db('attempts')).toHaveLength(5);
    expect(scene.platform.posts).toHaveLength(1);
  });

  it('is dead at once when no retry can mend it, with the words of the remote side', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const failing = await scene.article(workspaceId, channelId, { title: 'invalid' });
    scene.platform.publish = answering({ invalid });

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({
      reason: 'all_blocked',
      tried: [{ outcome: 'failed', code: 'invalid_post', attempts: 1 }],
    });
    expect(await routeArticle(scene.db, failing)).toMatchObject({
      publish_status: 'dead',
      publish_attempts: 1,
      last_error: 'invalid_url',
    });
    expect(await scene.nextTick(workspaceId, 1_000)).toMatchObject({ reason: 'nothing_due' });
    expect((await scene.db('alerts').select('kind')).map(({ kind }) => kind)).toEqual(['article_dead']);
  });
});

describe('several articles that fail', () => {
  it('let two older ones leave at the next two ticks when the most urgent fails for ever', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId, { title: 'older' });
    await scene.article(workspaceId, channelId, { title: 'old' });
    await scene.article(workspaceId, channelId, { title: 'failing', priority: 9 });
    scene.platform.publish = answering({ failing: articleRefused });

    await scene.tick(workspaceId);
    await scene.nextTick(workspaceId);

    expect(scene.platform.posts.map(({ title }) => title)).toEqual(['older', 'old']);
  });

  it('forget none: the one that failed is tried again after those that were in time', async () => {
    const workspaceId = await scene.workspace({ daily_cap: 5 });
    const channelId = await scene.channel(workspaceId);
    for (let n = 1; n <= 9; n++) await scene.article(workspaceId, channelId, { title: `${n}` });
    let failures = 0;
    scene.platform.publish = ({ title }) => (title === '3' && failures++ === 0 ? articleRefused : succeeded);

    for (let n = 0; n < 20; n++) await scene.nextTick(workspaceId);
    const today = scene.platform.posts.map(({ title }) => title);
    scene.clock.advance({ hours: 24 });
    for (let n = 0; n < 20; n++) await scene.nextTick(workspaceId);

    expect(today).toEqual(['1', '2', '4', '3', '5']);
    expect(scene.platform.posts.slice(5).map(({ title }) => title)).toEqual(['6', '7', '8', '9']);
  });
});
