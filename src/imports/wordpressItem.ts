import { absoluteLink } from '../ingestion/resolveLink.ts';
import type { RawItem } from '../ingestion/toFeedItem.ts';

/** The elements of an item that are read, by their names in the file. */
const wanted: ReadonlySet<string> = new Set([
  'title',
  'link',
  'guid',
  'pubDate',
  'dc:creator',
  'content:encoded',
  'excerpt:encoded',
  'wp:post_id',
  'wp:post_parent',
  'wp:post_date',
  'wp:post_date_gmt',
  'wp:post_type',
  'wp:post_password',
  'wp:status',
  'wp:attachment_url',
]);

/** An item of an export: the texts of its elements by name, its terms, and what plugins and themes say of it. */
export type WordPressItem = {
  texts: Map<string, string>;
  tags: string[];
  meta: Map<string, string>;
};

export type WordPressImage = { url: string; alt: string | null };

/** Whether an element of an item is one of those that are read as text. */
export function isWanted(name: string): boolean {
  return wanted.has(name);
}

/** Why an item is no article that anyone can read; null: it is one. */
export function leftOutAs({ texts }: WordPressItem): string | null {
  const type = texts.get('wp:post_type') ?? 'item';
  const status = texts.get('wp:status') ?? '';
  if (type !== 'post')
    return type === 'attachment' ? 'attachments' : `items of the type ${type.slice(0, 40)}`;
  if (status !== 'publish') return `posts that are not published (${status.slice(0, 40) || 'no status'})`;
  return texts.get('wp:post_password') ? 'posts behind a password' : null;
}

/** A published post as an article. Its guid is the one that the blog's own feed gives it. */
export function wordpressPost(
  { texts, tags }: WordPressItem,
  { author, image }: { author: string | undefined; image: WordPressImage | null },
): RawItem {
  const text = (name: string) => texts.get(name)?.trim() || undefined;
  const content = text('content:encoded');
  return {
    guid: text('guid'),
    url: absoluteLink(text('link')) ?? absoluteLink(text('guid')),
    title: { value: text('title'), type: 'rss' },
    summaries: [
      { value: text('excerpt:encoded'), type: 'html' },
      { value: content && withoutShortcodes(content), type: 'html' },
    ],
    content,
    author,
    tags,
    imageUrl: absoluteLink(image?.url),
    imageAlt: image?.alt ?? undefined,
    language: undefined,
    dates: [gmt(text('wp:post_date_gmt')), text('pubDate'), text('wp:post_date')],
    source: undefined,
  };
}

/** Before a post is published, it is all zeros. */
function gmt(text: string | undefined): string | undefined {
  return text === undefined || text.startsWith('0000') ? undefined : `${text}Z`;
}

function withoutShortcodes(html: string): string {
  return html.replace(
    /\[\/?(?:caption|gallery|embed|audio|video|playlist|vc_\w+|et_pb_\w+)\b[^\]]*\]/gi,
    ' ',
  );
}
