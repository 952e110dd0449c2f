import { beforeEach, describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { recoverInFlight } from '../../src/publishing/recoverInFlight.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import {
  alreadyThere,
  answering,
  articleRefused,
  blocked,
  publishingTools,
  refused,
  succeeded,
  throttled,
  unknown,
} from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const minuteMs = 60_000;
const notSent = { kind: 'not_sent', code: 'send_by_passed', detail: 'too late' } satisfies PublishOutcome;

beforeEach(() => {
  scene.platform.reconciliation = 'repeat';
});

/** A channel that drops what it knows, and lost the answer to its first post; a post waits there. */
async function lostAnswer(workspace: Record<string, unknown> = {}, article: Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace(workspace);
  const losing = await scene.channel(workspaceId, { name: 'losing' });
  const healthy = await scene.channel(workspaceId, { name: 'healthy' });
  const lost = await scene.article(workspaceId, losing, { title: 'lost', ...article });
  const waiting = await scene.article(workspaceId, losing, { title: 'waiting' });
  scene.platform.publish = answering({ lost: unknown });
  await scene.tick(workspaceId);
  scene.platform.publish = () => succeeded;
  return { workspaceId, losing, healthy, lost, waiting };
}

const publicationOf = async (id: number) => scene.db('publications').where({ route_article_id: id }).first();
const attemptsOf = async (id: number) =>
  (await scene.db('attempts').where({ route_article_id: id }).orderBy('id')).map(
    ({ outcome, attempt }) => `${attempt} ${outcome}`,
  );

describe('a lost answer where a known post is dropped', () => {
  it("is sent again as the next tick's own publication, exactly as it was sent", async () => {
    const { workspaceId, lost, waiting } = await lostAnswer();
    const before = await publicationOf(lost);

    const result = await scene.nextTick(workspaceId);
    const next = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(lost);
    expect(result.tried).toMatchObject([{ routeArticleId: lost, outcome: 'published', attempts: 2 }]);
    expect(next.published?.routeArticleId).toBe(waiting);
    const [first, second] = scene.platform.posts;
    expect(second).toEqual(first);
    expect(await publicationOf(lost)).toMatchObject({
      id: before.id,
      state: 'published',
      slot_at: result.slot,
      counted_at: before.counted_at,
    });
    expect(await attemptsOf(lost)).toEqual(['1 unknown', '2 published']);
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('is repeated by the normal backoff while its answers get lost, then left to a person', async () => {
    const { workspaceId, lost, waiting } = await lostAnswer();
    scene.platform.publish = answering({ lost: unknown });
    const begin = scene.clock.now().getTime();
    const repeatedAt: number[] = [];

    for (let tick = 0; tick < 40; tick++) {
      const { tried, reason } = await scene.nextTick(workspaceId);
      if (!tried.some(({ routeArticleId }) => routeArticleId === lost)) continue;
      expect(reason).toBe('unknown_outcome');
      repeatedAt.push((+scene.clock.now() - begin) / minuteMs);
    }

    expect(repeatedAt).toEqual([5, 35, 155]);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 4,
      next_lookup_at: null,
    });
    expect(await alertKinds(scene.db)).toEqual(['outcome_unknown']);
    expect(await routeArticle(scene.db, waiting)).toMatchObject({ publish_status: 'published' });
  });

  it('is left to a person at once when its fourth attempt is lost', async () => {
    const { lost } = await lostAnswer({}, { publish_status: 'failed', publish_attempts: 3 });

    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      next_lookup_at: null,
    });
    expect(await alertKinds(scene.db)).toEqual(['outcome_unknown']);
  });

  it.each([
    ['a failure', refused],
    ['a refusal of the article', articleRefused],
    ['a skip', alreadyThere],
  ] as const)('stays unknown after %s, which says nothing of the first send', async (_, outcome) => {
    const { workspaceId, healthy, lost } = await lostAnswer();
    const other = await scene.article(workspaceId, healthy, { title: 'other' });
    scene.platform.publish = answering({ lost: outcome });
    const { post } = await publicationOf(lost);

    const { at, published } = await scene.nextTick(workspaceId);

    // Nothing may be out of it, so the slot is another's.
    expect(published?.routeArticleId).toBe(other);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 2,
      next_lookup_at: new Date(at.getTime() + 30 * minuteMs),
    });
    expect(await publicationOf(lost)).toMatchObject({ state: 'unknown', post, slot_at: null });
    expect(await attemptsOf(lost)).toEqual(['1 unknown', `2 ${outcome.kind}`]);
  });

  it.each([
    ['throttled', throttled],
    ['blocked', blocked],
  ] as const)('loses no attempt when its repeat is %s, and waits for the hold', async (_, outcome) => {
    const { workspaceId, lost, losing } = await lostAnswer();
    scene.platform.publish = answering({ lost: outcome });

    const { at } = await scene.nextTick(workspaceId);
    scene.platform.publish = () => succeeded;
    const { published } = await scene.nextTick(workspaceId);

    expect(await attemptsOf(lost)).toEqual(['1 unknown', `1 ${outcome.kind}`, '2 published']);
    expect(published?.routeArticleId).toBe(lost);
    const { held_until } = await scene.db('channels').where({ id: losing }).first();
    expect(held_until).toBeNull();
    expect(scene.clock.now().getTime() - at.getTime()).toBe(5 * minuteMs);
  });

  it('loses no attempt when its repeat did not leave', async () => {
    const { workspaceId, lost } = await lostAnswer();
    scene.platform.publish = answering({ lost: notSent });

    await scene.nextTick(workspaceId);

    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
    });
    expect(await publicationOf(lost)).toMatchObject({ state: 'unknown' });
    expect(await attemptsOf(lost)).toEqual(['1 unknown']);
  });

  it.each([
    ['a daily cap that it has reached itself', { daily_cap: 1 }],
    ['no cap', {}],
  ])('is repeated under %s', async (_, workspace) => {
    const { workspaceId, lost } = await lostAnswer(workspace);

    expect((await scene.nextTick(workspaceId)).published?.routeArticleId).toBe(lost);
  });

  it('is repeated within its own interval, and under the hold that it set', async () => {
    const { workspaceId, lost, losing } = await lostAnswer();
    const held = { hold_reason: 'unknown_outcome', held_until: new Date('2026-09-08T00:00:00Z') };
    await scene
      .db('channels')
      .where({ id: losing })
      .update({ publish_interval_ms: 7_200_000, ...held });

    expect((await scene.nextTick(workspaceId)).published?.routeArticleId).toBe(lost);
  });

  it.each([
    ['the workspace is paused', 'paused', () => scene.db('workspaces').update({ paused: true })],
    ['its channel is paused', 'nothing_due', () => scene.db('channels').update({ paused: true })],
    [
      'another publication has used the cap',
      'daily_cap',
      async () => {
        const { id, counted_at, slot_at, ...publication } = await scene.db('publications').first();
        const other = { ...publication, state: 'published', published_at: counted_at, generation: 2 };
        await scene.db('publications').insert({ ...other, counted_at, post: '{}' });
        await scene.db('workspaces').update({ daily_cap: 1 });
      },
    ],
  ] as const)('is not sent while %s, and claims nothing', async (_, reason, close) => {
    const { workspaceId, lost } = await lostAnswer();
    await close();

    const result = await scene.nextTick(workspaceId);

    expect(result).toMatchObject({ reason, tried: [] });
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
    });
    expect(scene.platform.posts).toHaveLength(1);
  });

  it('cannot be changed by a person meanwhile', async () => {
    const { lost } = await lostAnswer();

    for (const action of ['reject', 'skip', 'retry', 'publish-again'] as const) {
      const request = { id: lost, change: { action }, actor: 'test', now: scene.clock.now() };
      expect(await changeRouteArticle(scene.db, request)).toMatchObject({ kind: 'refused' });
    }
  });
});

describe('a process that dies with a repeat', () => {
  async function dying(columns: Record<string, unknown>) {
    const { workspaceId, lost } = await lostAnswer();
    await scene.db('workspaces').update({ paused: true });
    const claim = {
      publish_status: 'publishing',
      publish_attempts: 2,
      claim_token: '00000000-0000-4000-8000-000000000001',
      claimed_at: scene.clock.now(),
      claimed_from: 'unknown',
    };
    await scene
      .db('route_articles')
      .where({ id: lost })
      .update({ ...claim, sending_at: null, ...columns });
    if (columns.sending_at)
      await scene.db('publications').where({ route_article_id: lost }).update({ state: 'sending' });
    const now = scene.clock.now();
    const tools = publishingTools(scene.db, scene.platform);
    return { lost, recovered: await recoverInFlight(tools, { workspaceId, at: now, now }), now };
  }

  it('leaves it unknown as before its claim when it had not passed the gate', async () => {
    const { lost, recovered } = await dying({});

    expect(recovered).toEqual([{ routeArticleId: lost, outcome: 'given_back' }]);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
      next_lookup_at: expect.any(Date),
    });
  });

  it('has used an attempt when it had', async () => {
    const { lost, recovered, now } = await dying({ sending_at: scene.clock.now() });

    expect(recovered).toEqual([{ routeArticleId: lost, outcome: 'unknown' }]);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 2,
      next_lookup_at: new Date(now.getTime() + 30 * minuteMs),
    });
  });
});
