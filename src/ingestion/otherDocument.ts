const notFeeds: Readonly<Record<string, string>> = {
  html: 'a web page, not a feed',
  entry: 'one entry (Atom), not a feed of them',
  channel: 'a channel without <rss> around it (RSS 1.1 or CDF), which is not read',
  opml: 'a list of feeds (OPML), not a feed: it can be imported',
  urlset: 'a sitemap, not a feed',
};

/** What a document is that people take for a feed, in words, by its root element; null: nobody knows. */
export function otherDocument(root: string | null): string | null {
  return notFeeds[root?.toLowerCase() ?? ''] ?? null;
}
