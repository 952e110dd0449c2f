import { describe, expect, it } from 'vitest';
import { createBacklog } from '../support/factories.ts';
import { pagesTouched } from '../support/pagesTouched.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const rowsPerBacklog = 100_000;
const mostPages = 150;

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

    const pages = await pagesTouched(scene.db, channels, scene.clock.now());
    const allDue = await pagesTouched(scene.db, channels, later);

    expect(pages).toBeLessThanOrEqual(mostPages);
    // The measure itself can fail: with every wait over, the pile has to be read.
    expect(allDue).toBeGreaterThan(mostPages);
  }, 120_000);
});
