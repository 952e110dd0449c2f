import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { routeArticle } from '../support/factories.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const at = new Date('2026-09-07T10:00:00Z');

type Columns = Record<string, unknown>;
const claim = {
  publish_status: 'publishing',
  claim_token: randomUUID(),
  claimed_at: at,
  claimed_from: 'pending',
};

async function insertArticle(columns: Columns): Promise<number> {
  const workspaceId = await scene.workspace();
  return scene.article(workspaceId, await scene.channel(workspaceId), columns);
}

describe('route_articles', () => {
  it.each<[string, Columns, string]>([
    ['an unknown approval', { approval_status: 'maybe' }, 'approval_status_check'],
    ['an unknown status', { publish_status: 'throttled' }, 'publish_status_check'],
    ['a fifth attempt', { publish_status: 'dead', publish_attempts: 5 }, 'publish_attempts_check'],
    ['a negative attempt', { publish_attempts: -1 }, 'publish_attempts_check'],
    [
      'an unknown reason to skip',
      { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'boring' },
      'skip_reason_check',
    ],
    ['a generation before the first', { generation: 0 }, 'generation_check'],
    ['a claim from nowhere', { ...claim, claimed_from: 'dead' }, 'claimed_from_check'],
    ['negative look-ups', { lookups: -1 }, 'lookups_check'],
    [
      'a skipped row with attempts left',
      { publish_status: 'skipped', publish_attempts: 3, skip_reason: 'duplicate' },
      'skipped_is_terminal',
    ],
    [
      'a skipped row without a reason',
      { publish_status: 'skipped', publish_attempts: 4 },
      'skipped_has_reason',
    ],
    ['a reason to skip on a row that is not', { skip_reason: 'duplicate' }, 'skipped_has_reason'],
    [
      'a failed row without an attempt',
      { publish_status: 'failed', publish_attempts: 0 },
      'failed_has_attempts_left',
    ],
    [
      'a failed row without attempts left',
      { publish_status: 'failed', publish_attempts: 4 },
      'failed_has_attempts_left',
    ],
    ['a publishing row without a claim', { publish_status: 'publishing' }, 'claim_is_whole'],
    ['a claim on a row that is not publishing', { ...claim, publish_status: 'pending' }, 'claim_is_whole'],
    ['a claim without its time', { ...claim, claimed_at: null }, 'claim_is_whole'],
    ['a claim without its origin', { ...claim, claimed_from: null }, 'claim_is_whole'],
    ['the rest of a claim', { claimed_at: at }, 'claim_is_whole'],
    ['a publishing row that waits', { ...claim, next_attempt_at: at }, 'wait_only_while_queued'],
    [
      'a published row that waits',
      { publish_status: 'published', next_attempt_at: at },
      'wait_only_while_queued',
    ],
    [
      'an unknown row that waits',
      { publish_status: 'unknown', next_attempt_at: at },
      'wait_only_while_queued',
    ],
    [
      'a skipped row that waits',
      { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'duplicate', next_attempt_at: at },
      'wait_only_while_queued',
    ],
    ['a pending row that was sent', { sending_at: at }, 'sending_only_after_gate'],
    [
      'a failed row that was sent',
      { publish_status: 'failed', publish_attempts: 1, sending_at: at },
      'sending_only_after_gate',
    ],
    [
      'a dead row that was sent',
      { publish_status: 'dead', publish_attempts: 4, sending_at: at },
      'sending_only_after_gate',
    ],
    ['a look-up of a pending row', { next_lookup_at: at }, 'lookup_only_while_unknown'],
    [
      'a look-up of a published row',
      { publish_status: 'published', next_lookup_at: at },
      'lookup_only_while_unknown',
    ],
  ])('refuse %s', async (_, columns, constraint) => {
    await expect(insertArticle(columns)).rejects.toThrow(constraint);
  });

  it.each<[Columns, number]>([
    [{}, 1],
    [{ next_attempt_at: at }, 2],
    [{ publish_status: 'failed', publish_attempts: 1 }, 1],
    [{ publish_status: 'failed', publish_attempts: 3, next_attempt_at: at }, 2],
    [{ approval_status: 'pending' }, 0],
    [{ approval_status: 'rejected', next_attempt_at: at }, 0],
    [{ publish_status: 'dead', publish_attempts: 1, next_attempt_at: at }, 0],
    [{ publish_status: 'skipped', publish_attempts: 4, skip_reason: 'by_person' }, 0],
    [{ publish_status: 'published', publish_attempts: 1, sending_at: at }, 0],
    [{ publish_status: 'unknown', publish_attempts: 1, sending_at: at, next_lookup_at: at }, 0],
    [claim, 3],
    // A row that is rejected while claimed stays in flight until its claim ends.
    [{ ...claim, approval_status: 'rejected' }, 3],
    [{ ...claim, sending_at: at, next_lookup_at: at, claimed_from: 'unknown' }, 3],
  ])('allow %o, and derive that it stands at %i', async (columns, queueState) => {
    const id = await insertArticle(columns);

    expect(await routeArticle(scene.db, id)).toMatchObject({ queue_state: queueState });
  });

  it('refuse a second row in flight in a workspace, and not in another', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId, claim);

    await expect(scene.article(workspaceId, channelId, claim)).rejects.toThrow('route_articles_in_flight');
    await insertArticle(claim);
  });

  it('refuse a channel or an article of another workspace, and one article twice in a channel', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const stranger = await scene.channel(await scene.workspace());
    const { article_id } = await routeArticle(scene.db, await scene.article(workspaceId, channelId));

    await expect(scene.article(workspaceId, stranger)).rejects.toThrow('foreign key');
    await expect(scene.article(await scene.workspace(), stranger, { article_id })).rejects.toThrow(
      'foreign key',
    );
    await expect(scene.article(workspaceId, channelId, { article_id })).rejects.toThrow(
      'article_id_channel_id_key',
    );
  });

  it('refuse to change what their state is derived from by hand', async () => {
    const id = await insertArticle({});

    await expect(scene.db('route_articles').where({ id }).update({ queue_state: 0 })).rejects.toThrow(
      'can only be updated to DEFAULT',
    );
  });
});

describe('publications', () => {
  async function insertPublication(columns: Columns) {
    const row = await routeArticle(scene.db, await insertArticle({}));
    const { workspace_id, channel_id, id: route_article_id, url_key } = row;
    const ids = { workspace_id, channel_id, route_article_id, url_key, generation: 1 };
    const times = { counted_at: at, sending_at: at, send_by: at };
    await scene.db('publications').insert({ ...ids, ...times, state: 'sending', post: '{}', ...columns });
  }

  it.each<[string, Columns, string]>([
    ['an unknown state', { state: 'failed' }, 'state_check'],
    ['a generation before the first', { generation: 0 }, 'generation_check'],
    ['one that is published at no time', { state: 'published' }, 'published_has_time'],
    ['a time of publishing while it is sent', { published_at: at }, 'published_has_time'],
    [
      'a time of publishing while it is unknown',
      { state: 'unknown', published_at: at },
      'published_has_time',
    ],
    ['one without a key', { url_key: null }, 'url_key'],
    ['one without its deadline', { send_by: null }, 'send_by'],
    ['one that counts at no time', { counted_at: null }, 'counted_at'],
    ['one without its post', { post: null }, 'post'],
  ])('refuse %s', async (_, columns, constraint) => {
    await expect(insertPublication(columns)).rejects.toThrow(constraint);
  });

  it.each<[Columns]>([
    [{ state: 'sending' }],
    [{ state: 'unknown' }],
    [{ state: 'published', published_at: at }],
    [{ slot_at: null }],
  ])('allow %o', async columns => {
    await insertPublication(columns);

    expect(await scene.db('publications')).toHaveLength(1);
  });

  it('refuse a route article of another workspace', async () => {
    const stranger = await insertArticle({});

    await expect(insertPublication({ route_article_id: stranger })).rejects.toThrow('foreign key');
  });

  it('let any number without a slot stand side by side', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const published = {
      state: 'published',
      published_at: at,
      workspace_id: workspaceId,
      channel_id: channelId,
    };
    for (let n = 0; n < 3; n++) {
      const route_article_id = await scene.article(workspaceId, channelId);
      await insertPublication({ ...published, route_article_id, url_key: randomUUID(), slot_at: null });
    }

    expect(await scene.db('publications').where({ slot_at: null })).toHaveLength(3);
  });
});
