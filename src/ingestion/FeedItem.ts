/** One item as a feed gave it, in our terms, whatever the format. */
export type FeedItem = {
  guid: string | null;
  /** Absolute http or https, as the feed gave it: what is posted. */
  url: string | null;
  /** Never empty: an untitled item is named by its summary or its URL. */
  title: string;
  /** True where the feed gave no title and we made one; absent: it is the feed's own. */
  isUntitled?: true;
  /** Plain text, about 1,000 characters at most. */
  summary: string | null;
  /** As the feed gave it, HTML mostly. */
  content: string | null;
  author: string | null;
  tags: readonly string[];
  imageUrl: string | null;
  /** What the picture shows, as plain text. */
  imageAlt: string | null;
  language: string | null;
  /** Null: none that can be read. May lie in the future. */
  publishedAt: Date | null;
  /** Where an aggregated item came from: a name or a URL. */
  source: string | null;
};

/** An item whose link may have been followed. `resolvedUrl`: the canonical address that it led to, if another. */
export type LinkedItem = FeedItem & { resolvedUrl?: string | null };

/** What a document holds and nobody could publish: neither title, link nor text. */
export type BlankItem = {
  /** Among all of its document, from 0. */
  place: number;
  guid: string | null;
  publishedAt: Date | null;
};

export type FeedFormat = 'rss' | 'atom' | 'rdf' | 'json';

export type ParsedFeed = {
  format: FeedFormat;
  title: string | null;
  /** In the document's order. */
  items: readonly FeedItem[];
  /** What stands between them and is left out. */
  blanks: readonly BlankItem[];
  /** For how long the document asks not to be read again (RSS `ttl`); 0 if it does not. */
  ttlMs: number;
  /** For a person: what was doubtful and how it was read. */
  warnings: readonly string[];
};
