import { beforeEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { lookUpUnknowns } from '../../src/publishing/lookUpUnknowns.ts';
import { alertKinds, routeArticle } from '../support/factories.ts';
import {
  answering,
  found,
  incomplete,
  publishingTools,
  refused,
  succeeded,
  unknown,
} from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';
import { until } from '../support/until.ts';

const scene = useScene();
const minuteMs = 60_000;

beforeEach(() => {
  scene.platform.reconciliation = 'look_up';
});

/** A channel that lost the answer to its first post, a post that waits there, and a channel beside it. */
async function lostAnswer({
  arrives = true,
  ...columns
}: { arrives?: boolean } & Record<string, unknown> = {}) {
  const workspaceId = await scene.workspace();
  const losing = await scene.channel(workspaceId, { name: 'losing' });
  const healthy = await scene.channel(workspaceId, { name: 'healthy' });
  const lost = await scene.article(workspaceId, losing, { title: 'lost', ...columns });
  const waiting = await scene.article(workspaceId, losing, { title: 'waiting' });
  scene.platform.publish = answering({ lost: unknown });
  await scene.tick(workspaceId);
  scene.platform.publish = () => succeeded;
  if (!arrives) scene.platform.posts.length = 0;
  return { workspaceId, losing, healthy, lost, waiting };
}

const publicationsOf = (id: number) => scene.db('publications').where({ route_article_id: id });
const attemptsOf = async (id: number) =>
  (await scene.db('attempts').where({ route_article_id: id }).orderBy('id')).map(
    ({ outcome, code }) => `${outcome} ${code}`,
  );

describe('a lost answer where the remote side can be asked', () => {
  it('is published by what the next tick finds there, and the channel goes on in that tick', async () => {
    const { workspaceId, lost, waiting } = await lostAnswer();

    const result = await scene.nextTick(workspaceId);

    expect(result.published?.routeArticleId).toBe(waiting);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
    expect(await publicationsOf(lost)).toMatchObject([
      { state: 'published', remote_id: '17', remote_url: 'https://there.example/17' },
    ]);
    expect(await attemptsOf(lost)).toEqual(['unknown connection_reset', 'published found']);
    expect(await alertKinds(scene.db)).toEqual([]);
    expect(scene.platform.posts.map(({ title }) => title)).toEqual(['lost', 'waiting']);
  });

  it('lets nothing else out in its channel before it is found out, and others go on', async () => {
    const { workspaceId, healthy, waiting } = await lostAnswer();
    const other = await scene.article(workspaceId, healthy);
    scene.platform.lookUp = () => incomplete;

    const first = await scene.nextTick(workspaceId);
    const second = await scene.nextTick(workspaceId);

    expect(first.published?.routeArticleId).toBe(other);
    expect(second).toMatchObject({ outcome: 'idle', tried: [] });
    expect(await routeArticle(scene.db, waiting)).toMatchObject({ publish_status: 'pending' });
  });

  it('is searched for even where the workspace may not publish', async () => {
    const { workspaceId, lost } = await lostAnswer();
    await scene.db('workspaces').update({ paused: true });

    expect(await scene.nextTick(workspaceId)).toMatchObject({ reason: 'paused' });
    expect(await routeArticle(scene.db, lost)).toMatchObject({ publish_status: 'published' });
  });

  it('is searched for at the next tick, after 5, 30, 120 and 360 minutes, then left to a person', async () => {
    const { workspaceId, lost, waiting } = await lostAnswer();
    scene.platform.lookUp = () => incomplete;
    const begin = scene.clock.now().getTime();
    const searchedAt: number[] = [];
    let seen = 0;

    for (let tick = 0; tick < 140; tick++) {
      await scene.nextTick(workspaceId);
      if (scene.platform.searched.length > seen) searchedAt.push((+scene.clock.now() - begin) / minuteMs);
      seen = scene.platform.searched.length;
    }

    expect(searchedAt).toEqual([5, 10, 40, 160, 520]);
    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 1,
      lookups: 5,
      next_lookup_at: null,
    });
    expect(await routeArticle(scene.db, waiting)).toMatchObject({ publish_status: 'published' });
    expect(await alertKinds(scene.db)).toEqual(['outcome_unknown']);
    expect(scene.platform.posts.filter(({ title }) => title === 'lost')).toHaveLength(1);
  });

  it('fails by a search that finds nothing, waits its backoff, and goes out once', async () => {
    const { workspaceId, lost, losing } = await lostAnswer({ arrives: false });
    await scene.db('route_articles').where({ title: 'waiting' }).del();

    const { at } = await scene.nextTick(workspaceId);

    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'failed',
      publish_attempts: 1,
      next_attempt_at: new Date(at.getTime() + 5 * minuteMs),
      last_error_code: 'not_arrived',
      sending_at: null,
    });
    expect(await publicationsOf(lost)).toEqual([]);
    const { published } = await scene.nextTick(workspaceId);
    expect(published?.routeArticleId).toBe(lost);
    expect(await attemptsOf(lost)).toEqual([
      'unknown connection_reset',
      'failed not_arrived',
      'published null',
    ]);
    expect(scene.platform.posts).toHaveLength(1);
    expect(await scene.db('channels').where({ id: losing }).first()).toMatchObject({ hold_reason: null });
  });

  it('is dead when its fourth attempt is not found, with one alert', async () => {
    const { workspaceId, lost } = await lostAnswer({
      arrives: false,
      publish_status: 'failed',
      publish_attempts: 3,
    });

    await scene.nextTick(workspaceId);

    expect(await routeArticle(scene.db, lost)).toMatchObject({ publish_status: 'dead', publish_attempts: 4 });
    expect(await alertKinds(scene.db)).toEqual(['article_dead']);
  });

  it('takes no negative answer while the request may still arrive', async () => {
    const { workspaceId, lost } = await lostAnswer({ arrives: false });
    // send_by is 10 s, an answer takes 45 s at most, and a minute lies on top.
    const { sending_at } = await routeArticle(scene.db, lost);
    const lookUpAfter = async (ms: number) => {
      scene.clock.set(new Date(+sending_at + ms).toISOString());
      await scene.db('route_articles').where({ id: lost }).update({ next_lookup_at: sending_at });
      await scene.tick(workspaceId);
      return (await routeArticle(scene.db, lost)).publish_status;
    };

    expect(await lookUpAfter(115_000)).toBe('unknown');
    expect(await lookUpAfter(115_001)).toBe('failed');
  });

  it('frees the rows that wait for its link, whatever the search finds', async () => {
    const { workspaceId, losing, lost } = await lostAnswer({ arrives: false });
    const { url_key } = await routeArticle(scene.db, lost);
    const twin = await scene.article(workspaceId, losing, {
      url_key,
      publish_status: 'pending',
      last_error_code: 'duplicate_in_flight',
      next_attempt_at: new Date('2027-01-01T00:00:00Z'),
    });

    await scene.nextTick(workspaceId);

    expect(await routeArticle(scene.db, twin)).toMatchObject({ next_attempt_at: null });
  });

  it('survives a search that throws', async () => {
    const { workspaceId, lost } = await lostAnswer();
    scene.platform.lookUp = () => {
      throw new TypeError('a bug');
    };
    await scene.nextTick(workspaceId);

    expect(await routeArticle(scene.db, lost)).toMatchObject({
      publish_status: 'unknown',
      lookups: 1,
      last_error: 'the channel failed with a TypeError',
    });
  });

  it('counts a search that does not end in time, and leaves one that a stop cuts off as it was', async () => {
    const { workspaceId, lost } = await lostAnswer();
    scene.platform.lookUp = () => new Promise(() => {});
    scene.clock.advance({ minutes: 5 });
    const limits = { ...defaultLimits, lookUpsMs: 50 };
    const tools = { ...publishingTools(scene.db, scene.platform), limits };
    const request = { workspaceId, at: scene.clock.now(), clock: scene.clock };
    const stopping = new AbortController();

    const stopped = lookUpUnknowns(
      { ...tools, limits: defaultLimits },
      { ...request, signal: stopping.signal },
    );
    await until(() => scene.platform.searched.length === 1);
    stopping.abort();
    await stopped;
    const afterStop = await routeArticle(scene.db, lost);
    await lookUpUnknowns(tools, { ...request, signal: new AbortController().signal });

    expect(afterStop).toMatchObject({ publish_status: 'unknown', lookups: 0 });
    expect(await routeArticle(scene.db, lost)).toMatchObject({ publish_status: 'unknown', lookups: 1 });
  });

  it('asks one channel of an instance at a time, and each of the others', async () => {
    const workspaceId = await scene.workspace();
    scene.platform.publish = () => unknown;
    for (const instance of ['https://one.example', 'https://one.example', 'https://two.example']) {
      const channelId = await scene.channel(workspaceId, { instance });
      await scene.article(workspaceId, channelId);
      await scene.tick(workspaceId);
      // One a tick, all of them due for a search only now.
      await scene
        .db('route_articles')
        .where({ publish_status: 'unknown' })
        .update({
          next_lookup_at: new Date(scene.clock.now().getTime() + 30 * minuteMs),
        });
      scene.clock.advance({ minutes: 5 });
    }
    scene.platform.lookUp = () => found;
    scene.clock.advance({ minutes: 30 });

    await scene.tick(workspaceId);
    const afterFirst = scene.platform.searched.length;
    await scene.nextTick(workspaceId);

    expect(afterFirst).toBe(2);
    expect(scene.platform.searched).toHaveLength(3);
  });
});

describe('a search before a send', () => {
  it('skips what is there already, and the next candidate goes out in the same tick', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const there = await scene.article(workspaceId, channelId, { title: 'there' });
    const next = await scene.article(workspaceId, channelId, { title: 'next' });
    scene.platform.findExisting = ({ title }) => (title === 'there' ? found : { kind: 'not_found' });

    const result = await scene.tick(workspaceId);

    expect(result.published?.routeArticleId).toBe(next);
    expect(await routeArticle(scene.db, there)).toMatchObject({
      publish_status: 'skipped',
      skip_reason: 'already_there',
      publish_attempts: 4,
    });
    expect(await publicationsOf(there)).toEqual([]);
  });

  it('posts nothing blind where it is incomplete: the channel is held, no attempt counted', async () => {
    const workspaceId = await scene.workspace();
    const channelId = await scene.channel(workspaceId);
    const id = await scene.article(workspaceId, channelId, { title: 'first' });
    const other = await scene.article(workspaceId, await scene.channel(workspaceId), { title: 'other' });
    scene.platform.findExisting = ({ title }) => (title === 'first' ? incomplete : { kind: 'not_found' });

    const result = await scene.tick(workspaceId);

    expect(result.tried).toMatchObject([
      { routeArticleId: id, outcome: 'blocked', code: 'lookup_failed', attempts: 0 },
      { routeArticleId: other, outcome: 'published' },
    ]);
    expect(await scene.db('channels').where({ id: channelId }).first()).toMatchObject({
      hold_reason: 'lookup_failed',
    });
  });
});

describe('a lost answer of a channel that fails otherwise', () => {
  it('does not count as a failure of the channel when it is not found', async () => {
    const { workspaceId, losing } = await lostAnswer({ arrives: false });
    scene.platform.publish = () => refused;

    for (let n = 0; n < 5; n++) await scene.nextTick(workspaceId);

    const failures = await scene.db('attempts').where({ channel_id: losing, blames_channel: true });
    expect(failures.every(({ code }) => code === 'connection_refused')).toBe(true);
  });
});
