import { describe, expect, it } from 'vitest';
import type { LookUpAnswer } from '../../src/channels/Channel.ts';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { useAccountScene } from '../support/accountScene.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import { blocked, found, incomplete, throttled } from '../support/publishing.ts';

const scene = useAccountScene();
const never = new Promise<never>(() => {});
const minuteMs = 60_000;

/** Two accounts with a channel and an article each; of the first one it is known what is there already. */
async function asked(answer: LookUpAnswer | Promise<LookUpAnswer>) {
  scene.remote.findExisting = ({ title }) => (title === 'first' ? answer : { kind: 'not_found' });
  const workspaceId = await scene.workspace();
  const accountId = await scene.account(workspaceId);
  const channelId = await scene.channelOf(accountId);
  const article = await scene.article(workspaceId, channelId, { title: 'first' });
  const otherChannelId = await scene.channelOf(await scene.account(workspaceId));
  const other = await scene.article(workspaceId, otherChannelId);
  return { workspaceId, accountId, channelId, article, other };
}

async function heldMinutes(table: 'channels' | 'accounts', id: number): Promise<number | null> {
  const { held_until: until } = await scene.db(table).where({ id }).first();
  return until && (until.getTime() - scene.clock.now().getTime()) / minuteMs;
}

describe('asking what is there already', () => {
  it('skips what is', async () => {
    const { workspaceId, article, other } = await asked(found);

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(await routeArticle(scene.db, article)).toMatchObject({
      publish_status: 'skipped',
      skip_reason: 'already_there',
    });
  });

  it.each([
    ['its account', 'accounts', { ...throttled, scope: 'account' as const }],
    ['the channel', 'channels', throttled],
  ] as const)('holds %s until the instant that a 429 names', async (_, table, refusal) => {
    const answer = { ...incomplete };
    const { workspaceId, accountId, channelId, article, other } = await asked(answer);
    const until = new Date(scene.clock.now().getTime() + 90 * minuteMs);
    Object.assign(answer, { refusal: { ...refusal, until } });

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({ outcome: 'throttled', code: 'rate_limited', attempts: 0 });
    expect(await heldMinutes(table, table === 'accounts' ? accountId : channelId)).toBe(90);
    expect(await routeArticle(scene.db, article)).toMatchObject({ publish_status: 'pending' });
    expect(await alertKinds(scene.db)).toEqual([]);
  });

  it('renews a session that is refused, once, and goes on', async () => {
    const { workspaceId, channelId } = await asked({ kind: 'not_found' });
    const process = scene.process();
    await process.tick(workspaceId);
    const next = await scene.article(workspaceId, channelId, { created_at: new Date('2025-01-01') });
    scene.remote.revokeAccess();
    scene.clock.advance({ minutes: 5 });

    const result = await process.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(next);
    expect(scene.remote).toMatchObject({ logIns: 1, refreshes: 1, unauthorized: ['findExisting'] });
    expect(await scene.db('attempts').whereNot({ outcome: 'published' })).toEqual([]);
  });

  it('holds the channel without a complete answer: nothing is posted blind', async () => {
    const { workspaceId, channelId, article, other } = await asked(incomplete);

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({
      outcome: 'blocked',
      code: 'lookup_failed',
      detail: 'the list was cut',
      attempts: 0,
    });
    expect(await heldMinutes('channels', channelId)).toBe(5);
    expect(await routeArticle(scene.db, article)).toMatchObject({ publish_status: 'pending' });
  });

  it('holds what is blocked there', async () => {
    const { workspaceId, channelId, other } = await asked({ ...incomplete, refusal: blocked });

    const result = await scene.process().tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({ outcome: 'blocked', code: 'forbidden', attempts: 0 });
    expect(await heldMinutes('channels', channelId)).toBe(5);
  });

  it('is cut off where it does not end, though it does not heed its signal', async () => {
    const { workspaceId, channelId, other } = await asked(never);

    const result = await scene.process({ limits: { lookUpsMs: 50 } }).tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(result.tried[0]).toMatchObject({ outcome: 'blocked', code: 'lookup_failed', attempts: 0 });
    expect(await heldMinutes('channels', channelId)).toBe(5);
  });

  it('gives the article back when the process stops meanwhile', async () => {
    const stop = new AbortController();
    const { workspaceId, article } = await asked(never);
    const process = scene.process();
    setTimeout(() => stop.abort(), 200);

    const result = await process.tick(workspaceId, stop.signal);

    expect(result).toMatchObject({ reason: 'stopping' });
    expect(await routeArticle(scene.db, article)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
      claim_token: null,
    });
    expect(await scene.db('channels').whereNotNull('hold_reason')).toEqual([]);
  });
});

describe('a post that a person wishes to go out once more', () => {
  it('is not skipped for the one that was there before, but for one of its own', async () => {
    const asked: (Date | null)[] = [];
    const created: Date[] = [];
    scene.remote.findExisting = (_, { notBefore }) => {
      asked.push(notBefore);
      const counts = created.some(at => notBefore === null || at >= notBefore);
      return counts ? found : { kind: 'not_found' };
    };
    scene.remote.publish = () => {
      created.push(scene.clock.now());
      return { kind: 'succeeded', remoteId: null, remoteUrl: null };
    };
    const workspaceId = await scene.workspace();
    const channelId = await scene.channelOf(await scene.account(workspaceId));
    const article = await scene.article(workspaceId, channelId);
    const process = scene.process();
    await process.tick(workspaceId);
    scene.clock.advance({ minutes: 1 });
    const pressedAt = scene.clock.now();
    const again = { id: article, change: { action: 'publish-again' as const }, actor: 'cli', now: pressedAt };

    await changeRouteArticle(scene.db, again);
    scene.clock.advance({ minutes: 4 });
    const second = await process.tick(workspaceId);

    expect(second.published?.routeArticleId).toBe(article);
    expect(scene.remote.posts).toHaveLength(2);
    expect(asked).toEqual([null, pressedAt]);
    // Its own, in a send that nobody remembers.
    const once = await scene.process().ready(channelId);
    const { signal } = new AbortController();
    const answer = await once.findExisting(scene.remote.posts[1] ?? neverPosted(), {
      clock: scene.clock,
      signal,
      notBefore: asked[1] ?? null,
    });
    expect(answer).toEqual(found);
  });
});

function neverPosted(): never {
  throw new Error('nothing was posted');
}
