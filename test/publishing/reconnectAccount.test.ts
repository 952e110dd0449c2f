import { describe, expect, it } from 'vitest';
import { findRouteArticle } from '../../src/models/routeArticleList.ts';
import { loadSchedule } from '../../src/models/schedule.ts';
import { explain } from '../../src/publishing/explain.ts';
import { publishNow } from '../../src/publishing/publishNow.ts';
import { reconnectAccount, testAccount } from '../../src/publishing/reconnectAccount.ts';
import { wrongPassword } from '../support/accountPlatform.ts';
import { type Process, useAccountScene } from '../support/accountScene.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';

const scene = useAccountScene();
const { signal } = new AbortController();
const detail = wrongPassword.detail;

async function explained(routeArticleId: number, workspaceId: number) {
  const article = await findRouteArticle(scene.db, routeArticleId);
  const schedule = await loadSchedule(scene.db, workspaceId);
  if (!article || !schedule) throw new Error('nothing to explain');
  return explain(article, schedule, { at: scene.clock.now(), assumeWorker: true });
}

async function accountOf(id: number) {
  const row = await scene.db('accounts').where({ id }).first();
  return { id, name: row.name, platform: 'fake', status: row.status, workspaceId: Number(row.workspace_id) };
}

async function reconnect(process: Process, id: number) {
  const { clock } = scene;
  return reconnectAccount(process.accounts, await accountOf(id), { actor: 'cli', clock, signal });
}

/** An account of two channels with an article each, whose credentials are refused, and one beside it. */
async function refusedAccount() {
  const workspaceId = await scene.workspace();
  const accountId = await scene.account(workspaceId);
  const other = await scene.account(workspaceId, { name: 'other' });
  const first = await scene.channelOf(accountId, { publish_interval_ms: 3_600_000 });
  const second = await scene.channelOf(accountId);
  const healthy = await scene.channelOf(other);
  const process = scene.process();
  // The other one has its session.
  const early = await scene.article(workspaceId, healthy);
  await process.tick(workspaceId);
  scene.clock.advance({ minutes: 5 });
  const articles = {
    ofFirst: [await scene.article(workspaceId, first), await scene.article(workspaceId, first)],
    ofSecond: await scene.article(workspaceId, second),
    ofHealthy: await scene.article(workspaceId, healthy),
  };
  scene.remote.password = 'changed there';
  return { workspaceId, accountId, process, early, first, second, ...articles };
}

async function nextTick(process: Process, workspaceId: number, minutes = 5) {
  scene.clock.advance({ minutes });
  return process.tick(workspaceId);
}

const untouched = { publish_status: 'pending', publish_attempts: 0, next_attempt_at: null };

describe('an account whose credentials are refused', () => {
  it('needs attention: its channels wait, its articles lose no attempt, the other account posts', async () => {
    const { workspaceId, accountId, process, ofFirst, ofSecond, ofHealthy } = await refusedAccount();

    const result = await process.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(ofHealthy);
    expect(result.tried).toMatchObject([
      { routeArticleId: ofFirst[0], outcome: 'blocked', code: 'unauthorized', detail, attempts: 0 },
      { routeArticleId: ofHealthy, outcome: 'published' },
    ]);
    for (const id of [...ofFirst, ofSecond]) {
      expect(await routeArticle(scene.db, id)).toMatchObject(untouched);
      expect(await explained(id, workspaceId)).toMatchObject({
        reason: 'account_held',
        until: null,
        next: null,
        detail: `the account needs attention: unauthorized: ${detail}`,
      });
    }
    expect(await scene.db('accounts').where({ id: accountId }).first()).toMatchObject({
      status: 'needs_attention',
      hold_reason: 'unauthorized',
      hold_detail: detail,
      held_until: null,
    });
  });

  it('is one alert and one log-in, however many ticks follow', async () => {
    const { workspaceId, process, ofFirst, ofSecond } = await refusedAccount();
    const before = scene.remote.logIns;

    await process.tick(workspaceId);
    for (let n = 0; n < 20; n++) await nextTick(n % 2 ? process : scene.process(), workspaceId, 60);

    expect(await alertKinds(scene.db)).toEqual(['account_down']);
    expect(scene.remote.logIns).toBe(before + 1);
    expect(await scene.db('attempts').whereNot({ outcome: 'published' })).toHaveLength(1);
    for (const id of [...ofFirst, ofSecond]) {
      expect(await routeArticle(scene.db, id)).toMatchObject(untouched);
    }
  });

  it('is told of, though it was held for a while already', async () => {
    const { workspaceId, accountId, process } = await refusedAccount();
    await scene
      .db('accounts')
      .where({ id: accountId })
      .update({ down_since: new Date('2026-09-07T09:00:00Z') });

    await process.tick(workspaceId);
    await nextTick(process, workspaceId);

    expect(await alertKinds(scene.db)).toEqual(['account_down']);
  });

  it('keeps the reason that was said first, whoever tries it later', async () => {
    const { workspaceId, accountId, process, ofSecond } = await refusedAccount();
    await process.tick(workspaceId);

    await publishNow(process.tools, { id: ofSecond, actor: 'cli', clock: scene.clock, signal });

    expect(await scene.db('accounts').where({ id: accountId }).first()).toMatchObject({
      hold_detail: detail,
    });
    expect(await routeArticle(scene.db, ofSecond)).toMatchObject(untouched);
    expect(await alertKinds(scene.db)).toEqual(['account_down']);
  });

  it('costs no attempt where its session is refused after the gate, and again', async () => {
    const { workspaceId, accountId, process, ofHealthy } = await refusedAccount();
    scene.remote.password = 'hunter2-password';
    // What is given out for this account is good while it is composed, and no longer.
    scene.remote.compose = ({ title }) => {
      setImmediate(() => scene.remote.revokeAll());
      scene.remote.opening = async () => ({
        kind: 'opened',
        session: { access: 'never good', refresh: 'x' },
        expiresAt: null,
      });
      return { kind: 'composed', composed: title, notes: [] };
    };

    const result = await process.tick(workspaceId);

    expect(scene.remote.unauthorized.slice(0, 2)).toEqual(['publish', 'publish']);
    expect(result.tried[0]).toMatchObject({ outcome: 'blocked', code: 'unauthorized', attempts: 0 });
    expect((await accountOf(accountId)).status).toBe('needs_attention');
    expect(await scene.db('publications').whereNot({ state: 'published' })).toEqual([]);
    expect(await routeArticle(scene.db, ofHealthy)).toMatchObject({ publish_attempts: 0 });
  });

  it('costs nothing where its session is refused after the gate, and another one is good', async () => {
    const { workspaceId, process, ofFirst } = await refusedAccount();
    scene.remote.password = 'hunter2-password';
    scene.remote.compose = ({ title }) => {
      setImmediate(() => scene.remote.revokeAccess());
      return { kind: 'composed', composed: title, notes: [] };
    };

    const result = await process.tick(workspaceId);

    expect(scene.remote.unauthorized).toEqual(['publish']);
    expect(result.published?.routeArticleId).toBe(ofFirst[0]);
    expect(scene.remote.posts).toHaveLength(2);
    expect(await alertKinds(scene.db)).toEqual([]);
  });
});

describe('reconnectAccount', () => {
  it('lets its channels flow again, each with its interval, and tells of it once', async () => {
    const { workspaceId, accountId, process, ofFirst, ofSecond } = await refusedAccount();
    await process.tick(workspaceId);
    scene.remote.password = 'hunter2-password';

    const result = await reconnect(scene.process(), accountId);
    const again = await reconnect(process, accountId);

    expect([result, again]).toEqual([
      { kind: 'reconnected', changed: true },
      { kind: 'reconnected', changed: false },
    ]);
    expect(await scene.db('audit_log').select('action', 'actor', 'subject_type', 'subject_id')).toEqual([
      { action: 'reconnect', actor: 'cli', subject_type: 'account', subject_id: accountId },
    ]);
    const order = [];
    for (let n = 0; n < 14; n++) {
      order.push((await nextTick(process, workspaceId)).published?.routeArticleId ?? null);
    }
    expect(order.slice(0, 2)).toEqual([ofFirst[0], ofSecond]);
    // An hour after the first one.
    expect(order.slice(2)).toEqual([...Array(10).fill(null), ofFirst[1], null]);
    expect(await alertKinds(scene.db)).toEqual(['account_down', 'account_up']);
    expect(await scene.db('accounts').where({ id: accountId }).first()).toMatchObject({
      status: 'active',
      hold_reason: null,
      hold_detail: null,
      down_since: null,
    });
  });

  it('leaves an account as it is whose credentials are refused again', async () => {
    const { workspaceId, accountId, process } = await refusedAccount();
    await process.tick(workspaceId);

    const result = await reconnect(process, accountId);

    expect(result).toEqual({ kind: 'refused', detail });
    expect((await accountOf(accountId)).status).toBe('needs_attention');
    expect(await scene.db('audit_log')).toEqual([]);
    expect(await alertKinds(scene.db)).toEqual(['account_down']);
  });

  it('leaves one that is disabled to the file', async () => {
    const workspaceId = await scene.workspace();
    const accountId = await scene.account(workspaceId, { status: 'disabled' });

    const result = await reconnect(scene.process(), accountId);

    expect(result).toEqual({ kind: 'refused', detail: expect.stringContaining('active: false') });
    expect(scene.remote.logIns).toBe(0);
  });

  it('lifts the hold of an account that is throttled, which nobody was told of', async () => {
    const workspaceId = await scene.workspace();
    const held = { hold_reason: 'rate_limited', hold_detail: '429', held_until: new Date('2026-09-08') };
    const accountId = await scene.account(workspaceId, held);

    const result = await reconnect(scene.process(), accountId);

    expect(result).toEqual({ kind: 'reconnected', changed: true });
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('opens what waited for an active account', async () => {
    const workspaceId = await scene.workspace();
    const accountId = await scene.account(workspaceId, { status: 'needs_attention' });
    const channelId = await scene.channelOf(accountId, { hold_reason: 'no_account', hold_detail: 'none' });

    await reconnect(scene.process(), accountId);

    expect(await scene.db('channels').where({ id: channelId }).first()).toMatchObject({ hold_reason: null });
  });
});

describe('credentials that are applied', () => {
  const yaml = `
accounts:
  - { name: bot, platform: fake, username: bot, password: "\${PASSWORD}" }
channels:
  - { name: tech, platform: fake, account: bot, interval: 60m }
`;

  it('let the channels of an account that needed attention flow again, and it is told of once', async () => {
    await scene.apply(yaml, { PASSWORD: 'hunter2-password' });
    const { id: channelId, workspace_id: workspaceId } = await scene.db('channels').first();
    for (let n = 0; n < 2; n++) await scene.article(workspaceId, channelId);
    await scene.db('workspaces').update({ last_tick_at: '2100-01-01' });
    const process = scene.process();
    scene.remote.password = 'hunter2-changed';
    const refused = await process.tick(workspaceId);
    // The same again is no new credentials.
    await scene.apply(yaml, { PASSWORD: 'hunter2-password' });
    const waiting = await nextTick(process, workspaceId);

    await scene.apply(yaml, { PASSWORD: 'hunter2-changed' });
    const published = [];
    for (let n = 0; n < 14; n++) published.push((await nextTick(process, workspaceId)).outcome);

    expect(refused.tried).toMatchObject([{ outcome: 'blocked', attempts: 0 }]);
    expect(waiting).toMatchObject({ outcome: 'idle', tried: [] });
    expect(published.flatMap((outcome, n) => (outcome === 'published' ? [n] : []))).toEqual([0, 12]);
    expect(await alertKinds(scene.db)).toEqual(['account_down', 'account_up']);
  });
});

describe('testAccount', () => {
  it('logs in with the credentials alone, whatever session is open, and keeps what they open', async () => {
    const workspaceId = await scene.workspace();
    const accountId = await scene.account(workspaceId);
    const process = scene.process();
    await scene.article(workspaceId, await scene.channelOf(accountId));
    await process.tick(workspaceId);

    const answer = await testAccount(process.accounts, await accountOf(accountId), {
      clock: scene.clock,
      signal,
    });

    expect(answer).toBeNull();
    expect(scene.remote).toMatchObject({ logIns: 2, refreshes: 0 });
    expect((await scene.db('accounts').first()).session_revision).toBe(2);
  });

  it('finds out what a session that is still good hides', async () => {
    const { accountId, process } = await refusedAccount();

    const answer = await testAccount(process.accounts, await accountOf(accountId), {
      clock: scene.clock,
      signal,
    });

    expect(answer).toEqual(wrongPassword);
    expect((await accountOf(accountId)).status).toBe('active');
  });
});
