import { describe, expect, it } from 'vitest';
import { alertKinds, createAccount } from '../support/factories.ts';
import { answering, succeeded, throttled } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const minuteMs = 60_000;

/** The length of a channel's or an account's hold from now on, in minutes; null: without end, or none. */
async function heldMinutes(table: 'channels' | 'accounts', id: number): Promise<number | null> {
  const { held_until: until } = await scene.db(table).where({ id }).first();
  return until && (until.getTime() - scene.clock.now().getTime()) / minuteMs;
}

describe('an account that is throttled', () => {
  it('holds all its channels, in the same tick already, and no other', async () => {
    const workspaceId = await scene.workspace();
    const account_id = await createAccount(scene.db, workspaceId);
    const shared = [
      await scene.channel(workspaceId, { account_id }),
      await scene.channel(workspaceId, { account_id }),
    ];
    for (const channelId of shared) await scene.article(workspaceId, channelId, { title: 'limited' });
    const other = await scene.article(workspaceId, await scene.channel(workspaceId));
    scene.platform.publish = answering({ limited: { ...throttled, scope: 'account' } });

    const result = await scene.tick(workspaceId);

    expect(result.tried.map(({ outcome }) => outcome)).toEqual(['throttled', 'published']);
    expect(result.published?.routeArticleId).toBe(other);
    expect(await heldMinutes('accounts', account_id)).toBe(5);
    expect(await scene.db('channels').whereNotNull('hold_reason')).toEqual([]);
    scene.platform.publish = () => succeeded;
    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });
    expect(await scene.db('accounts').first()).toMatchObject({ hold_reason: null, refusals: 0 });
  });

  it('holds the channel itself where its account is archived', async () => {
    const workspaceId = await scene.workspace();
    const account_id = await createAccount(scene.db, workspaceId, { archived_at: new Date('2026-09-01') });
    const channelId = await scene.channel(workspaceId, { account_id });
    for (let n = 0; n < 3; n++) await scene.article(workspaceId, channelId);
    scene.platform.publish = () => ({ ...throttled, scope: 'account' });

    const result = await scene.tick(workspaceId);

    expect(result.tried).toHaveLength(1);
    expect(await heldMinutes('channels', channelId)).toBe(5);
  });
});

describe('a channel without an active account', () => {
  it.each([
    ['none', null],
    ['one that is disabled', 'disabled'],
  ])('costs one article one attempt, and opens with its account: %s', async (_, status) => {
    const workspaceId = await scene.workspace();
    const account_id = status && (await createAccount(scene.db, workspaceId, { status }));
    const channelId = await scene.channel(workspaceId, { needs_account: true, account_id });
    const first = await scene.article(workspaceId, channelId);
    for (let n = 0; n < 11; n++) await scene.article(workspaceId, channelId);
    const healthy = await scene.article(workspaceId, await scene.channel(workspaceId), {
      created_at: new Date('2026-02-01'),
    });

    const result = await scene.tick(workspaceId);
    for (let n = 0; n < 3; n++) await scene.nextTick(workspaceId, 300);

    expect(result.published?.routeArticleId).toBe(healthy);
    expect(result.tried[0]).toMatchObject({
      routeArticleId: first,
      outcome: 'failed',
      code: 'no_account',
      attempts: 1,
    });
    expect(await scene.db('attempts').where({ code: 'no_account' })).toHaveLength(1);
    expect(await alertKinds(scene.db)).toEqual(['channel_down']);
    const active = account_id ?? (await createAccount(scene.db, workspaceId));
    await scene.db('accounts').update({ status: 'active' });
    await scene.db('channels').where({ id: channelId }).update({ account_id: active });
    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });
    expect(await alertKinds(scene.db)).toEqual(['channel_down', 'channel_up']);
  });

  it('is held while its account needs attention, at no attempt', async () => {
    const workspaceId = await scene.workspace();
    const account_id = await createAccount(scene.db, workspaceId, { status: 'needs_attention' });
    await scene.article(workspaceId, await scene.channel(workspaceId, { needs_account: true, account_id }));

    expect(await scene.tick(workspaceId)).toMatchObject({ reason: 'nothing_due', tried: [] });
    await scene.db('accounts').update({ status: 'active' });

    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });
  });
});
