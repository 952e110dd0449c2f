import { describe, expect, it } from 'vitest';
import { resumeChannel } from '../../src/models/channelChanges.ts';
import { alertKinds } from '../support/factories.ts';
import { articleRefused, refused, succeeded, throttled } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const dayMs = 86_400_000;

async function crowdedChannel(articles: number) {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId, { name: 'failing' });
  for (let n = 0; n < articles; n++) await scene.article(workspaceId, channelId);
  scene.platform.publish = () => refused;
  return { workspaceId, channelId };
}

async function channel(id: number) {
  return scene.db('channels').where({ id }).first();
}

describe('the breaker', () => {
  it('holds a channel for 24 hours after five failures, and leaves the others out of it', async () => {
    const { workspaceId, channelId } = await crowdedChannel(12);
    const healthy = await scene.article(workspaceId, await scene.channel(workspaceId), { title: 'healthy' });
    scene.platform.publish = ({ title }) => (title === 'healthy' ? succeeded : refused);

    const result = await scene.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(healthy);
    expect(result.tried.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('failed'), 'published']);
    const held_until = new Date(scene.clock.now().getTime() + dayMs);
    expect(await channel(channelId)).toMatchObject({
      hold_reason: 'breaker',
      held_until,
      breaker_tripped: true,
    });
    expect(await alertKinds(scene.db)).toEqual(['channel_down']);
    scene.clock.advance({ hours: 24, seconds: -6 });
    expect(await scene.tick(workspaceId)).toMatchObject({ reason: 'nothing_due', tried: [] });
  });

  it('lets one probe decide: one that fails holds it again, at the cost of one attempt', async () => {
    const { workspaceId, channelId } = await crowdedChannel(12);
    await scene.tick(workspaceId);

    const probe = await scene.nextTick(workspaceId, 288);
    const afterwards = await scene.nextTick(workspaceId);

    expect(probe.tried).toHaveLength(1);
    expect(afterwards).toMatchObject({ reason: 'nothing_due', tried: [] });
    const { held_until, hold_detail } = await channel(channelId);
    expect(held_until).toEqual(new Date(probe.at.getTime() + dayMs));
    expect(hold_detail).toBe('the probe failed');
    expect(await alertKinds(scene.db)).toEqual(['channel_down']);
  });

  it('lets one probe decide: one that succeeds opens it, with one alert', async () => {
    const { workspaceId, channelId } = await crowdedChannel(12);
    await scene.tick(workspaceId);
    scene.platform.publish = () => succeeded;

    expect(await scene.nextTick(workspaceId, 288)).toMatchObject({ outcome: 'published' });
    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });

    expect(await channel(channelId)).toMatchObject({
      hold_reason: null,
      breaker_tripped: false,
      down_since: null,
    });
    expect(await alertKinds(scene.db)).toEqual(['channel_down', 'channel_up']);
    scene.platform.publish = () => refused;
    expect((await scene.nextTick(workspaceId)).tried).toHaveLength(5);
    expect(await alertKinds(scene.db)).toEqual(['channel_down', 'channel_up', 'channel_down']);
  });

  it('is not decided by a probe that is throttled', async () => {
    const { workspaceId, channelId } = await crowdedChannel(12);
    await scene.tick(workspaceId);
    scene.platform.publish = () => throttled;
    await scene.nextTick(workspaceId, 288);
    scene.platform.publish = () => refused;

    const probe = await scene.nextTick(workspaceId);

    expect(probe.tried).toHaveLength(1);
    expect(await channel(channelId)).toMatchObject({ hold_reason: 'breaker', breaker_tripped: true });
  });

  it('opens when a person resumes the channel; the next article is its probe', async () => {
    const { workspaceId, channelId } = await crowdedChannel(12);
    await scene.tick(workspaceId);

    await resumeChannel(scene.db, channelId);
    const failing = await scene.nextTick(workspaceId);
    await resumeChannel(scene.db, channelId);
    scene.platform.publish = () => succeeded;
    const succeeding = await scene.nextTick(workspaceId);

    expect(failing.tried).toHaveLength(1);
    expect(succeeding.outcome).toBe('published');
    expect(await alertKinds(scene.db)).toEqual(['channel_down', 'channel_up']);
  });

  it('does not count refusals of an article itself', async () => {
    const { workspaceId, channelId } = await crowdedChannel(12);
    scene.platform.publish = () => articleRefused;

    const result = await scene.tick(workspaceId);

    expect(result.tried).toHaveLength(10);
    expect(await channel(channelId)).toMatchObject({ hold_reason: null, breaker_tripped: false });
  });

  it('counts from the last success on', async () => {
    const { workspaceId, channelId } = await crowdedChannel(20);
    const answers = [...Array(4).fill(refused), succeeded, ...Array(4).fill(refused), succeeded];
    scene.platform.publish = () => answers.shift() ?? refused;

    const first = await scene.tick(workspaceId);
    const second = await scene.nextTick(workspaceId);
    const third = await scene.nextTick(workspaceId);

    expect([first, second].map(({ outcome }) => outcome)).toEqual(['published', 'published']);
    expect(third.tried).toHaveLength(5);
    expect(await channel(channelId)).toMatchObject({ hold_reason: 'breaker' });
  });

  it('counts 24 hours back, and not a moment more', async () => {
    const { workspaceId, channelId } = await crowdedChannel(4);
    await scene.tick(workspaceId);
    await scene.db('route_articles').update({ approval_status: 'rejected' });
    await scene.article(workspaceId, channelId);
    await scene.nextTick(workspaceId, 288);

    expect(await channel(channelId)).toMatchObject({ hold_reason: null, breaker_tripped: false });
    await scene
      .db('attempts')
      .update({ attempted_at: new Date(scene.clock.now().getTime() - dayMs + 300_001) });
    await scene.nextTick(workspaceId);

    expect(await channel(channelId)).toMatchObject({ hold_reason: 'breaker', breaker_tripped: true });
  });
});
