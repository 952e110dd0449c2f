import { describe, expect, it } from 'vitest';
import type { NotComposed } from '../../src/channels/Channel.ts';
import { findRouteArticle } from '../../src/models/routeArticleList.ts';
import { reconnectAccount } from '../../src/publishing/reconnectAccount.ts';
import { unauthorized, wrongPassword } from '../support/accountPlatform.ts';
import { useAccountScene } from '../support/accountScene.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import { blocked, invalid, refused, throttled, unknown } from '../support/publishing.ts';

const scene = useAccountScene();
const untouched = { publish_status: 'pending', publish_attempts: 0, claim_token: null, last_error: null };
const never = new Promise<never>(() => {});

/** Two accounts with a channel and an article each. */
async function twoAccounts() {
  const workspaceId = await scene.workspace();
  const [accountId, otherId] = [await scene.account(workspaceId), await scene.account(workspaceId)];
  const channelId = await scene.channelOf(accountId);
  const otherChannelId = await scene.channelOf(otherId);
  const article = await scene.article(workspaceId, channelId, { title: 'first' });
  const other = await scene.article(workspaceId, otherChannelId, { title: 'other' });
  return { workspaceId, accountId, channelId, article, other };
}

/** What composing a post of the first title comes to; others are composed. */
function composing(answer: (signal: AbortSignal) => Promise<NotComposed> | NotComposed): void {
  scene.remote.compose = ({ title }, { signal }) =>
    title === 'first' ? answer(signal) : { kind: 'composed', composed: title, notes: [] };
}

/** As a request does that heeds its signal. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<NotComposed>(resolve => {
    signal.addEventListener('abort', () =>
      resolve({ kind: 'not_sent', code: 'aborted', detail: 'aborted before the request' }),
    );
  });

describe('a post that is composed', () => {
  it('is stored before it is sent, and sent as it is stored', async () => {
    const { workspaceId, article } = await twoAccounts();
    const composed = { body: 'ünï ✓', facets: [{ at: [0, 3] }], picture: null };
    scene.remote.compose = () => ({ kind: 'composed', composed, notes: [] });
    let stored: unknown;
    scene.remote.publish = async () => {
      stored = (await scene.db('publications').where({ route_article_id: article }).first()).post;
      return { kind: 'succeeded', remoteId: null, remoteUrl: null };
    };

    await scene.process().tick(workspaceId);

    expect(stored).toMatchObject({ title: 'first', composed });
    expect(scene.remote.posts).toEqual([stored]);
  });

  it('is sent exactly so again where its answer was lost, however it would be composed now', async () => {
    scene.remote.reconciliation = 'repeat';
    const { workspaceId, article } = await twoAccounts();
    scene.remote.publish = ({ title }) =>
      title === 'first' && scene.remote.posts.length === 0
        ? unknown
        : { kind: 'succeeded', remoteId: null, remoteUrl: null };
    let composed = 0;
    scene.remote.compose = () => ({ kind: 'composed', composed: { number: ++composed }, notes: [] });
    const process = scene.process();
    await process.tick(workspaceId);
    await scene.db('articles').update({ title: 'changed', image_url: 'https://news.example/new.png' });
    scene.clock.advance({ minutes: 5 });

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(article);
    expect(scene.remote.posts).toHaveLength(2);
    expect(scene.remote.posts[1]).toEqual(scene.remote.posts[0]);
    expect(scene.remote.posts[0]?.composed).toEqual({ number: 1 });
    expect(composed).toBe(1);
  });

  it('tells what was left out of it', async () => {
    const { workspaceId, article } = await twoAccounts();
    const notes = ['without its picture: HTTP 404', 'the text was cut'];
    scene.remote.compose = () => ({ kind: 'composed', composed: null, notes });

    const result = await scene.process().tick(workspaceId);

    expect(result.tried).toMatchObject([
      { routeArticleId: article, outcome: 'published', detail: notes.join('; ') },
    ]);
    expect(await findRouteArticle(scene.db, article)).toMatchObject({ notes: notes.join('; ') });
  });
});

describe('composing that does not end', () => {
  it.each([
    ['heeds its signal', untilAborted],
    ['does not heed its signal', () => never],
  ])('is cut off as a failure of the channel, and holds up nobody else: %s', async (_, answer) => {
    const { workspaceId, channelId, article, other } = await twoAccounts();
    composing(answer);

    const result = await scene.process({ limits: { composeMs: 1_000 } }).tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({ outcome: 'failed', code: 'response_timeout', attempts: 1 });
    expect(await routeArticle(scene.db, article)).toMatchObject({
      publish_status: 'failed',
      publish_attempts: 1,
    });
    expect(await scene.db('attempts').where({ channel_id: channelId })).toMatchObject([
      { outcome: 'failed', code: 'response_timeout', blames_channel: true },
    ]);
  });

  it.each([
    ['heeds its signal', untilAborted],
    ['does not heed its signal', () => never],
  ])('is given back without an attempt when the process stops: %s', async (_, answer) => {
    const { workspaceId, article, other } = await twoAccounts();
    const stop = new AbortController();
    composing(signal => {
      setImmediate(() => stop.abort());
      return answer(signal);
    });

    const result = await scene.process().tick(workspaceId, stop.signal);

    expect(result).toMatchObject({ reason: 'stopping', tried: [{ outcome: 'passed', code: 'stopping' }] });
    for (const id of [article, other]) expect(await routeArticle(scene.db, id)).toMatchObject(untouched);
    expect(await scene.db('attempts')).toEqual([]);
    expect(scene.remote.posts).toEqual([]);
  });

  it('is given back without an attempt where its session is opened just then', async () => {
    const { workspaceId, article } = await twoAccounts();
    const stop = new AbortController();
    scene.remote.opening = () => {
      setImmediate(() => stop.abort());
      return never;
    };

    const result = await scene.process().tick(workspaceId, stop.signal);

    expect(result).toMatchObject({ reason: 'stopping' });
    expect(await routeArticle(scene.db, article)).toMatchObject(untouched);
  });
});

describe('a post that cannot be composed', () => {
  const until = new Date('2026-09-07T12:00:00Z');
  const ofChannel = { table: 'channels', reason: 'rate_limited' };

  it.each([
    ['throttled', { ...throttled, until }, { ...ofChannel, until }],
    [
      'throttled by its account',
      { ...throttled, scope: 'account' as const, until },
      { ...ofChannel, table: 'accounts', until },
    ],
    ['blocked', blocked, { ...ofChannel, reason: 'forbidden', until: new Date('2026-09-07T10:05:00Z') }],
  ])('is given back, and what refused is held: %s', async (_, answer, { table, reason, until }) => {
    const { workspaceId, accountId, channelId, article, other } = await twoAccounts();
    composing(() => answer);
    scene.clock.set('2026-09-07T10:00:00Z');
    await scene.db('workspaces').update({ tick_interval_ms: 60_000 });

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({ outcome: answer.kind, code: answer.code, attempts: 0 });
    expect(await routeArticle(scene.db, article)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    const id = table === 'accounts' ? accountId : channelId;
    const held = await scene.db(table).where({ id }).first();
    expect(held).toMatchObject({ hold_reason: reason });
    expect(Math.abs(held.held_until - until.getTime())).toBeLessThan(60_000);
    expect(await scene.db('publications').where({ route_article_id: article })).toEqual([]);
  });

  it.each([
    ['for now', { ...refused, blames: 'channel' as const }, 'failed', true],
    [
      'for its picture',
      { ...refused, code: 'image_unavailable' as const, blames: 'article' as const },
      'failed',
      false,
    ],
    ['for good', invalid, 'dead', false],
  ])('fails alone: %s', async (_, answer, status, blamesChannel) => {
    const { workspaceId, article, other } = await twoAccounts();
    composing(() => answer);

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(await routeArticle(scene.db, article)).toMatchObject({
      publish_status: status,
      publish_attempts: 1,
      last_error_code: answer.code,
    });
    expect(await scene.db('attempts').where({ route_article_id: article })).toMatchObject([
      { outcome: 'failed', blames_channel: blamesChannel, publication_id: null },
    ]);
  });

  it('fails where its platform has a bug', async () => {
    const { workspaceId, other } = await twoAccounts();
    composing(() => {
      throw new TypeError('hunter2 is not a function');
    });

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({
      outcome: 'failed',
      code: 'unreadable_answer',
      detail: 'the channel failed with a TypeError',
    });
  });
});

describe('a repeat whose account opens no session', () => {
  const failed = { ...refused, code: 'connection_refused' } as const;

  it.each([
    ['its credentials are refused', async () => wrongPassword, 'needs_attention'],
    ['its instance is away', async () => failed, 'channel'],
    ['its instance is throttling', async () => ({ ...throttled, scope: 'account' as const }), 'account'],
    ['its instance hangs', () => never, 'channel'],
    ['its instance hangs, and is heard', untilAborted, 'channel'],
  ])('is given back and held, not burnt: %s', async (_, opening, holds) => {
    scene.remote.reconciliation = 'repeat';
    const { workspaceId, accountId, channelId, article, other } = await twoAccounts();
    scene.remote.publish = ({ title }) =>
      title === 'first' ? unknown : { kind: 'succeeded', remoteId: null, remoteUrl: null };
    const process = scene.process({ limits: { composeMs: 1_000 } });
    // The other account's session stays good: it is opened first.
    await process.tick(workspaceId);
    const before = await routeArticle(scene.db, article);
    const publicationsBefore = await scene.db('publications').where({ route_article_id: article });
    await scene.db('accounts').where({ id: accountId }).update({ session: null, session_expires_at: null });
    scene.remote.opening = async signal => {
      scene.remote.opening = async () => undefined;
      return opening(signal);
    };
    scene.clock.advance({ minutes: 5 });

    const result = await process.tick(workspaceId);

    expect(result.published?.routeArticleId ?? result).toBe(other);
    expect(result.tried[0]).toMatchObject({ routeArticleId: article, attempts: 1 });
    const after = await routeArticle(scene.db, article);
    const { publish_status, publish_attempts, next_lookup_at, sending_at } = before;
    expect(after).toMatchObject({ publish_status, publish_attempts, next_lookup_at, sending_at });
    expect(await scene.db('publications').where({ route_article_id: article })).toEqual(publicationsBefore);
    const account = await scene.db('accounts').where({ id: accountId }).first();
    const channel = await scene.db('channels').where({ id: channelId }).first();
    expect({
      needs_attention: account.status === 'needs_attention',
      account: account.status === 'active' && account.held_until > scene.clock.now(),
      channel: channel.hold_reason !== null,
    }).toEqual({ needs_attention: false, account: false, channel: false, [holds]: true });
  });

  it('goes out once a session can be had again', async () => {
    scene.remote.reconciliation = 'repeat';
    const { workspaceId, accountId, article } = await twoAccounts();
    scene.remote.publish = () =>
      scene.remote.posts.length === 0 ? unknown : { kind: 'succeeded', remoteId: null, remoteUrl: null };
    const process = scene.process();
    await process.tick(workspaceId);
    await scene.db('accounts').where({ id: accountId }).update({ session: null, session_expires_at: null });
    scene.remote.opening = async () => failed;
    scene.clock.advance({ minutes: 5 });
    await process.tick(workspaceId);
    scene.remote.opening = async () => undefined;
    const published = [];

    for (let n = 0; n < 3; n++) {
      scene.clock.advance({ minutes: 5 });
      published.push((await process.tick(workspaceId)).published?.routeArticleId);
    }

    expect(published).toContain(article);
    expect(scene.remote.posts.filter(({ title }) => title === 'first')).toHaveLength(2);
    expect(await alertKinds(scene.db)).toEqual(['channel_down', 'channel_up']);
  });

  it('goes out once its account is reconnected, where even a new session was refused after the gate', async () => {
    scene.remote.reconciliation = 'repeat';
    const { workspaceId, accountId, article } = await twoAccounts();
    scene.remote.publish = () =>
      scene.remote.posts.length === 0 ? unknown : { kind: 'succeeded', remoteId: null, remoteUrl: null };
    const process = scene.process();
    await process.tick(workspaceId);
    const sent = scene.remote.posts.length;
    scene.remote.publish = ({ title }) =>
      title === 'first' ? unauthorized : { kind: 'succeeded', remoteId: null, remoteUrl: null };
    scene.clock.advance({ minutes: 5 });
    await process.tick(workspaceId);
    const account = await scene.db('accounts').where({ id: accountId }).first();
    scene.remote.publish = () => ({ kind: 'succeeded', remoteId: null, remoteUrl: null });

    const { id, name, platform, status } = account;
    const { signal } = new AbortController();
    await reconnectAccount(
      process.accounts,
      { id, name, platform, status, workspaceId },
      { actor: 'ada', clock: scene.clock, signal },
    );
    const published = [];
    for (let n = 0; n < 3; n++) {
      scene.clock.advance({ minutes: 5 });
      published.push((await process.tick(workspaceId)).published?.routeArticleId);
    }

    expect(sent).toBe(1);
    expect(status).toBe('needs_attention');
    expect(published).toContain(article);
    expect(await alertKinds(scene.db)).toEqual(['account_down', 'account_up']);
  });
});
