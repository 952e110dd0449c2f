import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProxy, type TcpProxy } from './support/proxy.ts';
import { limitsInForce } from './support/realTime.ts';
import { useFaultScene } from './support/scene.ts';
import { letTicksPass, pass } from './support/ticks.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();
/** Longer than a statement may take, and than the lock connection may be silent. */
const awayMs = 1.5 * limitsInForce.databaseAnswerMs;
const limits = { sendAnswerMs: 4 * awayMs };
let proxy: TcpProxy;

beforeEach(async () => {
  proxy = await openProxy(scene.url);
});

afterEach(() => proxy.close());

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news', { findsOut: 'not_at_all' }) };
}

const complaints = (worker: Worker) =>
  worker.lines.map(({ msg }) => String(msg)).filter(msg => /^(database lost|queue store failed)/.test(msg));

describe('a half-open connection to PostgreSQL', () => {
  const ways = [
    ['in both directions', () => proxy.halfOpen()],
    ['that loses the answers', () => proxy.swallowAnswers()],
  ] as const;

  it.for(ways)('F41 %s in mid-tick: what was answered is kept, and recorded', async ([, takeAway]) => {
    const { news } = await openNews();
    scene.publisher.behaveOnce('news', { kind: 'accept_then_hold' });
    const [id, next] = [await scene.article(news), await scene.article(news)];
    const worker = await scene.worker({ databaseUrl: proxy.url, limits });
    await scene.publisher.accepted('news', 1);

    takeAway();
    scene.publisher.release('news');
    await pass(awayMs);
    const during = complaints(worker);
    await proxy.mend();
    const published = await scene.reached(id, 'published');
    await scene.reached(next, 'published');

    expect(during, during.join('\n')).toHaveLength(1);
    expect(published.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(scene.publisher.posts).toHaveLength(2);
    await scene.expectInvariants();
  });

  it.for(ways)(
    'F41 %s when idle: it is noticed, and ticking goes on when it is mended',
    async ([, takeAway]) => {
      const { workspaceId, news } = await openNews();
      const worker = await scene.worker({ databaseUrl: proxy.url });
      await letTicksPass(scene.db, workspaceId, 0);

      takeAway();
      await pass(awayMs);
      const during = complaints(worker);
      const id = await scene.article(news);
      await proxy.mend();
      await scene.reached(id, 'published');

      expect(during, during.join('\n')).toHaveLength(1);
      expect(worker.isRunning).toBe(true);
      await scene.expectInvariants();
    },
  );
});
