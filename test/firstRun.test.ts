import { describe, expect, it } from 'vitest';
import { IngestFeedsJob } from '../src/ingestion/IngestFeedsJob.ts';
import { type FakeItem, fakeFetch, fakeLocks, rssOf } from './ingestion/fakeFeeds.ts';
import { createRoute } from './ingestion/scene.ts';
import { createFeed } from './support/factories.ts';
import { recordingLogger } from './support/recordingLogger.ts';
import { useScene } from './support/scene.ts';

const scene = useScene();
const dayMs = 86_400_000;
const nowMs = Date.parse('2026-09-07T10:00:00Z');

/** 500 items over ten years, newest first, thirty of them without a date. */
const tenYears: FakeItem[] = Array.from({ length: 500 }, (_, n) => ({
  title: `Item ${n}`,
  link: `https://blog.test/${n}`,
  ...(n % 17 === 0 ? {} : { date: new Date(nowMs - n * 7.3 * dayMs).toUTCString() }),
}));

const modes: [object, string[]][] = [
  [{ mode: 'baseline' }, []],
  [{ mode: 'last', count: 3 }, ['Item 3', 'Item 2', 'Item 1']],
  [{ mode: 'since', sinceMs: 8 * dayMs }, ['Item 1']],
  // As they come, oldest first: what has no date counts as now.
  [{ mode: 'all' }, ['Item 499', 'Item 498', 'Item 497', 'Item 496', 'Item 495']],
];

describe('the first run of a feed', () => {
  it.each(modes)(
    'under %j drips what it chose, one a tick, and then what is new',
    async (first, expected) => {
      const workspaceId = await scene.workspace();
      const channelId = await scene.channel(workspaceId);
      const url = 'https://blog.test/feed.xml';
      const feedId = await createFeed(scene.db, workspaceId, {
        url,
        every_ms: 60_000,
        first_import: JSON.stringify(first),
      });
      await createRoute(scene.db, { workspaceId, feedId, channelId });
      const answers = new Map([[url, { body: rssOf(tenYears) }]]);
      const { logger } = recordingLogger();
      const { fetch } = fakeFetch(answers);
      const job = new IngestFeedsJob({ db: scene.db, lock: fakeLocks().lock, fetch, logger });
      const read = () => job.handle({}, { clock: scene.clock, signal: new AbortController().signal });

      await read();
      await scene.tick(workspaceId);
      for (let tick = 1; tick < expected.length; tick += 1) await scene.nextTick(workspaceId);
      const atFirst = scene.platform.posts.map(({ title }) => title);
      scene.clock.advance({ minutes: 1 });
      answers.set(url, { body: rssOf([{ title: 'New', link: 'https://blog.test/new' }, ...tenYears]) });
      await read();
      // Before what still drips: only for this test to end.
      await scene.db('route_articles').where({ title: 'New' }).update({ priority: 1 });
      scene.clock.advance({ minutes: 4 });
      await scene.tick(workspaceId);

      expect(atFirst).toEqual(expected);
      expect(scene.platform.posts.at(-1)).toMatchObject({ title: 'New' });
      expect(scene.platform.posts).toHaveLength(expected.length + 1);
    },
  );
});
