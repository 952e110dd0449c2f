export type FeedStory = { title: string; id?: number; url?: string; publishedAt?: string };

/** An RSS feed of these stories, as its publisher would list them: the newest first. */
export function rssFeed(stories: readonly FeedStory[]): string {
  const items = stories.map(({ title, id, url, publishedAt }, index) => {
    const number = id ?? index + 1;
    const link = url ?? `https://news.test/a/${number}`;
    const date = publishedAt ?? `2026-09-0${1 + (number % 5)}T08:00:00Z`;
    return `<item><title>${title}</title><link>${link}</link><guid>story-${number}</guid>
      <pubDate>${new Date(date).toUTCString()}</pubDate></item>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0"><channel><title>Blog</title><link>https://news.test/</link>
    <description>News</description>${items.join('')}</channel></rss>`;
}
