import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { brokenEncodings } from './brokenEncodings.ts';
import { type BrokenFeed, brokenFeeds } from './brokenFeeds.ts';
import { feedUrl, ingestionScene } from './scene.ts';

const database = useDatabase();

/** Reads a document as a feed is read: from the bytes to the tables. */
async function read({ document, contentType = 'text/xml' }: BrokenFeed) {
  const { answers, ingest, feedId, workspaceId } = await ingestionScene(database.db);
  await database.db('workspaces').where({ id: workspaceId }).update({ timezone: 'Europe/Berlin' });
  answers.set(feedUrl, { body: document, headers: { 'content-type': contentType } });
  const { feeds } = await ingest();
  const feed = await database.db('feeds').where({ id: feedId }).first();
  return {
    outcome: feeds[0]?.outcome,
    error: feed.last_error,
    articles: await database.db('articles').orderBy('id'),
  };
}

describe('a feed as the world serves it', () => {
  it.each([...brokenFeeds, ...brokenEncodings])(
    'is read, or refused with its reason: $fault',
    async broken => {
      const { outcome, error, articles } = await read(broken);

      const { becomes } = broken;
      if (becomes instanceof RegExp) {
        expect({ outcome, articles }).toEqual({ outcome: 'failed', articles: [] });
        expect(error).toMatch(becomes);
      } else {
        expect({ outcome, error }).toEqual({ outcome: 'read', error: null });
        expect(articles).toMatchObject(becomes);
      }
    },
  );
});
