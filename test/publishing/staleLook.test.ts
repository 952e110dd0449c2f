import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { routeArticle } from '../support/factories.ts';
import { publishingTools } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const { signal } = new AbortController();

/** A tick whose lock is only got after somebody else has been at work. */
function tickAfter(meddle: () => Promise<unknown>) {
  const lock: LockUnit = async () => {
    await meddle();
    return { signal, release: async () => {} };
  };
  const job = new PublishNextArticleJob(publishingTools(scene.db, scene.platform), lock);
  return (workspaceId: number) => job.handle({ workspaceId }, { clock: scene.clock, signal });
}

describe('a tick that waited for nobody, and still came second', () => {
  it('stays quiet when the slot was used between its look and its lock', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const first = await scene.article(workspaceId, channelId);
    const second = await scene.article(workspaceId, channelId);
    const tick = tickAfter(() => scene.tick(workspaceId));

    const result = await tick(workspaceId);

    expect(result).toMatchObject({ outcome: 'idle', reason: 'slot_used', tried: [] });
    expect(await routeArticle(scene.db, first)).toMatchObject({ publish_status: 'published' });
    expect(await routeArticle(scene.db, second)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    expect(await scene.db('attempts')).toHaveLength(1);
  });

  it('ends what died in flight between its look and its lock, and publishes the next in the same tick', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const orphan = await scene.article(workspaceId, channelId);
    const next = await scene.article(workspaceId, channelId);
    const tick = tickAfter(() =>
      scene.db('route_articles').where({ id: orphan, publish_status: 'pending' }).update({
        publish_status: 'publishing',
        publish_attempts: 1,
        claim_token: randomUUID(),
        claimed_at: scene.clock.now(),
        claimed_from: 'pending',
      }),
    );

    const result = await tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(next);
    expect(await routeArticle(scene.db, orphan)).toMatchObject({
      publish_status: 'failed',
      publish_attempts: 1,
      last_error: 'interrupted (consumer restarted)',
    });
  });
});
