import { describe, expect, it } from 'vitest';
import { findNamesakes } from '../../src/ingestion/namesakes.ts';
import { useDatabase } from '../support/database.ts';
import { type FakeItem, rssOf } from './fakeFeeds.ts';
import { feedUrl, ingestionScene, queued } from './scene.ts';

const database = useDatabase();

/** Reads one document after the other, and answers with what is held, by title, and why. */
async function heldAfter(
  documents: readonly (readonly FakeItem[])[],
  feed: Readonly<Record<string, unknown>> = {},
) {
  const { answers, ingest, clock } = await ingestionScene(database.db, { feed });
  for (const items of documents) {
    answers.set(feedUrl, { body: rssOf(items) });
    await ingest();
    clock.advance({ minutes: 15 });
  }
  const rows = await queued(database.db);
  return rows
    .filter(row => row.approval_status === 'pending')
    .map(row => [row.title, row.approval_reason, row.approval_detail]);
}

let sequence = 0;
/** An item of which guid and link are its own. */
const entry = (title: string, columns: FakeItem = {}): FakeItem => {
  const place = ++sequence;
  return { title, link: `https://blog.test/${place}`, guid: `g${place}`, ...columns };
};

describe('items that are new by guid and URL, and bear an earlier title', () => {
  it('are held for approval, and name the one that they may be', async () => {
    const first = entry('A storm is coming', { link: 'https://blog.test/storm' });
    const again = entry('A Storm is coming!', { link: 'https://blog.test/storm-2' });

    const held = await heldAfter([[first], [again, entry('Another')]]);

    expect(held).toEqual([
      [
        'A Storm is coming!',
        'possible_duplicate',
        'possible duplicate of "A storm is coming" (https://blog.test/storm)',
      ],
    ]);
  });

  it('are held in the document that brings both, the newer one', async () => {
    const older = entry('Twice', { date: 'Mon, 07 Sep 2026 08:00:00 GMT', link: 'https://blog.test/old' });
    const newer = entry('Twice', { date: 'Mon, 07 Sep 2026 09:00:00 GMT', link: 'https://blog.test/new' });

    const held = await heldAfter([[newer, older]]);

    expect(held).toEqual([
      ['Twice', 'possible_duplicate', 'possible duplicate of "Twice" (https://blog.test/old)'],
    ]);
    const links = (await database.db('route_articles').join('articles', 'articles.id', 'article_id'))
      .filter(row => row.approval_status === 'pending')
      .map(row => row.url);
    expect(links).toEqual(['https://blog.test/new']);
  });

  it('are held although the earlier one was of the baseline', async () => {
    const held = await heldAfter([[entry('Twice')], [entry('Twice')]], {
      first_import: '{"mode":"baseline"}',
    });

    expect(held.map(([title, reason]) => [title, reason])).toEqual([['Twice', 'possible_duplicate']]);
  });

  it('are a column once three bear the title, and held no more', async () => {
    const titles = ['Open thread', 'Open thread', 'Open thread', 'Open thread'];

    const held = await heldAfter(titles.map(title => [entry(title)]));

    expect(held.map(([title]) => title)).toEqual(['Open thread']);
  });

  it('are a column at once in a document that has three', async () => {
    const held = await heldAfter([[entry('Photo'), entry('Photo'), entry('Photo')], [entry('Photo')]]);

    expect(held).toEqual([]);
  });

  it('are not held for titles that the feed did not give', async () => {
    const untitled = (): FakeItem => {
      const { title: _title, ...rest } = entry('');
      return { ...rest, description: 'Good morning.' };
    };

    const held = await heldAfter([[untitled()], [untitled()]]);

    expect(held).toEqual([]);
  });

  it('are not held for a title of other words, or of none', async () => {
    const held = await heldAfter([
      [entry('Part 1'), entry('…')],
      [entry('Part 2'), entry('…')],
    ]);

    expect(held).toEqual([]);
  });

  it.each([
    ['words that differ in their marks', 'दिन', 'दान'],
    ['names that end in a sign', 'Learning C', 'Learning C#'],
    ['names that end in a symbol', 'Learning C', 'Learning C++'],
    ['versions', 'Version 1.2', 'Version 1-2'],
    ['currencies', 'Tickets for $5', 'Tickets for €5'],
  ])('are not held for %s', async (_name, title, other) => {
    const held = await heldAfter([[entry(title)], [entry(other)]]);

    expect(held).toEqual([]);
  });

  it.each([
    ['white space', 'A  storm\tis coming '],
    ['quotation marks', '“A storm is coming.”'],
    ['wide letters', 'Ａ storm is coming！'],
  ])('are held for a title that differs in %s', async (_name, title) => {
    const held = await heldAfter([[entry('A storm is coming')], [entry(title)]]);

    expect(held.map(([, reason]) => reason)).toEqual(['possible_duplicate']);
  });

  it('are not held for a title that the earlier one bears no more', async () => {
    const live = entry('Live');

    const held = await heldAfter([[live], [{ ...live, title: 'How it ended' }], [entry('Live')]]);

    expect(held).toEqual([]);
  });

  it('are found soon among titles of nothing but signs', async () => {
    const hostile = `a${'!'.repeat(19_000)}b`;
    const startedAt = performance.now();

    await heldAfter([Array.from({ length: 50 }, (_, place) => entry(`${hostile}${place}`))]);

    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('are not held twice for one item that is read again', async () => {
    const first = entry('Twice');
    const second = entry('Twice');

    const held = await heldAfter([[first], [second, first], [second, first], [entry('Else'), second, first]]);

    expect(held.map(([title]) => title)).toEqual(['Twice']);
  });

  it('are not held for another source', async () => {
    const { answers, ingest, clock } = await ingestionScene(database.db);
    const item = (place: number, source: string) =>
      `<item><title>Twice</title><link>https://blog.test/${place}</link><source url="https://${source}.test/">${source}</source></item>`;
    const rss = (items: string) => `<rss version="2.0"><channel><title>All</title>${items}</channel></rss>`;
    answers.set(feedUrl, { body: rss(item(1, 'Harbour')) });
    await ingest();
    clock.advance({ minutes: 15 });
    answers.set(feedUrl, { body: rss(item(2, 'Shore')) });

    await ingest();

    expect((await queued(database.db)).map(row => row.approval_status)).toEqual(['approved', 'approved']);
  });
});

it('names thousands of titles soon that each become eighteen times as long', async () => {
  const fresh = Array.from({ length: 3_000 }, (_, place) => ({
    articleId: place,
    item: { guid: `g${place}`, url: null, title: `${place}${'\uFDFA'.repeat(990)}`, source: null },
  }));
  const startedAt = performance.now();

  const { keys } = await findNamesakes(database.db, 1, { fresh, seen: [] });

  expect(performance.now() - startedAt).toBeLessThan(1_500);
  expect(keys).toHaveLength(3_000);
});
