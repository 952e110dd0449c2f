import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { FeedParser, type FeedParserOptions } from '../../src/ingestion/FeedParser.ts';
import { rssOf } from './fakeFeeds.ts';

const context = { contentType: null, url: 'https://blog.test/feed.xml', zone: 'UTC' };
const unaborted = new AbortController().signal;
const started = new Set<FeedParser>();

/** Within every limit, and all the same seconds of work. */
const slow = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  items: [Object.fromEntries(Array.from({ length: 800_000 }, (_, n) => [`a${n}`, 1]))],
});
/** Within every limit, and far more than 64 MB while it is taken apart. */
const large = rssOf([]).replace(
  '<title>',
  `${Array.from({ length: 299_000 }, (_, n) => `<a${n}/>`).join('')}<title>`,
);

function startParser(options: Partial<FeedParserOptions> = {}): FeedParser {
  const parser = new FeedParser({ parseMs: 20_000, ...options });
  started.add(parser);
  return parser;
}

function read(parser: FeedParser, text: string, signal = unaborted) {
  return parser.read({ bytes: Buffer.from(text), ...context }, { signal });
}

afterEach(async () => {
  for (const parser of started) await parser.stop();
  started.clear();
});

describe('FeedParser', () => {
  it('answers as the parser itself does', async () => {
    const parser = startParser();

    const feed = await read(
      parser,
      rssOf([{ title: 'One', guid: '1', date: 'Mon, 07 Sep 2026 09:50:00 GMT' }]),
    );
    const page = await read(parser, '<html></html>');

    expect(feed).toMatchObject({
      kind: 'parsed',
      encoding: 'utf-8',
      feed: { format: 'rss', items: [{ title: 'One', publishedAt: new Date('2026-09-07T09:50:00Z') }] },
    });
    expect(page).toEqual({ kind: 'unreadable', detail: 'a web page, not a feed' });
  });

  it('reads bytes in whatever encoding, and leaves those of the caller alone', async () => {
    const bytes = Buffer.from(
      '<rss version="2.0"><channel><title>Caf\u00e9</title></channel></rss>',
      'latin1',
    );

    const reading = await startParser().read({ ...context, bytes }, { signal: unaborted });

    expect(reading).toMatchObject({ encoding: 'windows-1252', feed: { title: 'Caf\u00e9' } });
    expect(bytes.subarray(0, 4).toString()).toBe('<rss');
  });

  it('refuses what takes too long, reads others meanwhile, and goes on afterwards', async () => {
    const parser = startParser({ parseMs: 1_000 });
    await Promise.all([read(parser, rssOf([])), read(parser, rssOf([]))]);
    const ended: string[] = [];
    const note = async (name: string, text: string) => {
      const reading = await read(parser, text);
      ended.push(name);
      return reading;
    };

    const [refused, ...others] = await Promise.all([
      note('slow', slow),
      note('first', rssOf([{ title: 'a' }])),
      note('second', rssOf([{ title: 'b' }])),
    ]);
    const next = await Promise.all([read(parser, rssOf([])), read(parser, rssOf([]))]);

    const detail = 'reading the document takes more than 1000 ms (HEADWAY_LIMIT_PARSE)';
    expect(refused).toEqual({ kind: 'unreadable', detail });
    expect(others.map(({ kind }) => kind)).toEqual(['parsed', 'parsed']);
    expect(ended).toEqual(['first', 'second', 'slow']);
    expect(next.map(({ kind }) => kind)).toEqual(['parsed', 'parsed']);
  });

  it('refuses what takes too much memory, and goes on afterwards', async () => {
    const parser = startParser({ maxHeapMb: 64, threads: 1 });

    const refused = await read(parser, large);
    const next = await read(parser, rssOf([]));

    const detail = 'reading the document takes more than 64 MB of memory';
    expect(refused).toEqual({ kind: 'unreadable', detail });
    expect(next).toMatchObject({ kind: 'parsed' });
  });

  it('ends with its signal, what runs and what waits', async () => {
    const parser = startParser({ threads: 1 });
    await read(parser, rssOf([]));
    const abort = new AbortController();

    const readings = [slow, rssOf([])].map(text => read(parser, text, abort.signal));
    const waiting = read(parser, rssOf([]));
    abort.abort();
    const cutOff = await Promise.all(readings);
    const late = await read(parser, rssOf([]), abort.signal);

    const expected = { kind: 'unreadable', detail: 'the reading was cut off' };
    expect([...cutOff, late]).toEqual([expected, expected, expected]);
    expect(await waiting).toMatchObject({ kind: 'parsed' });
  });

  it('ends what runs and what waits when it is stopped, and takes nothing more', async () => {
    const parser = startParser({ threads: 1 });
    await read(parser, rssOf([]));

    const readings = [slow, rssOf([])].map(text => read(parser, text));
    await parser.stop();
    const ended = await Promise.all(readings);
    const late = await read(parser, rssOf([]));

    expect([...ended, late].map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable', 'unreadable']);
  });

  it('is found from the sources, and keeps no process from ending', async () => {
    const script = fileURLToPath(new URL('../support/parserProcess.ts', import.meta.url));

    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);

    expect(JSON.parse(stdout)).toMatchObject({ kind: 'parsed', feed: { title: 'Blog' } });
  });
});
