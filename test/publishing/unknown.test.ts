import { describe, expect, it } from 'vitest';
import { routeArticle } from '../support/factories.ts';
import { answering, succeeded, unknown } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();

async function lostAndOthers(channel: Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace();
  const losing = await scene.channel(workspaceId, channel);
  const healthy = await scene.channel(workspaceId);
  const lost = await scene.article(workspaceId, losing, { title: 'lost' });
  const other = await scene.article(workspaceId, healthy, { title: 'other' });
  const sameChannel = await scene.article(workspaceId, losing, { title: 'same channel' });
  scene.platform.publish = answering({ lost: unknown });
  return { workspaceId, losing, lost, sameChannel, other };
}

describe('an outcome that is not known', () => {
  it('ends the tick and holds its channel only: others go on at the next tick', async () => {
    const { workspaceId, losing, lost, other } = await lostAndOthers();

    const result = await scene.tick(workspaceId);
    const next = await scene.nextTick(workspaceId, 0.5);
    const later = await scene.nextTick(workspaceId, 0.5);

    expect(result).toMatchObject({ outcome: 'idle', reason: 'unknown_outcome', published: null });
    expect(result.tried).toMatchObject([{ routeArticleId: lost, outcome: 'unknown', attempts: 1 }]);
    expect(next).toMatchObject({ reason: 'slot_used', tried: [] });
    expect(later.published?.routeArticleId).toBe(other);
    expect(await scene.db('channels').where({ id: losing }).first()).toMatchObject({
      hold_reason: 'unknown_outcome',
      held_until: new Date(result.at.getTime() + 300_000),
    });
  });

  it('is never sent again, and its post stays as it was sent', async () => {
    const { workspaceId, lost } = await lostAndOthers();

    for (let n = 0; n < 8; n++) await scene.nextTick(workspaceId, 144);

    expect(scene.platform.posts.filter(({ title }) => title === 'lost')).toHaveLength(1);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
      last_error_code: 'connection_reset',
    });
    const [publication] = await scene.db('publications').where({ route_article_id: lost });
    expect(publication).toMatchObject({ state: 'unknown', published_at: null, post: { title: 'lost' } });
    expect(await scene.db('alerts').select('kind')).toEqual([{ kind: 'outcome_unknown' }]);
  });

  it('counts against the interval of its channel', async () => {
    const { workspaceId, losing, sameChannel } = await lostAndOthers({ publish_interval_ms: 7_200_000 });
    const { at } = await scene.tick(workspaceId);
    await scene.db('channels').where({ id: losing }).update({ hold_reason: null, held_until: null });

    await scene.nextTick(workspaceId);
    const inside = await scene.nextTick(workspaceId, 22);
    const over = await scene.nextTick(workspaceId);

    expect(inside).toMatchObject({ reason: 'nothing_due', tried: [] });
    expect(over.published?.routeArticleId).toBe(sameChannel);
    expect(over.at.getTime() - at.getTime()).toBe(7_200_000);
  });

  it('holds a channel that loses every answer for 5, 30, 120 and 360 minutes', async () => {
    const workspaceId = await scene.workspace();
    const losing = await scene.channel(workspaceId);
    for (let n = 0; n < 6; n++) await scene.article(workspaceId, losing);
    scene.platform.publish = () => unknown;
    const minutes: number[] = [];

    for (let n = 0; n < 5; n++) {
      const { at } = await scene.tick(workspaceId);
      const { held_until } = await scene.db('channels').where({ id: losing }).first();
      minutes.push((held_until.getTime() - at.getTime()) / 60_000);
      scene.clock.set(held_until.toISOString());
    }

    expect(minutes).toEqual([5, 30, 120, 360, 360]);
    expect(scene.platform.posts).toHaveLength(5);
  });

  it('is what a channel that throws leaves: nobody knows whether its request left', async () => {
    const { workspaceId, lost } = await lostAndOthers();
    scene.platform.publish = ({ title }) => {
      if (title === 'lost') throw new TypeError('a bug');
      return succeeded;
    };

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({ reason: 'unknown_outcome', tried: [{ code: 'unreadable_answer' }] });
    expect(await routeArticle(scene.db, lost)).toMatchObject({ publish_status: 'unknown' });
  });
});
