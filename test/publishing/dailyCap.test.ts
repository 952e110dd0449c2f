import { afterEach, describe, expect, it } from 'vitest';
import type { TickResult } from '../../src/publishing/tickResult.ts';
import { refused, unknown } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const serverZone = process.env.TZ;

afterEach(() => {
  if (serverZone === undefined) delete process.env.TZ;
  else process.env.TZ = serverZone;
});

describe('the daily cap of a workspace', () => {
  it('ends the whole tick: nothing is tried, in no channel', async () => {
    const workspaceId = await scene.workspace({ daily_cap: 2 });
    const channels = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    for (let n = 0; n < 2; n++) for (const channelId of channels) await scene.article(workspaceId, channelId);
    await scene.tick(workspaceId);
    await scene.nextTick(workspaceId);

    const result = await scene.nextTick(workspaceId);

    expect(result).toMatchObject({ outcome: 'idle', reason: 'daily_cap', tried: [] });
    expect(scene.platform.posts).toHaveLength(2);
  });

  it('lets nothing out at 0, and everything at null', async () => {
    const none = await scene.workspace({ daily_cap: 0 });
    await scene.article(none, await scene.channel(none));
    expect(await scene.tick(none)).toMatchObject({ reason: 'daily_cap', tried: [] });
    await scene.db('workspaces').update({ daily_cap: null });

    expect(await scene.tick(none)).toMatchObject({ outcome: 'published' });
  });

  it('counts an outcome that is not known, and no failure', async () => {
    const workspaceId = await scene.workspace({ daily_cap: 1 });
    const channels = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    for (const channelId of channels) await scene.article(workspaceId, channelId);
    let sent = 0;
    scene.platform.publish = () => (sent++ === 0 ? refused : unknown);

    const first = await scene.tick(workspaceId);
    const second = await scene.nextTick(workspaceId);

    expect(first.tried.map(({ outcome }) => outcome)).toEqual(['failed', 'unknown']);
    expect(second).toMatchObject({ reason: 'daily_cap' });
  });

  it('binds a channel by its own cap, and leaves the others alone', async () => {
    const workspaceId = await scene.workspace();
    const capped = await scene.channel(workspaceId, { daily_cap: 1 });
    const free = await scene.channel(workspaceId);
    for (let n = 0; n < 3; n++) await scene.article(workspaceId, capped, { title: 'capped' });
    for (let n = 0; n < 2; n++) await scene.article(workspaceId, free, { title: 'free' });

    for (let n = 0; n < 6; n++) await scene.nextTick(workspaceId);

    expect(scene.platform.posts.map(({ title }) => title)).toEqual(['capped', 'free', 'free']);
    scene.clock.advance({ hours: 24 });
    expect((await scene.tick(workspaceId)).published?.title).toBe('capped');
  });
});

describe.each([
  ['Europe/Berlin', '2026-03-28T23:00:00Z', 23],
  ['Europe/Berlin', '2026-10-24T22:00:00Z', 25],
  ['America/New_York', '2026-03-08T05:00:00Z', 23],
  ['America/New_York', '2026-11-01T04:00:00Z', 25],
  ['Australia/Lord_Howe', '2026-04-04T13:00:00Z', 24.5],
  ['Australia/Lord_Howe', '2026-10-03T13:30:00Z', 23.5],
  ['Asia/Kathmandu', '2026-03-28T18:15:00Z', 24],
  ['America/Havana', '2026-03-08T05:00:00Z', 23],
  ['America/Havana', '2026-11-01T04:00:00Z', 25],
  ['Atlantic/Azores', '2026-03-29T01:00:00Z', 23],
  ['Atlantic/Azores', '2026-10-25T00:00:00Z', 25],
])('the day of %s that begins at %s', (timezone, begin, hours) => {
  it(`has one cap for its ${hours} hours`, async () => {
    const halfHours = hours * 2;
    scene.clock.set(new Date(Date.parse(begin) - 3 * 1_800_000).toISOString());
    const workspaceId = await scene.workspace({ timezone, daily_cap: 2, tick_interval_ms: 1_800_000 });
    const channelId = await scene.channel(workspaceId);
    for (let n = 0; n < 9; n++) await scene.article(workspaceId, channelId);

    const published: Date[] = [];
    const results: TickResult[] = [];
    for (let tick = 0; tick < halfHours + 6; tick++) {
      const result = await scene.tick(workspaceId);
      results.push(result);
      if (result.outcome === 'published') published.push(result.at);
      scene.clock.advance({ minutes: 30 });
    }

    const sinceBegin = published.map(at => Math.floor((at.getTime() - Date.parse(begin)) / 1_800_000));
    expect(sinceBegin).toEqual([-3, -2, 0, 1, halfHours, halfHours + 1]);
    expect(new Set(results.map(({ reason }) => reason))).toEqual(new Set([null, 'daily_cap']));
  });
});

describe.each(['UTC', 'Pacific/Auckland', 'Asia/Kolkata', 'America/St_Johns'])('on a server in %s', zone => {
  it('starts the count afresh at local midnight, while the interval still holds', async () => {
    process.env.TZ = zone;
    scene.clock.set('2026-09-07T20:45:00Z');
    const workspaceId = await scene.workspace({ timezone: 'Europe/Berlin', daily_cap: 4 });
    const hourly = { publish_interval_ms: 3_600_000 };
    const channels = [await scene.channel(workspaceId, hourly), await scene.channel(workspaceId, hourly)];
    for (let n = 0; n < 3; n++) for (const channelId of channels) await scene.article(workspaceId, channelId);
    for (const slots of [0, 1, 11, 1]) {
      expect(await scene.nextTick(workspaceId, slots)).toMatchObject({ outcome: 'published' });
    }
    const free = await scene.article(workspaceId, await scene.channel(workspaceId));

    const beforeMidnight = await scene.nextTick(workspaceId);
    const afterMidnight = await scene.nextTick(workspaceId);
    const next = await scene.nextTick(workspaceId);
    const anHourLater = await scene.nextTick(workspaceId, 8);

    expect(beforeMidnight).toMatchObject({ reason: 'daily_cap' });
    expect(beforeMidnight.at < new Date('2026-09-07T22:00:00Z')).toBe(true);
    expect(afterMidnight.published?.routeArticleId).toBe(free);
    expect(next).toMatchObject({ reason: 'nothing_due' });
    expect(anHourLater).toMatchObject({ outcome: 'published' });
  });
});
