import { describe, expect, it } from 'vitest';
import { publishNow } from '../../src/publishing/publishNow.ts';
import type { LockUnit } from '../../src/publishing/workspaceLock.ts';
import { routeArticle } from '../support/factories.ts';
import { articleRefused, lockInProcess, publishingTools, succeeded } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const signal = new AbortController().signal;

function now(id: number, lock: LockUnit = lockInProcess()) {
  const tools = { ...publishingTools(scene.db, scene.platform), lock };
  return publishNow(tools, { id, actor: 'test', clock: scene.clock, signal });
}

async function article({ workspace = {}, channel = {}, columns = {} } = {}) {
  const workspaceId = await scene.workspace(workspace);
  const channelId = await scene.channel(workspaceId, channel);
  return { workspaceId, channelId, id: await scene.article(workspaceId, channelId, columns) };
}

describe('publishNow', () => {
  it.each([
    ['a closed window', { workspace: { windows: ['03:00-03:01'] } }],
    ['a used slot', { workspace: { last_slot_at: new Date('2026-09-08') } }],
    [
      'a wait',
      { columns: { publish_status: 'failed', publish_attempts: 1, next_attempt_at: new Date('2026-09-08') } },
    ],
  ])('passes over %s', async (_, given) => {
    const { id } = await article(given);

    const result = await now(id);

    expect(result).toMatchObject({ kind: 'tried', tried: { outcome: 'published' } });
    expect(await scene.db('publications')).toMatchObject([{ route_article_id: id, slot_at: null }]);
    expect(await scene.db('audit_log')).toMatchObject([
      { action: 'publish-now', subject_id: id, actor: 'test' },
    ]);
  });

  it('passes over the interval, even of what a tick counts by an instant just ahead', async () => {
    const { workspaceId, channelId, id } = await article({ channel: { publish_interval_ms: 3_600_000 } });
    const second = await scene.article(workspaceId, channelId);
    scene.clock.advance({ seconds: -3 });
    await scene.tick(workspaceId);

    const result = await now(second);

    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'published' });
    expect(result).toMatchObject({ tried: { outcome: 'published' } });
  });

  it('counts for the interval and the cap, but takes no slot from the tick', async () => {
    const { workspaceId, channelId, id } = await article({
      workspace: { daily_cap: 2 },
      channel: { publish_interval_ms: 900_000 },
    });
    await scene.article(workspaceId, channelId);
    const other = await scene.article(workspaceId, await scene.channel(workspaceId));
    await scene.article(workspaceId, await scene.channel(workspaceId));

    await now(id);
    const result = await scene.tick(workspaceId);
    const capped = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(capped).toMatchObject({ reason: 'daily_cap' });
  });

  it.each([
    ['a paused workspace', { workspace: { paused: true } }],
    ['the cap of the workspace', { workspace: { daily_cap: 0 } }],
    ['the cap of the channel', { channel: { daily_cap: 0 } }],
    ['a paused channel', { channel: { paused: true } }],
    ['a hold', { channel: { hold_reason: 'gone' } }],
  ])('obeys %s', async (_, given) => {
    const { id } = await article(given);

    const result = await now(id);

    expect(result).toMatchObject({ kind: 'tried', tried: { outcome: 'passed', attempts: 0 } });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    expect(scene.platform.posts).toEqual([]);
  });

  it('obeys duplicates', async () => {
    const { workspaceId, channelId, id } = await article();
    await now(id);
    const { url_key } = await routeArticle(scene.db, id);
    const twin = await scene.article(workspaceId, channelId, { url_key });

    expect(await now(twin)).toMatchObject({ tried: { outcome: 'skipped', code: 'duplicate' } });
    expect(scene.platform.posts).toHaveLength(1);
  });

  it('sends a delivered article no second time, however often it is pressed', async () => {
    const { workspaceId, id } = await article();
    await scene.tick(workspaceId);

    for (let press = 0; press < 5; press++) {
      expect(await now(id)).toMatchObject({ kind: 'refused', detail: 'it is published' });
      await scene.nextTick(workspaceId, 4);
    }

    expect(scene.platform.posts).toHaveLength(1);
    expect(await scene.db('attempts')).toHaveLength(1);
  });

  it('needs approval, a live state and an article that exists', async () => {
    const { id } = await article({ columns: { approval_status: 'pending' } });
    const dead = await article({ columns: { publish_status: 'dead', publish_attempts: 4 } });

    expect(await now(id)).toMatchObject({ kind: 'refused', detail: 'it is pending: approve it first' });
    expect(await now(dead.id)).toMatchObject({ kind: 'refused', detail: 'it is dead' });
    expect(await now(4_242)).toEqual({ kind: 'not_found' });
  });

  it('is refused as busy while a tick has the workspace, and sends nothing', async () => {
    const { workspaceId, channelId, id } = await article();
    const other = await scene.article(workspaceId, channelId, { created_at: new Date('2025-01-01') });
    const lock = lockInProcess();
    const held = await lock(`publishing:${workspaceId}`);

    const busy = await now(id, lock);
    await held?.release();

    expect(busy).toMatchObject({ kind: 'refused', detail: expect.stringContaining('busy') });
    expect(await now(other, lock)).toMatchObject({ tried: { outcome: 'published' } });
  });

  it('recovers what is in flight first', async () => {
    const { workspaceId, channelId, id } = await article();
    const orphan = await scene.article(workspaceId, channelId, {
      publish_status: 'publishing',
      publish_attempts: 1,
      claim_token: '00000000-0000-0000-0000-000000000001',
      claimed_at: new Date('2026-09-07'),
      claimed_from: 'pending',
    });

    expect(await now(id)).toMatchObject({ tried: { outcome: 'published' } });
    expect(await routeArticle(scene.db, orphan)).toMatchObject({ publish_status: 'failed' });
  });

  it('records a failure as a tick does', async () => {
    const { id } = await article();
    scene.platform.publish = () => articleRefused;

    expect(await now(id)).toMatchObject({ tried: { outcome: 'failed', attempts: 1 } });
    scene.platform.publish = () => succeeded;
    expect(await now(id)).toMatchObject({ tried: { outcome: 'published', attempts: 2 } });
  });

  it('gives back before the gate when it loses the lock', async () => {
    const { id } = await article();
    const lost = AbortSignal.abort();
    const lock: LockUnit = async () => ({ signal: lost, release: async () => undefined });

    expect(await now(id, lock)).toMatchObject({ tried: { outcome: 'passed', code: 'stopping' } });
    expect(scene.platform.posts).toEqual([]);
  });
});
