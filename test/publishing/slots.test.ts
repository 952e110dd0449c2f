import { describe, expect, it } from 'vitest';
import { refused, succeeded } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();

async function workspaceWithArticles(count: number, columns = {}) {
  const workspaceId = await scene.workspace(columns);
  const channelId = await scene.channel(workspaceId);
  for (let n = 1; n <= count; n++) await scene.article(workspaceId, channelId, { title: `${n}` });
  return { workspaceId, channelId };
}

describe('a slot', () => {
  it('publishes once: a second run publishes nothing, also a second or four minutes later', async () => {
    const { workspaceId } = await workspaceWithArticles(3);
    const first = await scene.tick(workspaceId);

    for (const later of [{}, { seconds: 1 }, { seconds: 293 }]) {
      scene.clock.advance(later);
      expect(await scene.tick(workspaceId)).toMatchObject({ reason: 'slot_used', detail: null, tried: [] });
    }
    scene.clock.advance({ ms: 1_000 });
    const next = await scene.tick(workspaceId);

    expect(first.outcome).toBe('published');
    expect(next).toMatchObject({ outcome: 'published', slot: new Date(first.slot.getTime() + 300_000) });
  });

  it('stays free when nothing went out in it', async () => {
    const { workspaceId } = await workspaceWithArticles(2);
    scene.platform.publish = () => refused;
    await scene.tick(workspaceId);
    scene.platform.publish = () => succeeded;
    await scene.article(workspaceId, await scene.channel(workspaceId), { title: 'late' });
    scene.clock.advance({ minutes: 1 });

    const result = await scene.tick(workspaceId);

    expect(result.published?.title).toBe('late');
  });

  it('does not lose the tick of a timer that fires early, and does not use two slots for one', async () => {
    const { workspaceId } = await workspaceWithArticles(10);
    const drifts = [0, -13, 300, -4_999, 4_999, -13, -13, 0];

    for (const drift of drifts) {
      scene.clock.advance({ ms: drift });
      expect(await scene.tick(workspaceId)).toMatchObject({ outcome: 'published' });
      scene.clock.advance({ ms: -drift, minutes: 5 });
    }

    expect(scene.platform.posts).toHaveLength(drifts.length);
  });

  it('is used by a tick that lasts into the next one, which then publishes in its own', async () => {
    const { workspaceId } = await workspaceWithArticles(3);
    scene.platform.publish = () => {
      scene.clock.advance({ minutes: 7 });
      return succeeded;
    };

    const slow = await scene.tick(workspaceId);
    const next = await scene.tick(workspaceId);

    expect(slow).toMatchObject({ outcome: 'published', tried: [{ outcome: 'published' }] });
    expect(next).toMatchObject({ outcome: 'published', slot: new Date(slow.slot.getTime() + 300_000) });
    const counted = await scene.db('publications').orderBy('id').select('counted_at');
    expect(counted[0].counted_at).toEqual(slow.at);
  });
});

describe('after six hours without a tick', () => {
  it('publishes one article per slot, within window, interval and cap: no burst', async () => {
    scene.clock.set('2026-09-07T08:00:00Z');
    const workspaceId = await scene.workspace({ daily_cap: 12, windows: ['08:00-16:00'] });
    const slow = await scene.channel(workspaceId, { publish_interval_ms: 1_800_000 });
    const fast = await scene.channel(workspaceId);
    for (let n = 0; n < 20; n++) await scene.article(workspaceId, slow, { title: 'slow' });
    for (let n = 0; n < 20; n++) await scene.article(workspaceId, fast, { title: 'fast' });
    await scene.tick(workspaceId);
    scene.clock.advance({ hours: 6 });

    for (let run = 0; run < 90; run++) {
      // Every tick fires twice, a second apart, as after a catch-up.
      await scene.tick(workspaceId);
      scene.clock.advance({ seconds: 1 });
      await scene.tick(workspaceId);
      scene.clock.advance({ minutes: 5, seconds: -1 });
    }

    const publications = await scene.db('publications').orderBy('counted_at');
    const slots = publications.map(({ slot_at }) => slot_at.getTime());
    const slowOnes = publications
      .filter(({ channel_id }) => channel_id === slow)
      .map(({ counted_at }) => +counted_at);
    expect(publications).toHaveLength(12);
    expect(new Set(slots).size).toBe(12);
    expect(slots.every((at, index) => index === 0 || at - (slots[index - 1] ?? 0) >= 300_000)).toBe(true);
    expect(slowOnes.every((at, index) => index === 0 || at - (slowOnes[index - 1] ?? 0) >= 1_800_000)).toBe(
      true,
    );
    expect(publications.every(({ counted_at }) => counted_at < new Date('2026-09-07T16:00:00Z'))).toBe(true);
    expect(scene.platform.posts).toHaveLength(12);
  });
});

describe('a clock that was set back', () => {
  it('waits visibly until the newest slot is past again, and raises exactly one alert', async () => {
    const { workspaceId } = await workspaceWithArticles(3);
    const first = await scene.tick(workspaceId);
    scene.clock.advance({ hours: -1 });

    const reasons = [];
    for (let n = 0; n < 13; n++) {
      const result = await scene.nextTick(workspaceId, n === 0 ? 0 : 1);
      reasons.push([result.reason, result.detail?.includes(first.slot.toISOString()) ?? false]);
    }
    const next = await scene.nextTick(workspaceId);

    expect(reasons.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => ['slot_used', true]));
    expect(reasons.slice(11)).toEqual([
      ['slot_used', false],
      ['slot_used', false],
    ]);
    expect(next).toMatchObject({ outcome: 'published' });
    expect(await scene.db('alerts').select('kind')).toEqual([{ kind: 'clock_set_back' }]);
  });
});

describe('windows', () => {
  it('stop the tick outside, and not inside', async () => {
    scene.clock.set('2026-09-07T05:50:00Z');
    const workspaceId = await scene.workspace({ timezone: 'Europe/Berlin', windows: ['mon 08:00-08:10'] });
    const channelId = await scene.channel(workspaceId);
    for (let n = 0; n < 6; n++) await scene.article(workspaceId, channelId);

    const results = [];
    for (let n = 0; n < 6; n++) results.push((await scene.nextTick(workspaceId, n === 0 ? 0 : 1)).reason);

    const outside = 'outside_window';
    expect(results).toEqual([outside, outside, null, null, outside, outside]);
  });
});
