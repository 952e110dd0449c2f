import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Database, query } from '../../src/database/Database.ts';
import type { FeedItem } from '../../src/ingestion/FeedItem.ts';
import { recordRead } from '../../src/ingestion/recordOutcome.ts';
import { claimFeed } from '../../src/models/feedClaims.ts';
import { copyTwin, readTwin } from './copyTwin.ts';
import { type IngestScene, readAt } from './createIngestScene.ts';
import { newItems } from './newItems.ts';

/** A scene, and a connection that copies into it. */
export type CopiedScene = IngestScene & { copier: pg.Client };

/** One read in which all is new, COPY of the rows that it wrote, and the same read again, in which nothing is new. */
export type TimedRead = { rows: number; ms: number; copyMs: number; againMs: number };

/**
 * Times reads of so many items in several scenes, by scene. Every round visits all of them, and in each does both
 * sides: what else the machine does meets all alike. The first round only warms up.
 */
export async function timeReads(
  scenes: readonly CopiedScene[],
  { rounds, items }: { rounds: number; items: number },
): Promise<TimedRead[][]> {
  const times: TimedRead[][] = scenes.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [place, scene] of scenes.entries()) {
      const timed = await timeRound(scene, round, items);
      if (round > 0) times[place]?.push(timed);
    }
  }
  return times;
}

async function timeRound(
  { db, feedIds, copier }: CopiedScene,
  round: number,
  count: number,
): Promise<TimedRead> {
  const half = feedIds.length / 2;
  const [feedId = 0, twinFeedId = 0] = [feedIds[round % half], feedIds[half + (round % half)]];
  const [{ id: afterArticleId = 0 } = {}] = await query<{ id: number }>(db, selectLastArticle);
  const items = newItems(count);

  const ms = await timeRead(db, feedId, items);
  const twin = await readTwin(db, { feedId, afterArticleId, twinFeedId });
  const startedMs = performance.now();
  await copyTwin(copier, twin);
  const copyMs = performance.now() - startedMs;
  const againMs = await timeRead(db, feedId, items);
  return { rows: twin.rows, ms, copyMs, againMs };
}

async function timeRead(db: Database, feedId: number, items: readonly FeedItem[]): Promise<number> {
  const claim = { feedId, claimToken: randomUUID() };
  const feed = await claimFeed(db, { ...claim, isForced: true, now: readAt });
  if (feed === null) throw new Error('a feed could not be claimed');

  const startedMs = performance.now();
  const { outcome } = await recordRead({ db, feed, claim, newId: randomUUID }, answerWith(items), readAt);
  const tookMs = performance.now() - startedMs;
  if (outcome !== 'read') throw new Error(`a read ended with ${outcome}`);
  return tookMs;
}

function answerWith(items: readonly FeedItem[]): Parameters<typeof recordRead>[1] {
  return {
    kind: 'read',
    feed: { format: 'rss', title: 'News', items, warnings: [], ttlMs: 0, blanks: [] },
    encoding: 'utf-8',
    etag: null,
    lastModified: null,
    movedTo: null,
    waitMs: 0,
  };
}

const selectLastArticle = { name: 'bench-last-article', text: 'select max(id) as id from articles' };
