import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { slotOf } from '../../src/publishing/slot.ts';
import { routeArticle } from '../support/factories.ts';
import { answering, articleRefused, unknown } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';
import { tryMeddled } from '../support/tryMeddled.ts';

const scene = useScene();

/** Writes a publication past all code: what another process, or a bug, may have left. */
async function publication(routeArticleId: number, columns: Record<string, unknown> = {}): Promise<number> {
  const { workspace_id, channel_id, url_key, generation } = await routeArticle(scene.db, routeArticleId);
  const at = new Date('2026-09-06T10:00:00Z');
  const [row] = await scene
    .db('publications')
    .insert({
      workspace_id,
      channel_id,
      route_article_id: routeArticleId,
      url_key,
      generation,
      state: 'published',
      post: '{}',
      counted_at: at,
      sending_at: at,
      send_by: at,
      published_at: columns.state === undefined || columns.state === 'published' ? at : null,
      ...columns,
    })
    .returning('id');
  return row.id;
}

/** An ended article that a direct insert can point at, and a ready one with another after it. */
async function setting() {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const ended = await scene.article(workspaceId, channelId, { publish_status: 'dead', publish_attempts: 4 });
  const first = await scene.article(workspaceId, channelId, { title: 'first' });
  const second = await scene.article(workspaceId, channelId, { title: 'second' });
  return { workspaceId, channelId, ended, first, second };
}

const untouched = { publish_status: 'pending', publish_attempts: 0, claim_token: null, sending_at: null };

describe('the unique indexes behind the gate', () => {
  it('refuse a second publication in flight, in a slot, and of a link in a channel', async () => {
    const { first, second, ended } = await setting();
    const slot_at = new Date('2026-09-07T10:00:00Z');
    await publication(first, { state: 'sending', slot_at });

    await expect(publication(second, { state: 'sending' })).rejects.toThrow('publications_one_in_flight');
    await expect(publication(second, { slot_at })).rejects.toThrow('publications_one_per_slot');
    await expect(publication(first)).rejects.toThrow('publications_once_per_channel');
    await publication(first, { generation: 2 });
    await publication(second);
    await publication(ended);
    expect(await scene.db('publications')).toHaveLength(4);
  });
});

describe('the gate', () => {
  it('ends the tick as busy when a publication of the workspace is in flight', async () => {
    const { workspaceId, ended, first } = await setting();
    await publication(ended, { state: 'sending', url_key: randomUUID() });

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({
      reason: 'busy',
      tried: [{ routeArticleId: first, outcome: 'passed', attempts: 0 }],
    });
    expect(await routeArticle(scene.db, first)).toMatchObject(untouched);
    expect(scene.platform.posts).toEqual([]);
  });

  it('ends the tick as slot_used when a publication has its slot', async () => {
    const { workspaceId, ended, first } = await setting();
    const slot_at = slotOf(scene.clock.now(), { id: workspaceId, tickIntervalMs: 300_000 });
    await publication(ended, { slot_at });

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({
      reason: 'slot_used',
      tried: [{ routeArticleId: first, outcome: 'passed' }],
    });
    expect(await routeArticle(scene.db, first)).toMatchObject(untouched);
    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });
  });

  it('skips a link that was published, whoever finds it out: the look before the claim or the index', async () => {
    const { workspaceId, first, second } = await setting();
    const { url_key } = await routeArticle(scene.db, first);
    // Published by another article in the very moment before the gate.
    const rival = await scene.article(workspaceId, (await routeArticle(scene.db, first)).channel_id, {
      url_key,
      approval_status: 'pending',
    });
    await scene.db.raw(`
      create function rival() returns trigger language plpgsql as $$ begin
        if new.route_article_id = ${first} then
          insert into publications (workspace_id, channel_id, route_article_id, url_key, generation, state, post,
                                    counted_at, sending_at, send_by, published_at)
          values (new.workspace_id, new.channel_id, ${rival}, new.url_key, 1, 'published', '{}',
                  new.counted_at - interval '1 day', new.sending_at, new.send_by, new.sending_at);
        end if;
        return new;
      end $$`);
    await scene.db.raw(
      'create trigger rival before insert on publications for each row execute function rival()',
    );

    const result = await scene.tick(workspaceId).finally(() => scene.db.raw('drop function rival cascade'));

    // The transaction that met the rival took it back: the link was in flight, and is free again.
    expect(result.tried[0]).toMatchObject({ routeArticleId: first, outcome: 'passed', attempts: 0 });
    expect(result.published?.routeArticleId).toBe(second);
    await publication(rival);
    expect((await scene.nextTick(workspaceId)).tried).toMatchObject([
      { outcome: 'skipped', code: 'duplicate' },
    ]);
  });

  it.each(['sending', 'unknown'] as const)('gives back, at no attempt, a link that is %s', async state => {
    const { workspaceId, ended, first, second } = await setting();
    const { url_key } = await routeArticle(scene.db, first);
    const blocking = await publication(ended, { state, url_key });
    const nextAttemptAt = new Date(scene.clock.now().getTime() + 360 * 60_000);

    const result = await scene.tick(workspaceId);

    expect(result.tried[0]).toMatchObject({
      routeArticleId: first,
      outcome: 'passed',
      code: 'duplicate_in_flight',
      attempts: 0,
      nextAttemptAt,
    });
    expect(result).toMatchObject(
      state === 'sending' ? { reason: 'busy' } : { published: { routeArticleId: second } },
    );
    expect(await routeArticle(scene.db, first)).toMatchObject({
      ...untouched,
      next_attempt_at: nextAttemptAt,
    });
    expect(await scene.db('attempts').where({ route_article_id: first })).toEqual([]);
    await scene.db('publications').where({ id: blocking }).delete();
  });

  it.each([
    ['published', { outcome: 'skipped', code: 'duplicate', attempts: 4 }, { publish_status: 'skipped' }],
    [
      'unknown',
      { outcome: 'passed', code: 'duplicate_in_flight', attempts: 0 },
      { publish_status: 'pending' },
    ],
  ])('is told by the index of a link that was free a moment ago and is %s', async (state, tried, row) => {
    const { ended, first } = await setting();
    const { url_key } = await routeArticle(scene.db, first);
    const rival = { state, url_key, counted_at: scene.clock.now() };

    const result = await tryMeddled(scene, first, () => publication(ended, rival));

    expect(result).toMatchObject({ tried, next: { kind: 'go_on' } });
    expect(await routeArticle(scene.db, first)).toMatchObject({ ...row, claim_token: null });
    expect(scene.platform.posts).toEqual([]);
  });

  it('does not count a link in flight as tried: ten others still are', async () => {
    const { workspaceId, channelId, ended, first, second } = await setting();
    const others = await scene.channel(workspaceId);
    for (const id of [first, second]) {
      await publication(ended, { state: 'unknown', url_key: (await routeArticle(scene.db, id)).url_key });
    }
    for (let n = 0; n < 8; n++) await scene.article(workspaceId, channelId, { title: 'refused' });
    for (let n = 0; n < 4; n++) await scene.article(workspaceId, others, { title: 'refused' });
    scene.platform.publish = answering({ refused: articleRefused });

    const result = await scene.tick(workspaceId);

    expect(result.tried.filter(({ code }) => code === 'duplicate_in_flight')).toHaveLength(2);
    expect(result.tried).toHaveLength(12);
  });
});

describe('an article that waits for the end of another with its link', () => {
  async function waitingTwin() {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const first = await scene.article(workspaceId, channelId, { title: 'first' });
    const { url_key } = await routeArticle(scene.db, first);
    const twin = await scene.article(workspaceId, channelId, { url_key, title: 'twin' });
    return { workspaceId, channelId, first, twin };
  }

  it.each([
    ['published', { kind: 'succeeded', remoteId: null, remoteUrl: null }, 'skipped'],
    ['refused', articleRefused, 'published'],
  ] as const)('is freed when that one is %s', async (_, outcome, ending) => {
    const { workspaceId, twin } = await waitingTwin();
    scene.platform.publish = async ({ title }) => {
      if (title !== 'first') return { kind: 'succeeded', remoteId: null, remoteUrl: null };
      await scene
        .db('route_articles')
        .where({ id: twin })
        .update({
          last_error_code: 'duplicate_in_flight',
          next_attempt_at: new Date('2026-09-07T16:00:00Z'),
        });
      return outcome;
    };

    await scene.tick(workspaceId);
    const freed = await routeArticle(scene.db, twin);
    if (freed.publish_status === 'pending') await scene.nextTick(workspaceId);

    expect(freed.next_attempt_at).toBeNull();
    expect(await routeArticle(scene.db, twin)).toMatchObject({ publish_status: ending });
  });

  it('goes on waiting while the outcome of that one is not known', async () => {
    const { workspaceId, channelId, twin } = await waitingTwin();
    scene.platform.publish = () => unknown;
    await scene.tick(workspaceId);
    await scene.db('channels').where({ id: channelId }).update({ hold_reason: null, held_until: null });

    const result = await scene.nextTick(workspaceId);

    expect(result.tried).toMatchObject([{ routeArticleId: twin, code: 'duplicate_in_flight', attempts: 0 }]);
    expect(await scene.nextTick(workspaceId, 71)).toMatchObject({ tried: [] });
    expect((await scene.nextTick(workspaceId)).tried).toMatchObject([{ routeArticleId: twin }]);
    expect(scene.platform.posts).toHaveLength(1);
  });
});
