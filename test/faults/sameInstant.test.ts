import { describe, expect, it } from 'vitest';
import { createBacklog } from '../support/factories.ts';
import { ticker } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const channelCount = 5;
const articleCount = 500;
const limitMs = 60_000;

describe('500 articles of the same instant', () => {
  it('F26 go out in a stable order, each once, whatever process ticks', { timeout: limitMs }, async () => {
    const workspaceId = await scene.workspace();
    for (let made = 0; made < channelCount; made += 1) {
      const channelId = await scene.channel(workspaceId);
      await createBacklog(scene.db, { workspaceId, channelId, count: articleCount / channelCount });
    }
    // On the disk they lie in another order, and in the indexes of the tie as well: it must not show.
    await scene.db.raw('update route_articles set priority = 0, url_key = url_key where id % 7 = 3');
    const ids: number[] = await scene.db('route_articles').orderBy('id').pluck('id');
    const processes = [1, 2].map(() => ticker(scene.db, scene.platform, scene.clock));

    const order: (number | undefined)[] = [];
    for (let tick = 0; tick < articleCount; tick += 1) {
      const result = await processes[tick % processes.length]?.(workspaceId);
      order.push(result?.published?.routeArticleId);
      scene.clock.advance({ minutes: 5 });
    }

    expect(order).toEqual(ids);
    expect(new Set(scene.platform.posts.map(({ postKey }) => postKey)).size).toBe(articleCount);
    expect(scene.platform.posts).toHaveLength(articleCount);
  });
});
