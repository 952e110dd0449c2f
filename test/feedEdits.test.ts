import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../src/ingestion/IngestFeedsJob.ts';
import { type Change, changeRouteArticle } from '../src/publishing/changeRouteArticle.ts';
import { type FakeItem, fakeFetch, fakeLocks, rssOf } from './ingestion/fakeFeeds.ts';
import { createRoute } from './ingestion/scene.ts';
import { createFeed } from './support/factories.ts';
import { refused, succeeded } from './support/publishing.ts';
import { recordingLogger } from './support/recordingLogger.ts';
import { useScene } from './support/scene.ts';
import { tryMeddled } from './support/tryMeddled.ts';

const scene = useScene();
const feedUrl = 'https://blog.test/feed.xml';
const item: FakeItem = { title: 'Strom is comming', link: 'https://blog.test/1', guid: 'g1' };
const corrected: FakeItem = { ...item, title: 'Storm is coming' };

/** A feed of one item with a route to one channel; `read` is what the next read finds. */
async function blog(route: Readonly<Record<string, unknown>> = {}) {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const feed = { name: 'blog', url: feedUrl, first_import: '{"mode":"all"}' };
  const feedId = await createFeed(scene.db, workspaceId, feed);
  await createRoute(scene.db, { workspaceId, feedId, channelId }, { template: 'New: {{ title }}', ...route });
  const answers = new Map<string, { body: string }>();
  const { logger } = recordingLogger();
  const { fetch } = fakeFetch(answers);
  const job = new IngestFeedsJob({ db: scene.db, lock: fakeLocks().lock, fetch, logger });
  const signal = new AbortController().signal;
  const read = async (...items: FakeItem[]) => {
    answers.set(feedUrl, { body: rssOf(items) });
    return job.handle({ isForced: true }, { clock: scene.clock, signal });
  };
  await read(item);
  return { workspaceId, channelId, read };
}

const row = () => scene.db('route_articles').first();

async function act(change: Change) {
  const { id } = await row();
  return changeRouteArticle(scene.db, { id, change, actor: 'test', now: scene.clock.now() });
}

const approve = () => act({ action: 'approve' });

describe('an edit by the feed before the article goes out', () => {
  it('changes what goes out, by the route’s template', async () => {
    const { workspaceId, read } = await blog({ approval: 'auto' });

    await read(corrected);
    await scene.nextTick(workspaceId);

    expect(scene.platform.posts).toMatchObject([{ title: 'Storm is coming', text: 'New: Storm is coming' }]);
  });

  it('returns what a person approved to the inbox, and says why', async () => {
    const { workspaceId, read } = await blog({ approval: 'manual' });
    await approve();

    await read(corrected);
    await scene.nextTick(workspaceId);

    expect(scene.platform.posts).toEqual([]);
    expect(await row()).toMatchObject({
      title: 'Storm is coming',
      approval_status: 'pending',
      approval_reason: 'edited',
      approval_detail: 'its feed changed it after it was approved',
      publish_status: 'pending',
      publish_attempts: 0,
    });
    await approve();
    await scene.nextTick(workspaceId);
    expect(scene.platform.posts).toMatchObject([{ title: 'Storm is coming' }]);
    expect(await row()).toMatchObject({ approval_reason: null, approval_detail: null });
  });

  it.each([
    ['manual', 'follow', 'approved'],
    ['manual', 'ask', 'pending'],
    ['auto', 'follow', 'approved'],
    ['auto', 'ask', 'pending'],
    ['auto', null, 'approved'],
    ['manual', null, 'pending'],
  ])('on a route of approval %s and edits %s leaves it %s', async (approval, edits, approvalStatus) => {
    const { read } = await blog({ approval, edits });
    await approve();

    await read(corrected);

    expect(await row()).toMatchObject({ title: 'Storm is coming', approval_status: approvalStatus });
  });

  it('asks nobody again where the text that goes out is the same', async () => {
    const { read } = await blog({ approval: 'manual' });
    await approve();

    const { feeds } = await read({ ...item, description: 'A summary that the template does not use.' });

    expect(feeds).toMatchObject([{ detail: '1 changed' }]);
    expect(await row()).toMatchObject({ approval_status: 'approved', approval_reason: null });
  });

  it.each(['rejected', 'pending'] as const)('leaves what is %s so', async approvalStatus => {
    const { read } = await blog({ approval: 'manual' });
    if (approvalStatus === 'rejected') await act({ action: 'reject' });

    await read(corrected);

    expect(await row()).toMatchObject({
      title: 'Storm is coming',
      approval_status: approvalStatus,
      approval_reason: null,
    });
  });

  it('asks once, and not with every read, where two items of the feed are the one article', async () => {
    const moved: FakeItem = { ...item, link: 'https://blog.test/2' };
    const { read } = await blog({ approval: 'manual' });
    await read(moved);
    await approve();
    const document: FakeItem[] = [moved, { title: 'Another title', link: 'https://blog.test/1', guid: 'g2' }];

    await read(...document);
    const { feeds } = await read(...document);

    expect(feeds).toMatchObject([{ newArticles: 0, detail: null }]);
    expect(await row()).toMatchObject({ title: item.title, approval_status: 'approved' });
  });

  it('leaves what a person wrote', async () => {
    const { read } = await blog({ approval: 'manual' });
    await act({ action: 'edit', title: 'Storm!', text: 'Take your umbrella.' });
    await approve();

    await read(corrected);

    expect(await row()).toMatchObject({
      title: 'Storm!',
      text: 'Take your umbrella.',
      approval_status: 'approved',
    });
  });

  it('keeps attempts and wait of one that failed', async () => {
    const { workspaceId, read } = await blog({ approval: 'auto' });
    scene.platform.publish = () => refused;
    await scene.nextTick(workspaceId);
    const before = await row();

    await read(corrected);

    expect(before).toMatchObject({ publish_status: 'failed', publish_attempts: 1 });
    expect(await row()).toMatchObject({
      title: 'Storm is coming',
      publish_status: 'failed',
      publish_attempts: 1,
      next_attempt_at: before.next_attempt_at,
    });
  });

  it('keeps the old text from going out where the article was claimed with it', async () => {
    const { read } = await blog({ approval: 'manual' });
    await approve();
    const { id } = await row();

    const { tried } = await tryMeddled(scene, id, () => read(corrected));

    expect(tried).toMatchObject({ outcome: 'passed' });
    expect(scene.platform.posts).toEqual([]);
    expect(await row()).toMatchObject({
      title: 'Storm is coming',
      publish_status: 'pending',
      publish_attempts: 0,
      approval_reason: 'edited',
    });
  });
});

describe('an edit by the feed after the article went out', () => {
  it('changes nothing that went out, and posts nothing', async () => {
    const { workspaceId, read } = await blog({ approval: 'auto' });
    await scene.nextTick(workspaceId);
    const [before, publication] = [await row(), await scene.db('publications').first()];

    await read(corrected);
    await scene.nextTick(workspaceId);

    expect(scene.platform.posts).toHaveLength(1);
    expect(await row()).toEqual(before);
    expect(await scene.db('publications').first()).toEqual(publication);
    expect(await scene.db('articles').first()).toMatchObject({ title: 'Storm is coming' });
  });

  it.each([
    ['unknown', { kind: 'unknown', code: 'connection_reset', detail: 'the answer was lost' }],
    ['published', succeeded],
  ] as const)('leaves the text of one that is %s', async (publishStatus, answer) => {
    const { workspaceId, read } = await blog({ approval: 'auto' });
    scene.platform.publish = () => answer;
    await scene.nextTick(workspaceId);

    await read(corrected);

    expect(await row()).toMatchObject({ title: 'Strom is comming', publish_status: publishStatus });
  });

  it('leaves one that is being sent', async () => {
    const { workspaceId, read } = await blog({ approval: 'auto' });
    scene.platform.publish = async () => {
      await read(corrected);
      return succeeded;
    };

    await scene.nextTick(workspaceId);

    expect(scene.platform.posts).toMatchObject([{ title: 'Strom is comming' }]);
    expect(await row()).toMatchObject({ title: 'Strom is comming', publish_status: 'published' });
  });
});
