import { describe, expect, it } from 'vitest';
import { alertKinds, routeArticle } from '../support/factories.ts';
import { answering, blocked, succeeded, throttled } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const minuteMs = 60_000;

/** The length of a channel's or an account's hold from now on, in minutes; null: without end, or none. */
async function heldMinutes(table: 'channels' | 'accounts', id: number): Promise<number | null> {
  const { held_until: until } = await scene.db(table).where({ id }).first();
  return until && (until.getTime() - scene.clock.now().getTime()) / minuteMs;
}

async function limitedAndHealthy() {
  const workspaceId = await scene.workspace();
  const limited = await scene.channel(workspaceId, { name: 'limited' });
  const healthy = await scene.channel(workspaceId);
  return { workspaceId, limited, healthy };
}

describe('a throttled channel', () => {
  it.each([
    ['no date', null, 5],
    ['a date in the past', '2026-09-07T09:00:00Z', 5],
    ['a date within the tick', '2026-09-07T10:06:00Z', 5],
    ['a date in two hours', 120, 120],
    ['a date in 23 hours', 1_380, 1_380],
    ['a date in 25 hours', 1_500, 1_440],
    ['a date in 55 years', '2081-09-07T10:00:00Z', 1_440],
    ['the epoch', '1970-01-01T00:00:00Z', 5],
  ])('is held by a Retry-After with %s', async (_, retryAfter, minutes) => {
    const { workspaceId, limited, healthy } = await limitedAndHealthy();
    const waiting = await scene.article(workspaceId, limited, { title: 'limited' });
    const other = await scene.article(workspaceId, healthy);
    const at = scene.clock.now().getTime();
    const until =
      retryAfter === null
        ? null
        : new Date(typeof retryAfter === 'number' ? at + retryAfter * minuteMs : retryAfter);
    scene.platform.publish = answering({ limited: { ...throttled, until } });

    const result = await scene.tick(workspaceId);

    expect(await heldMinutes('channels', limited)).toBe(minutes);
    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({
      outcome: 'throttled',
      code: 'rate_limited',
      attempts: 0,
      nextAttemptAt: null,
    });
    expect(await routeArticle(scene.db, waiting)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('is tried again the moment its hold ends, not before, by one article at a time', async () => {
    const { workspaceId, limited } = await limitedAndHealthy();
    for (let n = 0; n < 3; n++) await scene.article(workspaceId, limited);
    scene.platform.publish = () => throttled;
    const waits = [];
    await scene.tick(workspaceId);

    for (const minutes of [5, 30, 120, 360, 360]) {
      waits.push(await heldMinutes('channels', limited));
      scene.clock.advance({ minutes, seconds: -6 });
      expect((await scene.tick(workspaceId)).tried).toEqual([]);
      scene.clock.advance({ seconds: 6 });
      expect((await scene.tick(workspaceId)).tried).toHaveLength(1);
    }

    expect(waits).toEqual([5, 30, 120, 360, 360]);
  });

  it('fails none of its articles, in two hours of it, and starts afresh after a success', async () => {
    const { workspaceId, limited } = await limitedAndHealthy();
    for (let n = 0; n < 3; n++) await scene.article(workspaceId, limited);
    scene.platform.publish = () => throttled;
    for (let n = 0; n < 24; n++) await scene.nextTick(workspaceId);
    const rows = await scene
      .db('route_articles')
      .select('publish_status', 'publish_attempts', 'next_attempt_at');
    scene.platform.publish = () => succeeded;
    for (let n = 0; n < 30; n++) await scene.nextTick(workspaceId);

    const [channel] = await scene.db('channels').where({ id: limited });

    const untouched = { publish_status: 'pending', publish_attempts: 0, next_attempt_at: null };
    expect(rows).toEqual([untouched, untouched, untouched]);
    expect(scene.platform.posts).toHaveLength(3);
    expect(channel).toMatchObject({ refusals: 0, hold_reason: null, held_until: null, down_since: null });
  });
});

describe('a blocked channel', () => {
  it('is held alone, with one alert when it goes down and one when it is back', async () => {
    const { workspaceId, limited, healthy } = await limitedAndHealthy();
    const banned = await scene.article(workspaceId, limited, { title: 'banned' });
    const other = await scene.article(workspaceId, healthy);
    scene.platform.publish = answering({ banned: blocked });

    const result = await scene.tick(workspaceId);
    for (let n = 0; n < 3; n++) await scene.nextTick(workspaceId, 100);
    const whileDown = await alertKinds(scene.db);
    scene.platform.publish = () => succeeded;
    await scene.nextTick(workspaceId, 100);

    expect(result.published?.routeArticleId).toBe(other);
    expect(whileDown).toEqual(['channel_down']);
    expect(await alertKinds(scene.db)).toEqual(['channel_down', 'channel_up']);
    expect(await routeArticle(scene.db, banned)).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
  });

  it('that is gone is held until a person resumes it', async () => {
    const { workspaceId, limited } = await limitedAndHealthy();
    await scene.article(workspaceId, limited);
    scene.platform.publish = () => ({ ...blocked, isGone: true });

    await scene.tick(workspaceId);

    expect(await scene.db('channels').where({ id: limited }).first()).toMatchObject({
      hold_reason: 'gone',
      held_until: null,
    });
    expect(await scene.nextTick(workspaceId, 100_000)).toMatchObject({ reason: 'nothing_due', tried: [] });
  });
});
