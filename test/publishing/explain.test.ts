import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findRouteArticle } from '../../src/models/routeArticleList.ts';
import { loadSchedule } from '../../src/models/schedule.ts';
import { type Explanation, explain } from '../../src/publishing/explain.ts';
import { createAccount, routeArticle } from '../support/factories.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const minuteMs = 60_000;

async function ask(id: number, { assumeWorker = true } = {}): Promise<Explanation> {
  const article = await findRouteArticle(scene.db, id);
  const schedule = article && (await loadSchedule(scene.db, article.workspaceId));
  if (!article || !schedule) throw new Error(`there is no article ${id}`);
  return explain(article, schedule, { at: scene.clock.now(), assumeWorker });
}

type Columns = Record<string, unknown>;
type Blocked = { workspace?: Columns; channel?: Columns; article?: Columns; sentMinutesAgo?: number };

async function blockedArticle({ workspace = {}, channel = {}, article = {}, sentMinutesAgo }: Blocked) {
  const workspaceId = await scene.workspace(workspace);
  const channelId = await scene.channel(workspaceId, channel);
  const id = await scene.article(workspaceId, channelId, article);
  if (sentMinutesAgo !== undefined) await sent(workspaceId, channelId, sentMinutesAgo);
  return { workspaceId, id };
}

async function sent(workspaceId: number, channelId: number, minutesAgo: number) {
  const over = { publish_status: 'published', publish_attempts: 1 };
  const row = await routeArticle(scene.db, await scene.article(workspaceId, channelId, over));
  const at = new Date(scene.clock.now().getTime() - minutesAgo * minuteMs);
  await scene.db('publications').insert({
    workspace_id: workspaceId,
    channel_id: channelId,
    route_article_id: row.id,
    url_key: row.url_key,
    generation: 1,
    state: 'published',
    post: '{}',
    counted_at: at,
    sending_at: at,
    send_by: at,
    published_at: at,
  });
}

const inMinutes = (minutes: number) => new Date(scene.clock.now().getTime() + minutes * minuteMs);
const claim = { claim_token: randomUUID(), claimed_at: new Date('2026-09-07'), claimed_from: 'pending' };

describe('explain', () => {
  it.each([
    ['awaiting_approval', { approval_status: 'pending' }],
    ['rejected', { approval_status: 'rejected' }],
    ['published', { publish_status: 'published', publish_attempts: 1 }],
    ['skipped', { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'duplicate' }],
    ['dead', { publish_status: 'dead', publish_attempts: 4, next_attempt_at: new Date('2026-09-08') }],
    ['unknown_outcome', { publish_status: 'unknown', publish_attempts: 1 }],
    ['in_flight', { publish_status: 'publishing', publish_attempts: 1, ...claim }],
  ])('says %s of what no tick looks at by itself', async (reason, article) => {
    // Whatever else would block it is not what it waits for.
    const { id } = await blockedArticle({ article, workspace: { paused: true }, channel: { paused: true } });

    expect(await ask(id)).toMatchObject({ reason, until: null, next: null });
  });

  it('says why a person is asked who is not asked by the route', async () => {
    const detail = 'possible duplicate of "Title" (https://blog.test/1)';
    const asked = {
      approval_status: 'pending',
      approval_reason: 'possible_duplicate',
      approval_detail: detail,
    };
    const { id } = await blockedArticle({ article: asked });

    expect(await ask(id)).toMatchObject({ reason: 'awaiting_approval', until: null, detail });
  });

  it.each([
    ['workspace_paused', { workspace: { paused: true } }],
    ['channel_paused', { channel: { paused: true } }],
    ['channel_paused', { channel: { archived_at: new Date('2026-09-01') } }],
    ['channel_held', { channel: { hold_reason: 'gone' } }],
    ['no_account', { channel: { needs_account: true, hold_reason: 'no_account' } }],
    ['daily_cap', { workspace: { daily_cap: 0 } }],
    ['channel_daily_cap', { channel: { daily_cap: 0 } }],
  ])('says %s, without an end, of what waits for a person', async (reason, blocked: Blocked) => {
    const { id, workspaceId } = await blockedArticle(blocked);

    expect(await ask(id)).toMatchObject({ state: 'pending', reason, until: null, next: null });
    expect((await scene.nextTick(workspaceId, 1_000)).tried).toEqual([]);
  });

  it('says account_held of an account that needs attention', async () => {
    const workspaceId = await scene.workspace();
    const account_id = await createAccount(scene.db, workspaceId, { status: 'needs_attention' });
    const id = await scene.article(workspaceId, await scene.channel(workspaceId, { account_id }));

    expect(await ask(id)).toMatchObject({ reason: 'account_held', until: null, next: null });
  });

  it.each<[string, () => Blocked, number, number]>([
    ['waiting_turn', () => ({}), 0, 5],
    [
      'backoff',
      () => ({ article: { publish_status: 'failed', publish_attempts: 1, next_attempt_at: inMinutes(7) } }),
      7,
      10,
    ],
    [
      'backoff',
      () => ({ article: { publish_status: 'failed', publish_attempts: 2, next_attempt_at: inMinutes(30) } }),
      30,
      30,
    ],
    [
      'enriching',
      () => ({ article: { next_attempt_at: inMinutes(7), last_error_code: 'enriching' } }),
      7,
      10,
    ],
    [
      'duplicate_in_flight',
      () => ({ article: { next_attempt_at: inMinutes(7), last_error_code: 'duplicate_in_flight' } }),
      7,
      10,
    ],
    [
      'channel_interval',
      () => ({ channel: { publish_interval_ms: 32 * minuteMs }, sentMinutesAgo: 10 }),
      22,
      25,
    ],
    [
      'channel_interval',
      () => ({ channel: { publish_interval_ms: 30 * minuteMs }, sentMinutesAgo: 10 }),
      20,
      20,
    ],
    ['channel_held', () => ({ channel: { hold_reason: 'rate_limited', held_until: inMinutes(12) } }), 12, 15],
    // Of two reasons the one that ends last.
    [
      'channel_held',
      () => ({
        channel: { hold_reason: 'rate_limited', held_until: inMinutes(40) },
        article: { publish_status: 'failed', publish_attempts: 1, next_attempt_at: inMinutes(7) },
      }),
      40,
      40,
    ],
  ])('says %s, and when a tick looks at it next (%#)', async (reason, blocked, untilMinutes, nextMinutes) => {
    const workspaceId = await scene.workspace();
    const { channel = {}, article = {}, sentMinutesAgo } = blocked();
    const channelId = await scene.channel(workspaceId, channel);
    const id = await scene.article(workspaceId, channelId, article);
    if (sentMinutesAgo !== undefined) await sent(workspaceId, channelId, sentMinutesAgo);

    const explanation = await ask(id);

    const next = inMinutes(nextMinutes);
    expect(explanation).toMatchObject({
      reason,
      until: untilMinutes === 0 ? null : inMinutes(untilMinutes),
      next,
    });
    await expectFirstLook(workspaceId, id, next);
  });

  it.each<[string, Columns, string, string]>([
    ['outside_window', { windows: ['mon 12:20-22:00'] }, '2026-09-07T10:20:00Z', 'the opening'],
    ['daily_cap', { daily_cap: 1 }, '2026-09-07T22:00:00Z', 'local midnight'],
  ])('says %s, until its end by the calendar of the workspace', async (reason, columns, until) => {
    const { workspaceId, id } = await blockedArticle({
      workspace: { timezone: 'Europe/Berlin', ...columns },
      sentMinutesAgo: 10,
    });

    const explanation = await ask(id);

    expect(explanation).toMatchObject({ reason, until: new Date(until) });
    const sinceEnd = Number(explanation.next) - Date.parse(until);
    expect(sinceEnd >= 0 && sinceEnd < 5 * minuteMs).toBe(true);
    await expectFirstLook(workspaceId, id, explanation.next);
  });

  it('sees that the next look falls into another reason: a wait that ends while the window is closed', async () => {
    const workspace = { windows: ['10:00-10:20', '11:00-12:00'] };
    const { workspaceId, id } = await blockedArticle({ workspace });
    const next_attempt_at = inMinutes(30);
    await scene
      .db('route_articles')
      .update({ publish_status: 'failed', publish_attempts: 2, next_attempt_at });

    const explanation = await ask(id);

    expect(explanation).toMatchObject({ reason: 'backoff', until: next_attempt_at });
    expect(Number(explanation.next) >= Date.parse('2026-09-07T11:00:00Z')).toBe(true);
    await expectFirstLook(workspaceId, id, explanation.next);
  });

  it('knows of no next look where the windows are too short for any slot', async () => {
    const { id, workspaceId } = await blockedArticle({ workspace: { tick_interval_ms: 86_400_000 } });
    const hour = (scene.clock.now().getUTCHours() + 2) % 24;
    const windows = [`${String(hour).padStart(2, '0')}:00-${String(hour).padStart(2, '0')}:01`];
    await scene.db('workspaces').where({ id: workspaceId }).update({ windows });

    expect(await ask(id)).toMatchObject({ reason: 'outside_window', next: null });
  });

  it('waits for its turn until the newest slot is past again, when the clock was set back', async () => {
    const { id, workspaceId } = await blockedArticle({});
    await scene.db('workspaces').update({ last_slot_at: inMinutes(15) });

    const explanation = await ask(id);

    expect(explanation).toMatchObject({ reason: 'waiting_turn', next: inMinutes(20) });
    await expectFirstLook(workspaceId, id, explanation.next);
  });

  it('says no_worker after three intervals without a tick, and only where nothing else is in the way', async () => {
    const { id } = await blockedArticle({ workspace: { last_tick_at: new Date('2026-09-07T09:00:00Z') } });
    expect(await ask(id, { assumeWorker: false })).toMatchObject({
      reason: 'no_worker',
      detail: 'no tick since 2026-09-07T09:00:00.000Z',
    });
    await scene.db('workspaces').update({ last_tick_at: inMinutes(-15) });
    expect(await ask(id, { assumeWorker: false })).toMatchObject({ reason: 'waiting_turn' });
    await scene.db('workspaces').update({ last_tick_at: inMinutes(-16), paused: true });

    expect(await ask(id, { assumeWorker: false })).toMatchObject({ reason: 'workspace_paused' });
  });
});

/** Ticks slot by slot: the article must be tried at `next`, and at no tick before. */
async function expectFirstLook(workspaceId: number, id: number, next: Date | null) {
  for (let slots = 0; slots < 300; slots++) {
    const { tried, at } = await scene.nextTick(workspaceId);
    if (tried.some(({ routeArticleId }) => routeArticleId === id)) {
      expect(at).toEqual(next);
      return;
    }
  }
  expect(null).toEqual(next);
}
