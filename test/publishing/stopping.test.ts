import { describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { routeArticle } from '../support/factories.ts';
import { articleRefused, lockInProcess, publishingTools, succeeded } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';
import { tryMeddled } from '../support/tryMeddled.ts';

const scene = useScene();

async function twoArticles(columns: Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const first = await scene.article(workspaceId, channelId, columns);
  const second = await scene.article(workspaceId, channelId);
  return { workspaceId, first, second };
}

function tick(workspaceId: number, context: { signal: AbortSignal; cutOff?: AbortSignal; lock?: LockUnit }) {
  const { lock = lockInProcess(), ...signals } = context;
  const job = new PublishNextArticleJob(publishingTools(scene.db, scene.platform), lock);
  return job.handle({ workspaceId }, { clock: scene.clock, ...signals });
}

describe('stopping', () => {
  it.each([
    ['pending', { publish_status: 'pending', publish_attempts: 0, next_attempt_at: null }],
    [
      'failed',
      {
        publish_status: 'failed',
        publish_attempts: 2,
        next_attempt_at: new Date('2026-09-07T09:00:00Z'),
        last_error: 'x',
      },
    ],
  ])('gives a %s article back before the gate without spending an attempt', async (_, columns) => {
    const { first } = await twoArticles(columns);
    const stop = new AbortController();

    const result = await tryMeddled(scene, first, () => stop.abort(), stop.signal);

    expect(result).toMatchObject({
      tried: { outcome: 'passed', code: 'stopping' },
      next: { kind: 'end', reason: 'stopping' },
    });
    expect(await routeArticle(scene.db, first)).toMatchObject({ ...columns, claim_token: null });
    expect(await scene.db('attempts')).toEqual([]);
    expect(scene.platform.posts).toEqual([]);
  });

  it('claims nothing more: what is under way is finished and recorded', async () => {
    const { workspaceId, first, second } = await twoArticles();
    const stop = new AbortController();
    scene.platform.publish = () => {
      stop.abort();
      return articleRefused;
    };

    const result = await tick(workspaceId, { signal: stop.signal });

    expect(result).toMatchObject({ outcome: 'idle', reason: 'stopping', tried: [{ outcome: 'failed' }] });
    expect(await routeArticle(scene.db, first)).toMatchObject({
      publish_status: 'failed',
      publish_attempts: 1,
    });
    expect(await routeArticle(scene.db, second)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
  });

  it('does not cut off a send that is under way: its success is recorded', async () => {
    const { workspaceId, first } = await twoArticles();
    const stop = new AbortController();
    scene.platform.publish = (_, { signal }) => {
      stop.abort();
      return signal.aborted ? articleRefused : succeeded;
    };

    const result = await tick(workspaceId, { signal: stop.signal });

    expect(result.published?.routeArticleId).toBe(first);
  });

  it('tells a send that can be waited for no longer', async () => {
    const { workspaceId, first } = await twoArticles();
    const cutOff = new AbortController();
    scene.platform.publish = (_, { signal }) => {
      cutOff.abort();
      return { kind: 'unknown', code: 'aborted', detail: String(signal.aborted) };
    };

    const result = await tick(workspaceId, { signal: cutOff.signal, cutOff: cutOff.signal });

    expect(result).toMatchObject({ reason: 'unknown_outcome', detail: 'true' });
    expect(await routeArticle(scene.db, first)).toMatchObject({ publish_status: 'unknown' });
  });

  it.each([
    ['aborted', 'stopping', 1],
    ['send_by_passed', 'all_blocked', 2],
  ] as const)('gives back what did not leave, its intent as well: %s', async (code, reason, tries) => {
    const { workspaceId, first } = await twoArticles();
    scene.platform.publish = () => ({ kind: 'not_sent', code, detail: 'not sent' }) satisfies PublishOutcome;

    const result = await tick(workspaceId, { signal: new AbortController().signal });

    expect(result).toMatchObject({ outcome: 'idle', reason });
    expect(result.tried).toHaveLength(tries);
    expect(await routeArticle(scene.db, first)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
      sending_at: null,
    });
    expect(await scene.db('publications')).toEqual([]);
    expect(await scene.db('workspaces').first()).toMatchObject({ last_slot_at: null });
  });

  it('is what losing the lock amounts to', async () => {
    const { workspaceId, second } = await twoArticles();
    const lost = new AbortController();
    const lock: LockUnit = async () => ({ signal: lost.signal, release: async () => undefined });
    scene.platform.publish = () => {
      lost.abort();
      return articleRefused;
    };

    const result = await tick(workspaceId, { signal: new AbortController().signal, lock });

    expect(result).toMatchObject({ reason: 'stopping' });
    expect(await routeArticle(scene.db, second)).toMatchObject({ publish_status: 'pending' });
  });
});
