import { describe, expect, it } from 'vitest';
import { selectDue } from '../../src/models/routeArticles.ts';
import { createBacklog } from '../support/factories.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const rowsPerBacklog = 100_000;
const mostPages = 150;

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };

/** The pages that the tick's statement touches, by the generic plan that a named statement gets. */
async function pagesTouched(channelIds: readonly number[], at: Date): Promise<number> {
  return scene.db.transaction(async trx => {
    await trx.raw('set local plan_cache_mode = force_generic_plan');
    await trx.raw('deallocate all');
    await trx.raw(`prepare due (bigint[], timestamptz) as ${selectDue.text}`);
    const ask = `explain (analyze, buffers, format json) execute due ('{${channelIds.join(',')}}', '${at.toISOString()}')`;
    // The first run may set hint bits and fill caches.
    await trx.raw(ask);
    const { rows } = await trx.raw(ask);
    await trx.raw('deallocate due');
    const { Plan: plan }: { Plan: Plan } = rows[0]['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  });
}

describe('the candidate query', () => {
  it('touches few pages beside a hundred thousand rows in backoff and as many behind a closed channel', async () => {
    const workspaceId = await scene.workspace();
    const channels: number[] = [];
    for (let n = 0; n < 4; n++) channels.push(await scene.channel(workspaceId));
    const [failing = 0, healthy = 0] = channels;
    const closed = await scene.channel(workspaceId, { paused: true });
    await createBacklog(scene.db, { workspaceId, channelId: failing, count: rowsPerBacklog });
    const later = new Date(scene.clock.now().getTime() + 1);
    await scene
      .db('route_articles')
      .update({ publish_status: 'failed', publish_attempts: 1, next_attempt_at: later });
    await createBacklog(scene.db, { workspaceId, channelId: closed, count: rowsPerBacklog });
    for (let n = 0; n < 20; n++) await scene.article(workspaceId, healthy);
    await scene.db.raw('vacuum analyze route_articles');

    const pages = await pagesTouched(channels, scene.clock.now());
    const allDue = await pagesTouched(channels, later);

    expect(pages).toBeLessThanOrEqual(mostPages);
    // The measure itself can fail: with every wait over, the pile has to be read.
    expect(allDue).toBeGreaterThan(mostPages);
  }, 120_000);
});
