import { describe, expect, it } from 'vitest';
import type { Reconciliation } from '../../src/channels/Channel.ts';
import { changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { type Settlement, settleUnknown } from '../../src/publishing/settleUnknown.ts';
import { routeArticle } from '../support/factories.ts';
import { answering, incomplete, publishingTools, succeeded, unknown } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const sendAgain = { as: 'send_again' } as const;
const itWentOut = { as: 'published', url: 'https://there.example/42' } as const;

async function lostAnswer(reconciliation: Reconciliation['kind'] = 'blind', { arrives = true } = {}) {
  scene.platform.reconciliation = reconciliation;
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const id = await scene.article(workspaceId, channelId, { title: 'lost' });
  scene.platform.publish = answering({ lost: unknown });
  await scene.tick(workspaceId);
  scene.platform.publish = () => succeeded;
  if (!arrives) scene.platform.posts.length = 0;
  scene.clock.advance({ minutes: 3 });
  return { workspaceId, channelId, id };
}

function settle(id: number, settlement: Settlement) {
  const { signal } = new AbortController();
  const tools = publishingTools(scene.db, scene.platform);
  return settleUnknown(tools, { id, settlement, actor: 'ada', clock: scene.clock, signal });
}

const publications = () => scene.db('publications');
const audited = async (id: number) =>
  (await scene.db('audit_log').where({ subject_id: id })).map(({ actor, action, detail }) => ({
    actor,
    action,
    ...detail,
  }));

describe("a person's word that it went out", () => {
  it('publishes it with its URL, one audit row and no attempt', async () => {
    const { id } = await lostAnswer();

    const result = await settle(id, itWentOut);

    expect(result).toMatchObject({ kind: 'settled', as: 'published' });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
    expect(await publications()).toMatchObject([
      { state: 'published', remote_url: itWentOut.url, published_at: scene.clock.now() },
    ]);
    expect(await audited(id)).toEqual([{ actor: 'ada', action: 'settle', ...itWentOut }]);
    expect(await scene.db('attempts').pluck('outcome')).toEqual(['unknown']);
  });

  it('is said once, however often', async () => {
    const { id } = await lostAnswer();
    await settle(id, itWentOut);

    expect(await settle(id, itWentOut)).toMatchObject({ kind: 'unchanged' });
    expect(await audited(id)).toHaveLength(1);
  });

  it('is taken while its first request may still arrive', async () => {
    const { id } = await lostAnswer();
    scene.clock.advance({ minutes: -3 });

    expect(await settle(id, itWentOut)).toMatchObject({ kind: 'settled' });
  });
});

describe("a person's send again", () => {
  it.each(['blind', 'repeat'] as const)(
    'begins anew where the channel is %s, and goes out once',
    async kind => {
      const { workspaceId, id } = await lostAnswer(kind, { arrives: false });
      const before = await routeArticle(scene.db, id);

      expect(await settle(id, sendAgain)).toMatchObject({ kind: 'settled', as: 'send_again' });

      expect(await publications()).toEqual([]);
      expect(await routeArticle(scene.db, id)).toMatchObject({
        publish_status: 'pending',
        publish_attempts: 0,
        next_attempt_at: null,
        generation: 1,
        post_key: before.post_key,
      });
      expect(await audited(id)).toEqual([{ actor: 'ada', action: 'settle', as: 'send_again' }]);
      expect((await scene.nextTick(workspaceId)).published?.routeArticleId).toBe(id);
      expect(scene.platform.posts).toHaveLength(1);
    },
  );

  it('is refused before send_by, the time for an answer and a minute are over', async () => {
    const { id } = await lostAnswer();
    const [{ send_by }] = await publications();
    scene.clock.set(new Date(+send_by + 105_000).toISOString());

    const early = await settle(id, sendAgain);
    scene.clock.advance({ ms: 1 });
    const late = await settle(id, sendAgain);

    expect(early).toMatchObject({ kind: 'refused', detail: expect.stringContaining('may still arrive') });
    expect(late).toMatchObject({ kind: 'settled' });
  });

  it('looks there first, and publishes what it finds', async () => {
    const { id } = await lostAnswer('look_up');

    const result = await settle(id, sendAgain);

    expect(result).toMatchObject({ kind: 'settled', as: 'published' });
    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'published' });
    expect(await audited(id)).toMatchObject([{ as: 'published', isFound: true }]);
  });

  it('looks there first, and is sent again when nothing is there', async () => {
    const { id } = await lostAnswer('look_up', { arrives: false });

    expect(await settle(id, sendAgain)).toMatchObject({ kind: 'settled', as: 'send_again' });
  });

  it('is refused where the look is incomplete, and changes nothing', async () => {
    const { id } = await lostAnswer('look_up', { arrives: false });
    scene.platform.lookUp = () => incomplete;
    const before = await routeArticle(scene.db, id);

    const result = await settle(id, sendAgain);

    expect(result).toMatchObject({ kind: 'refused', detail: expect.stringContaining('the list was cut') });
    expect(await routeArticle(scene.db, id)).toEqual(before);
    expect(await audited(id)).toEqual([]);
  });

  it('is refused for what is not unknown, and quiet the second time', async () => {
    const { workspaceId, id } = await lostAnswer('blind', { arrives: false });
    await settle(id, sendAgain);

    expect(await settle(id, sendAgain)).toMatchObject({ kind: 'unchanged' });
    await scene.nextTick(workspaceId);
    expect(await settle(id, sendAgain)).toMatchObject({
      kind: 'refused',
      detail: 'it is published, and nothing about it is unknown',
    });
    expect(await settle(999_999, sendAgain)).toEqual({ kind: 'not_found' });
  });

  it('frees the rows that wait for its link', async () => {
    const { workspaceId, channelId, id } = await lostAnswer();
    const { url_key } = await routeArticle(scene.db, id);
    const twin = await scene.article(workspaceId, channelId, {
      url_key,
      last_error_code: 'duplicate_in_flight',
      next_attempt_at: new Date('2027-01-01T00:00:00Z'),
    });

    await settle(id, itWentOut);

    expect(await routeArticle(scene.db, twin)).toMatchObject({ next_attempt_at: null });
  });
});

describe('publish again', () => {
  it('makes a published article a publication of its own, with a key of its own, once', async () => {
    const { workspaceId, id } = await lostAnswer();
    await settle(id, itWentOut);
    const before = await routeArticle(scene.db, id);
    const again = () =>
      changeRouteArticle(scene.db, {
        id,
        change: { action: 'publish-again' },
        actor: 'ada',
        now: scene.clock.now(),
      });

    const first = await again();
    const second = await again();
    scene.clock.advance({ minutes: 5 });
    const result = await scene.tick(workspaceId);
    const third = await again();
    scene.clock.advance({ minutes: 6 });
    const muchLater = await again();

    const kinds = [first, second, third, muchLater].map(({ kind }) => kind);
    expect(kinds).toEqual(['changed', 'unchanged', 'unchanged', 'changed']);
    expect(result.published?.routeArticleId).toBe(id);
    const after = await routeArticle(scene.db, id);
    expect(after).toMatchObject({ generation: 3, publish_attempts: 0 });
    expect(after.post_key).not.toBe(before.post_key);
    expect(await publications().orderBy('id').pluck('generation')).toEqual([1, 2]);
    expect((await audited(id)).map(({ action }) => action)).toEqual([
      'settle',
      'publish-again',
      'publish-again',
    ]);
  });

  it('is refused for what never went out', async () => {
    const workspaceId = await scene.workspace();
    const id = await scene.article(workspaceId, await scene.channel(workspaceId));
    const change = { action: 'publish-again' } as const;

    const result = await changeRouteArticle(scene.db, { id, change, actor: 'ada', now: scene.clock.now() });

    expect(result).toMatchObject({
      kind: 'refused',
      detail: 'it is pending, and publish-again is not for that',
    });
  });
});
