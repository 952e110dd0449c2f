import { FeedParser } from '../../src/ingestion/FeedParser.ts';

// A process of its own, from the sources: reads one document in a thread, prints what it holds, and ends by
// itself although the thread was not stopped.
const parser = new FeedParser({ parseMs: 20_000 });
const bytes = Buffer.from('<rss version="2.0"><channel><title>Blog</title></channel></rss>');
const document = { bytes, contentType: null, url: 'https://blog.test/feed.xml', zone: 'UTC' };
const reading = await parser.read(document, { signal: new AbortController().signal });
process.stdout.write(JSON.stringify(reading));
