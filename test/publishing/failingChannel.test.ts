import { describe, expect, it } from 'vitest';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import { answering, refused, succeeded } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const minuteMs = 60_000;

describe('a failing network beside healthy ones', () => {
  it('lets them publish on time, dies of its waits, and is told of twice', async () => {
    const workspaceId = await scene.workspace();
    const failing = await scene.channel(workspaceId, { name: 'failing' });
    const healthy = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    const dying = await scene.article(workspaceId, failing, { title: 'dying' });
    for (let n = 0; n < 11; n++) for (const channelId of healthy) await scene.article(workspaceId, channelId);
    scene.platform.publish = answering({ dying: refused });
    const begin = scene.clock.now().getTime();

    const tries: number[] = [];
    for (let tick = 0; tick < 288; tick++) {
      const { tried, at } = await scene.tick(workspaceId);
      if (tried.some(({ routeArticleId }) => routeArticleId === dying))
        tries.push((at.getTime() - begin) / minuteMs);
      if (tick < 22) expect(scene.platform.posts).toHaveLength(tick + 1);
      scene.clock.advance({ minutes: 5 });
    }

    expect(tries).toEqual([0, 5, 35, 155]);
    expect(await routeArticle(scene.db, dying)).toMatchObject({ publish_status: 'dead' });
    expect(await alertKinds(scene.db)).toEqual(['article_dead']);
    scene.platform.publish = () => succeeded;
    await changeRouteArticle(scene.db, {
      id: dying,
      change: { action: 'retry' },
      actor: 'test',
      now: scene.clock.now(),
    });
    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });
    expect(await alertKinds(scene.db)).toEqual(['article_dead', 'channel_up']);
  });

  it('lets the other items of a feed out on time when the first fails', async () => {
    const workspaceId = await scene.workspace();
    const failing = await scene.channel(workspaceId);
    const healthy = await scene.channel(workspaceId);
    for (let item = 1; item <= 5; item++) {
      const { article_id } = await routeArticle(
        scene.db,
        await scene.article(workspaceId, failing, { title: 'refused' }),
      );
      await scene.article(workspaceId, healthy, { article_id, title: `${item}` });
    }
    scene.platform.publish = answering({ refused });

    for (let n = 0; n < 5; n++) await scene.nextTick(workspaceId);

    expect(scene.platform.posts.map(({ title }) => title)).toEqual(['1', '2', '3', '4', '5']);
  });
});

describe('one link for two channels', () => {
  it('goes out in each, once', async () => {
    const workspaceId = await scene.workspace();
    const channels = [await scene.channel(workspaceId), await scene.channel(workspaceId)];
    const url_key = '00000000-0000-0000-0000-00000000002a';
    for (let twice = 0; twice < 2; twice++) {
      for (const channelId of channels) await scene.article(workspaceId, channelId, { url_key });
    }

    for (let n = 0; n < 6; n++) await scene.nextTick(workspaceId);

    const sent = await scene.db('publications').orderBy('channel_id').select('channel_id');
    expect(sent).toEqual(channels.map(channel_id => ({ channel_id })));
    expect(scene.platform.posts).toHaveLength(2);
    expect(await scene.db('route_articles').where({ skip_reason: 'duplicate' })).toHaveLength(2);
  });
});
