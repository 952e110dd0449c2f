import { describe, expect, it } from 'vitest';
import { PublishNextArticleJob } from '../../src/publishing/PublishNextArticleJob.ts';
import { publishingConsumer } from '../../src/publishing/publishingConsumer.ts';
import { routeArticle } from '../support/factories.ts';
import { loseDatabase } from '../support/lostDatabase.ts';
import { lockInProcess, publishingTools, refused, succeeded, unknown } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const { signal } = new AbortController();

/** One article, and a process that ticks: its claims in hand outlive a tick. */
async function oneProcess(columns: Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace();
  const id = await scene.article(workspaceId, await scene.channel(workspaceId), columns);
  const tools = publishingTools(scene.db, scene.platform);
  const lock = lockInProcess();
  const job = new PublishNextArticleJob(tools, lock);
  const tick = () => job.handle({ workspaceId }, { clock: scene.clock, signal });
  const nextTick = () => {
    scene.clock.advance({ minutes: 5 });
    return tick();
  };
  return { id, workspaceId, tick, nextTick, consumer: publishingConsumer({ ...tools, lock }) };
}

describe('a database that is lost at the claim', () => {
  it.each([
    ['carried out', true],
    ['not carried out', false],
  ])('costs no attempt when it was %s: the claim is read back by its token', async (_, isDone) => {
    const { id, tick, nextTick } = await oneProcess();
    loseDatabase({ at: 'claim-route-article', isDone });

    await expect(tick()).rejects.toThrow('Connection terminated');
    const result = await nextTick();

    expect(result.published?.routeArticleId).toBe(id);
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
    expect(await scene.db('attempts').pluck('outcome')).toEqual(['published']);
  });

  it('is given back by a shutdown before the next tick', async () => {
    const { id, tick, consumer } = await oneProcess({ publish_status: 'failed', publish_attempts: 2 });
    loseDatabase({ at: 'claim-route-article', isDone: true });
    await expect(tick()).rejects.toThrow();

    const givenBack = await consumer.giveBack(scene.clock.now());

    expect(givenBack).toBe(1);
    expect(await consumer.giveBack(scene.clock.now())).toBe(0);
    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'failed', publish_attempts: 2 });
  });
});

describe('a database that is lost at the gate', () => {
  it.each([
    ['its lock', { at: 'lock-for-gate', isDone: true }],
    ['the intent, carried out', { at: 'insert-intent', isDone: true }],
    ['the intent, not carried out', { at: 'insert-intent', isDone: false }],
    ['the commit, carried out', { at: 'commit', isDone: true }],
    ['the commit, not carried out', { at: 'commit', isDone: false }],
  ])('gives the row back, whatever is on the record: %s', async (_, loss) => {
    const { id, tick, nextTick } = await oneProcess();
    const hasStruck = loseDatabase(loss);

    const result = await tick();

    expect(hasStruck()).toBe(1);
    expect(result).toMatchObject({ outcome: 'idle', tried: [{ outcome: 'passed', code: 'database_away' }] });
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'pending',
      publish_attempts: 0,
      sending_at: null,
    });
    expect(await scene.db('publications')).toEqual([]);
    expect(scene.platform.posts).toEqual([]);
    expect((await nextTick()).published?.routeArticleId).toBe(id);
    expect(scene.platform.posts).toHaveLength(1);
  });

  it('leaves a repeat unknown as it was', async () => {
    scene.platform.reconciliation = 'repeat';
    const { id, tick, nextTick } = await oneProcess();
    scene.platform.publish = () => unknown;
    await tick();
    scene.platform.publish = () => succeeded;
    loseDatabase({ at: 'commit', isDone: true });

    await nextTick();

    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
    });
    expect(await scene.db('publications')).toMatchObject([{ state: 'unknown', slot_at: null }]);
    expect((await nextTick()).published?.routeArticleId).toBe(id);
  });
});

describe('a database that is lost while an answer is recorded', () => {
  it.each([
    ['carried out', true],
    ['not carried out', false],
  ])('writes a success late, and once, when it was %s', async (_, isDone) => {
    const { id, tick } = await oneProcess();
    const hasStruck = loseDatabase({ at: 'record-published', isDone, times: 3 });

    const result = await tick();

    expect(hasStruck()).toBe(3);
    expect(result.published?.routeArticleId).toBe(id);
    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
    expect(await scene.db('attempts').pluck('outcome')).toEqual(['published']);
    expect(await scene.db('alerts')).toEqual([]);
  });

  it.each([
    ['carried out', true],
    ['not carried out', false],
  ])('writes a failure late, and once, when its commit was %s', async (_, isDone) => {
    scene.platform.publish = () => refused;
    const { id, tick } = await oneProcess();
    loseDatabase({ at: 'COMMIT;', isDone });

    await tick();

    expect(await routeArticle(scene.db, id)).toMatchObject({ publish_status: 'failed', publish_attempts: 1 });
    expect(await scene.db('attempts').pluck('outcome')).toEqual(['failed']);
    expect(await scene.db('publications')).toEqual([]);
  });

  it('is left to recovery when the process must end first: unknown, never sent again', async () => {
    const { id, workspaceId } = await oneProcess();
    const cutOff = new AbortController();
    loseDatabase({ at: 'record-published', isDone: false, times: 100 });
    scene.platform.publish = () => {
      setTimeout(() => cutOff.abort(), 300);
      return succeeded;
    };
    const job = new PublishNextArticleJob(publishingTools(scene.db, scene.platform), lockInProcess());
    const context = { clock: scene.clock, signal, cutOff: cutOff.signal };

    await expect(job.handle({ workspaceId }, context)).rejects.toThrow('Connection terminated');
    await scene.nextTick(workspaceId);

    expect(await routeArticle(scene.db, id)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
    });
    expect(scene.platform.posts).toHaveLength(1);
  });
});
