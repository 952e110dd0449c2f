import { describe, expect, it } from 'vitest';
import type { FindsOut } from './support/scene.ts';
import { useFaultScene } from './support/scene.ts';

const scene = useFaultScene();

/**
 * What a standby without the last transaction has: the claim, and nothing of the gate. The worker died with
 * the server that it was connected to.
 */
async function failOver(id: number) {
  await scene.db.transaction(async trx => {
    await trx('publications').where({ route_article_id: id }).delete();
    await trx('route_articles').where({ id }).update({ sending_at: null });
  });
}

describe('a failover that loses the intent of a post that went out', () => {
  async function startAfterFailover(findsOut: FindsOut) {
    const workspaceId = await scene.workspace();
    const news = await scene.channel(workspaceId, 'news', { findsOut });
    const id = await scene.article(news);
    const faults = [{ when: 'before', statement: 'record-published', do: 'kill' }] as const;
    const killed = await scene.worker({ faults });
    await killed.ended();
    await scene.publisher.accepted('news', 1);
    await failOver(id);
    await scene.worker();
    const failed = await scene.reached(id, 'failed');
    await scene.endWaits();
    return { id, failed };
  }

  it('F40 in a channel that drops what it knows: the repeat has the same id, and is dropped', async () => {
    const { id, failed } = await startAfterFailover('by_repeat');

    const published = await scene.reached(id, 'published');

    expect(failed).toMatchObject({ publish_attempts: 1, last_error_code: 'interrupted' });
    expect(published.publish_attempts).toBe(2);
    expect(scene.publisher.posts.map(({ isRepeat }) => isRepeat)).toEqual([false, true]);
    await scene.expectInvariants({ forgot: true });
  });

  it('F40 in a channel that can be asked: the search before the send finds it', async () => {
    const { id } = await startAfterFailover('by_look_up');

    const skipped = await scene.reached(id, 'skipped');

    expect(skipped.skip_reason).toBe('already_there');
    expect(scene.publisher.posts).toHaveLength(1);
    await scene.expectInvariants({ forgot: true });
  });
});
