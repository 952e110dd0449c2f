import { describe, expect, it } from 'vitest';
import { type Change, changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { routeArticle } from '../support/factories.ts';
import { answering, articleRefused, succeeded, throttled } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';
import { tryMeddled } from '../support/tryMeddled.ts';

const scene = useScene();

function change(id: number, what: Change) {
  return changeRouteArticle(scene.db, { id, change: what, actor: 'test', now: scene.clock.now() });
}

async function oneArticle() {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const id = await scene.article(workspaceId, channelId, { title: 'as approved' });
  return { workspaceId, channelId, id };
}

describe('an approval in the middle of a tick', () => {
  it('is left for the next tick, however old the article is', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const oldest = await scene.article(workspaceId, channelId, { approval_status: 'pending', priority: 9 });
    await scene.article(workspaceId, channelId, { title: 'failing' });
    const second = await scene.article(workspaceId, channelId, { title: 'second' });
    scene.platform.publish = async (post, context) => {
      await change(oldest, { action: 'approve' });
      return answering({ failing: articleRefused })(post, context);
    };

    const result = await scene.tick(workspaceId);
    const next = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(second);
    expect(result.tried).toHaveLength(2);
    expect(next.published?.routeArticleId).toBe(oldest);
  });

  it('is left for the next tick when a hold drops a channel in that same tick', async () => {
    const workspaceId = await scene.workspace();
    const limited = await scene.channel(workspaceId);
    const healthy = await scene.channel(workspaceId);
    const oldest = await scene.article(workspaceId, healthy, { approval_status: 'pending' });
    for (let n = 0; n < 3; n++) await scene.article(workspaceId, limited, { title: 'limited' });
    const known = await scene.article(workspaceId, healthy);
    scene.platform.publish = async ({ title }) => {
      if (title !== 'limited') return succeeded;
      await change(oldest, { action: 'approve' });
      return throttled;
    };

    const result = await scene.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(known);
    expect(result.tried.map(({ outcome }) => outcome)).toEqual(['throttled', 'published']);
    expect((await scene.nextTick(workspaceId)).published?.routeArticleId).toBe(oldest);
  });
});

describe('an article that is changed between fetch and claim', () => {
  it.each([{ action: 'reject' }, { action: 'skip' }] as const)(
    'does not go out after $action',
    async what => {
      const workspaceId = await scene.workspace();
      const channelId = await scene.channel(workspaceId);
      await scene.article(workspaceId, channelId, { title: 'failing' });
      const changed = await scene.article(workspaceId, channelId, { title: 'changed' });
      const last = await scene.article(workspaceId, channelId, { title: 'last' });
      scene.platform.publish = async ({ title }) => {
        if (title !== 'failing') return succeeded;
        await change(changed, what);
        return articleRefused;
      };

      const result = await scene.tick(workspaceId);

      expect(result.published?.routeArticleId).toBe(last);
      expect(await routeArticle(scene.db, changed)).toMatchObject({
        claim_token: null,
        publish_attempts: what.action === 'skip' ? 4 : 0,
      });
      expect(scene.platform.posts.map(({ title }) => title)).toEqual(['last']);
    },
  );

  it('goes out as it was edited', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    await scene.article(workspaceId, channelId, { title: 'failing' });
    const edited = await scene.article(workspaceId, channelId, { title: 'before' });
    scene.platform.publish = async ({ title }) => {
      if (title !== 'failing') return succeeded;
      await change(edited, { action: 'edit', title: 'edited', text: 'edited text' });
      return articleRefused;
    };

    await scene.tick(workspaceId);

    expect(scene.platform.posts).toMatchObject([{ title: 'edited', text: 'edited text' }]);
  });
});

describe('an article that is changed between claim and gate', () => {
  it('is not sent as it was before an edit, and goes out as edited at the next tick', async () => {
    const { workspaceId, id } = await oneArticle();

    const result = await tryMeddled(scene, id, () =>
      change(id, { action: 'edit', title: 'edited', text: 'edited' }),
    );

    expect(result).toMatchObject({ tried: { outcome: 'passed', attempts: 0 }, next: { kind: 'go_on' } });
    expect(scene.platform.posts).toEqual([]);
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    await scene.nextTick(workspaceId);
    expect(scene.platform.posts).toMatchObject([{ title: 'edited' }]);
  });

  it('is given back and stays rejected after a rejection', async () => {
    const { workspaceId, id } = await oneArticle();

    const result = await tryMeddled(scene, id, () => change(id, { action: 'reject' }));

    expect(result).toMatchObject({ tried: { outcome: 'passed' }, next: { kind: 'go_on' } });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'pending',
      approval_status: 'rejected',
      publish_attempts: 0,
      claim_token: null,
    });
    expect(await scene.nextTick(workspaceId)).toMatchObject({ reason: 'nothing_due' });
    expect(scene.platform.posts).toEqual([]);
  });

  it('stays skipped after a skip: a terminal status is not given back', async () => {
    const { id } = await oneArticle();

    const result = await tryMeddled(scene, id, () => change(id, { action: 'skip' }));

    expect(result).toEqual({ tried: null, next: { kind: 'go_on' } });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'skipped',
      skip_reason: 'by_person',
    });
    expect(await scene.db('publications')).toEqual([]);
    expect(scene.platform.posts).toEqual([]);
  });

  it.each([
    ['paused', { paused: true }, 'paused'],
    ['capped', { daily_cap: 0 }, 'daily_cap'],
    ['closed by a window', { windows: ['03:00-03:01'] }, 'outside_window'],
    ['archived', { archived_at: new Date('2026-09-07') }, 'paused'],
    ['ahead of this slot', { last_slot_at: new Date('2026-09-08') }, 'slot_used'],
  ])('ends the tick when its workspace is %s', async (_, columns, reason) => {
    const { workspaceId, id } = await oneArticle();

    const result = await tryMeddled(scene, id, () =>
      scene.db('workspaces').where({ id: workspaceId }).update(columns),
    );

    expect(result).toMatchObject({
      tried: { outcome: 'passed', code: reason, attempts: 0 },
      next: { kind: 'end', reason },
    });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
    });
    expect(scene.platform.posts).toEqual([]);
  });

  it.each([
    ['paused', { paused: true }],
    ['held', { hold_reason: 'rate_limited', held_until: new Date('2026-09-08') }],
    ['capped', { daily_cap: 0 }],
    ['archived', { archived_at: new Date('2026-09-07') }],
  ])(
    'is given back, and its channel left alone for this tick, when the channel is %s',
    async (_, columns) => {
      const { channelId, id } = await oneArticle();

      const result = await tryMeddled(scene, id, () =>
        scene.db('channels').where({ id: channelId }).update(columns),
      );

      expect(result).toMatchObject({
        tried: { outcome: 'passed', attempts: 0 },
        next: { kind: 'drop', scope: 'channel' },
      });
      expect(await routeArticle(scene.db, id)).toMatchObject({
        publish_status: 'pending',
        publish_attempts: 0,
      });
      expect(scene.platform.posts).toEqual([]);
    },
  );

  it.each([
    [{ minutes: 2, ms: 1 }, 'end'],
    [{ minutes: -2, ms: -1 }, 'end'],
    [{ minutes: 2 }, 'published'],
  ])('is sent only by a process that is no more than 2 minutes late: %o', async (drift, kind) => {
    const { id } = await oneArticle();

    const result = await tryMeddled(scene, id, async () => scene.clock.advance(drift));

    expect(result.next.kind).toBe(kind);
    expect(scene.platform.posts).toHaveLength(kind === 'published' ? 1 : 0);
  });
});

describe('an article that is being sent', () => {
  it.each([
    { action: 'approve' },
    { action: 'reject' },
    { action: 'skip' },
    { action: 'retry' },
    { action: 'prioritise', priority: 3 },
    { action: 'edit', title: 'too late', text: 'too late' },
  ] as const)('refuses to $action', async what => {
    const { workspaceId, id } = await oneArticle();
    let answer: unknown;
    scene.platform.publish = async () => {
      answer = await change(id, what);
      return succeeded;
    };

    const result = await scene.tick(workspaceId);

    expect(answer).toMatchObject({ kind: 'refused', detail: 'it is being sent: too late' });
    expect(result.outcome).toBe('published');
    expect(await routeArticle(scene.db, id)).toMatchObject({
      approval_status: 'approved',
      title: 'as approved',
      priority: 0,
    });
    expect(await scene.db('audit_log')).toEqual([]);
  });
});

describe('a row that somebody holds locked', () => {
  it('holds up nobody: the next candidate goes out in the same tick', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const locked = await scene.article(workspaceId, channelId);
    const next = await scene.article(workspaceId, channelId);

    const result = await scene.db.transaction(async trx => {
      await trx('route_articles').where({ id: locked }).forUpdate().select('id');
      return scene.tick(workspaceId);
    });

    expect(result.published?.routeArticleId).toBe(next);
    expect((await scene.nextTick(workspaceId)).published?.routeArticleId).toBe(locked);
  });
});
