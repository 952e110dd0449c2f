import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { recoverInFlight } from '../../src/publishing/recoverInFlight.ts';
import { routeArticle } from '../support/factories.ts';
import {
  alreadyThere,
  articleRefused,
  FakePlatform,
  publishingTools,
  succeeded,
  throttled,
  ticker,
} from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const interrupted = 'interrupted (consumer restarted)';

function claimed(columns: Record<string, unknown> = {}) {
  return {
    publish_status: 'publishing',
    publish_attempts: 1,
    claim_token: randomUUID(),
    claimed_at: new Date('2026-09-07T09:59:00Z'),
    claimed_from: 'pending',
    ...columns,
  };
}

async function oneArticle(columns: Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const id = await scene.article(workspaceId, channelId, { title: 'first', ...columns });
  return { workspaceId, channelId, id };
}

/** A tick that dies right after its send: the answer is never recorded, the process lives on. */
async function tickThatThrows(workspaceId: number) {
  const send = scene.platform.publish;
  const failing = new FakePlatform();
  failing.publish = async (post, context) => {
    await send(post, context);
    scene.platform.posts.push(post);
    await scene.db.raw('alter table attempts add column broken int not null');
    return succeeded;
  };
  const tick = ticker(scene.db, failing, scene.clock);
  await expect(tick(workspaceId)).rejects.toThrow('broken');
  await scene.db.raw('alter table attempts drop column broken');
}

describe('what was claimed and not sent', () => {
  it.each([
    [1, 5, 'failed'],
    [2, 30, 'failed'],
    [3, 120, 'failed'],
    [4, 360, 'dead'],
  ])('counts attempt %i, waits %i minutes and is %s', async (publish_attempts, minutes, publish_status) => {
    const claim = claimed({ publish_attempts, claimed_from: publish_attempts > 1 ? 'failed' : 'pending' });
    const { workspaceId, id } = await oneArticle(claim);

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({ reason: 'nothing_due', tried: [] });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status,
      publish_attempts,
      next_attempt_at: new Date(scene.clock.now().getTime() + minutes * 60_000),
      last_error_code: 'interrupted',
      last_error: interrupted,
      claim_token: null,
    });
    expect(await scene.db('attempts')).toMatchObject([{ outcome: 'interrupted', attempt: publish_attempts }]);
    expect(await scene.db('alerts')).toHaveLength(publish_status === 'dead' ? 1 : 0);
    expect(scene.platform.posts).toEqual([]);
  });

  it('is recovered first, and another article goes out in the same tick', async () => {
    const { workspaceId, channelId, id } = await oneArticle(claimed());
    const other = await scene.article(workspaceId, channelId);

    const result = await scene.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect((await scene.nextTick(workspaceId)).published?.routeArticleId).toBe(id);
  });

  it('is recovered even where the workspace may not publish', async () => {
    const { workspaceId, id } = await oneArticle(claimed());
    await scene.db('workspaces').update({ paused: true });

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({ reason: 'paused' });
    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'failed' });
  });

  it('is given back as unknown where it was claimed for a repeat', async () => {
    const { workspaceId, id } = await oneArticle(claimed({ publish_attempts: 2, claimed_from: 'unknown' }));

    await scene.tick(workspaceId);

    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
    });
  });

  it('leaves a workspace with nothing in flight alone', async () => {
    const { workspaceId } = await oneArticle();
    const at = scene.clock.now();

    expect(
      await recoverInFlight(publishingTools(scene.db, scene.platform), { workspaceId, at, now: at }),
    ).toEqual([]);
  });
});

describe('a tick that throws after its send', () => {
  it('is recovered at the next tick as unknown, and never sent again', async () => {
    const { workspaceId, channelId, id } = await oneArticle();
    const other = await scene.article(workspaceId, await scene.channel(workspaceId));
    await tickThatThrows(workspaceId);
    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'publishing' });

    const result = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(other);
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
      next_attempt_at: null,
      last_error: interrupted,
    });
    expect(await scene.db('publications').where({ route_article_id: id })).toMatchObject([
      { state: 'unknown' },
    ]);
    expect(await scene.db('channels').where({ id: channelId }).first()).toMatchObject({
      hold_reason: 'unknown_outcome',
      held_until: new Date(result.at.getTime() + 5 * 60_000),
    });
    expect(await scene.db('alerts')).toMatchObject([{ kind: 'outcome_unknown', route_article_id: id }]);
    for (let n = 0; n < 5; n++) await scene.nextTick(workspaceId, 100);
    expect(scene.platform.posts.filter(({ title }) => title === 'first')).toHaveLength(1);
  });

  it('has used its slot, and counts against the cap', async () => {
    const { workspaceId } = await oneArticle();
    await scene.article(workspaceId, await scene.channel(workspaceId));
    await scene.db('workspaces').update({ daily_cap: 1 });
    await tickThatThrows(workspaceId);

    scene.clock.advance({ minutes: 1 });
    const sameSlot = await scene.tick(workspaceId);

    expect(sameSlot).toMatchObject({ reason: 'daily_cap', tried: [] });
    await scene.db('workspaces').update({ daily_cap: null });
    expect(await scene.tick(workspaceId)).toMatchObject({ reason: 'slot_used', tried: [] });
    expect(await scene.nextTick(workspaceId)).toMatchObject({ outcome: 'published' });
  });
});

describe('a late definite answer, after another consumer recovered the row as unknown', () => {
  async function tickRecoveredMeanwhile(outcome: PublishOutcome) {
    const { workspaceId, channelId, id } = await oneArticle({
      publish_status: 'failed',
      publish_attempts: 1,
    });
    const second = await scene.article(workspaceId, await scene.channel(workspaceId), { title: 'second' });
    scene.platform.publish = async ({ title }) => {
      if (title !== 'first') return succeeded;
      const at = scene.clock.now();
      const recovered = await recoverInFlight(publishingTools(scene.db, scene.platform), {
        workspaceId,
        at,
        now: at,
      });
      expect(recovered).toEqual([{ routeArticleId: id, outcome: 'unknown' }]);
      return outcome;
    };
    const result = await scene.tick(workspaceId);
    const publications = await scene.db('publications').where({ route_article_id: id }).select('state');
    const states = publications.map(({ state }) => state);
    return { row: await routeArticle(scene.db, id), states, result, second, channelId };
  }

  it('records a success', async () => {
    const { row, states, result } = await tickRecoveredMeanwhile(succeeded);

    expect(result.outcome).toBe('published');
    expect(row).toMatchObject({ publish_status: 'published', publish_attempts: 2, next_lookup_at: null });
    expect(states).toEqual(['published']);
  });

  it.each([
    [
      'a failure',
      articleRefused,
      { publish_status: 'failed', publish_attempts: 2, last_error_code: 'rejected' },
    ],
    ['a skip', alreadyThere, { publish_status: 'skipped', publish_attempts: 4 }],
    ['a refusal', throttled, { publish_status: 'failed', publish_attempts: 1, next_attempt_at: null }],
    [
      'a request that did not leave',
      { kind: 'not_sent', code: 'send_by_passed', detail: 'too late' },
      { publish_status: 'failed', publish_attempts: 1 },
    ],
  ] as const)('records %s, and frees its link', async (_, outcome, expected) => {
    const { row, states } = await tickRecoveredMeanwhile(outcome);

    expect(row).toMatchObject({ ...expected, sending_at: null, next_lookup_at: null, claim_token: null });
    expect(states).toEqual([]);
  });

  it('is recorded, or the row is left unknown, when the two meet: neither waits for the other for ever', async () => {
    const { workspaceId, channelId } = await oneArticle();
    for (let n = 0; n < 40; n++) await scene.article(workspaceId, channelId);
    const recoveries: Promise<unknown>[] = [];
    scene.platform.publish = async () => {
      const at = scene.clock.now();
      recoveries.push(
        recoverInFlight(publishingTools(scene.db, scene.platform), { workspaceId, at, now: at }),
      );
      return succeeded;
    };

    for (let n = 0; n < 40; n++) {
      await scene.nextTick(workspaceId);
      await Promise.all(recoveries.splice(0));
    }

    expect(await scene.db('publications').whereNot({ state: 'published' })).toEqual([]);
    expect(await scene.db('route_articles').where({ publish_status: 'published' })).toHaveLength(40);
  });

  it('ends the tick, and changes nothing, where a person settled it meanwhile', async () => {
    const { workspaceId, id } = await oneArticle();
    const second = await scene.article(workspaceId, await scene.channel(workspaceId), { title: 'second' });
    scene.platform.publish = async () => {
      await scene.db('publications').update({ state: 'published', published_at: scene.clock.now() });
      await scene.db('route_articles').where({ id }).update({
        publish_status: 'published',
        claim_token: null,
        claimed_at: null,
        claimed_from: null,
      });
      return articleRefused;
    };

    const result = await scene.tick(workspaceId);

    expect(result).toMatchObject({ outcome: 'idle', reason: 'busy', tried: [] });
    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'published' });
    expect(await routeArticle(scene.db, second)).toMatchObject({ publish_status: 'pending' });
  });
});
