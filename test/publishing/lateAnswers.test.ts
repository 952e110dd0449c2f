import { describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { findUnknown } from '../../src/models/unknownOutcomes.ts';
import { recordLookedUp } from '../../src/publishing/recordLookedUp.ts';
import { recoverInFlight } from '../../src/publishing/recoverInFlight.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import { FakePlatform, publishingTools, refused, succeeded, ticker } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();

/**
 * A consumer that froze in its send; meanwhile `elsewhere` happens, another consumer having recovered the row
 * as unknown. Then its answer comes.
 */
async function frozen(
  answer: PublishOutcome,
  elsewhere: (id: number, workspaceId: number) => Promise<unknown>,
) {
  const workspaceId = await scene.workspace();
  const id = await scene.article(workspaceId, await scene.channel(workspaceId), { title: 'frozen' });
  const platform = new FakePlatform();
  platform.reconciliation = 'look_up';
  platform.publish = async () => {
    const at = scene.clock.now();
    await recoverInFlight(publishingTools(scene.db, platform), { workspaceId, at, now: at });
    await elsewhere(id, workspaceId);
    return answer;
  };
  const result = await ticker(scene.db, platform, scene.clock)(workspaceId);
  const publications = await scene.db('publications').where({ route_article_id: id });
  return { workspaceId, id, result, row: await routeArticle(scene.db, id), publications };
}

async function settledAsNotSent(id: number) {
  const unknown = await findUnknown(scene.db, id);
  if (!unknown) throw new Error('it is not unknown');
  const now = new Date(scene.clock.now().getTime() + 300_000);
  await recordLookedUp(publishingTools(scene.db, scene.platform), {
    unknown,
    answer: { kind: 'not_found' },
    at: now,
    now,
  });
}

describe('a success that comes when its publication was settled as not sent', () => {
  it('is inserted as published without a slot, with an alert: what was sent was sent', async () => {
    const { id, row, publications, result } = await frozen(
      { kind: 'succeeded', remoteId: '7', remoteUrl: 'https://there.example/7' },
      settledAsNotSent,
    );

    expect(result.published?.routeArticleId).toBe(id);
    expect(row).toMatchObject({ publish_status: 'published', publish_attempts: 1, next_attempt_at: null });
    expect(publications).toMatchObject([
      { state: 'published', slot_at: null, remote_id: '7', remote_url: 'https://there.example/7' },
    ]);
    expect(await alertKinds(scene.db)).toEqual(['late_success']);
    const attempts = await scene.db('attempts').where({ route_article_id: id }).orderBy('id').pluck('code');
    expect(attempts).toEqual(['interrupted', 'not_arrived', 'late']);
  });

  it('is not sent again: whoever has claimed it meanwhile loses the claim at the gate', async () => {
    const { workspaceId, row } = await frozen(succeeded, settledAsNotSent);

    scene.clock.advance({ hours: 7 });
    const later = await scene.tick(workspaceId);

    expect(row.publish_status).toBe('published');
    expect(later).toMatchObject({ reason: 'nothing_due' });
    expect(scene.platform.posts).toEqual([]);
  });

  it('is told, and changes nothing, where it was sent again meanwhile', async () => {
    const { publications } = await frozen(succeeded, async (id, workspaceId) => {
      await settledAsNotSent(id);
      scene.clock.advance({ hours: 1 });
      await scene.tick(workspaceId);
    });

    expect(publications).toMatchObject([{ state: 'published', slot_at: expect.any(Date) }]);
    expect(await scene.db('alerts').pluck('message')).toEqual([
      expect.stringContaining('it was sent again meanwhile, so look for a second one there'),
    ]);
  });

  it('changes nothing where it was found meanwhile', async () => {
    const { result, publications } = await frozen(succeeded, async id => {
      const unknown = await findUnknown(scene.db, id);
      if (!unknown) throw new Error('it is not unknown');
      const answer = { kind: 'found', remoteId: 'found', remoteUrl: null } as const;
      const now = scene.clock.now();
      await recordLookedUp(publishingTools(scene.db, scene.platform), { unknown, answer, at: now, now });
    });

    expect(result).toMatchObject({ outcome: 'idle', reason: 'busy' });
    expect(publications).toMatchObject([{ state: 'published', remote_id: 'found' }]);
    expect(await alertKinds(scene.db)).toEqual([]);
  });
});

describe('a refusal that comes when its publication was settled', () => {
  it('changes nothing', async () => {
    const { row, publications } = await frozen(refused, settledAsNotSent);

    expect(row).toMatchObject({ publish_status: 'failed', last_error_code: 'not_arrived' });
    expect(publications).toEqual([]);
  });
});

describe('an outcome that is not known, and comes when the row was recovered as that', () => {
  it('changes nothing: it is told once, and tried once', async () => {
    const { id, row } = await frozen(
      { kind: 'unknown', code: 'connection_reset', detail: 'reset' },
      async () => undefined,
    );

    expect(row).toMatchObject({ publish_status: 'unknown', last_error_code: 'interrupted' });
    const attempts = await scene.db('attempts').where({ route_article_id: id }).pluck('code');
    expect(attempts).toEqual(['interrupted']);
  });
});
