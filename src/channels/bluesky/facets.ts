import { bytes } from '../../text/bytes.ts';
import { findHashtags } from '../../text/findHashtags.ts';
import { findLinks } from '../../text/findLinks.ts';
import { graphemes } from '../../text/graphemes.ts';

/** What a part of a text is, by its place in UTF-8 (https://docs.bsky.app/docs/advanced-guides/post-richtext). */
export type Facet = {
  index: { byteStart: number; byteEnd: number };
  features: [
    | { $type: 'app.bsky.richtext.facet#link'; uri: string }
    | { $type: 'app.bsky.richtext.facet#tag'; tag: string },
  ];
};

// A longer one is refused, and the post with it.
const maxTagGraphemes = 64;

/**
 * The links and hashtags of a text: without a facet, Bluesky shows them as plain text. Mentions get none: they
 * would ring at people's doors on behalf of a feed. `url`: the article's own, a link exactly as it is.
 */
export function findFacets(text: string, url: string | null): Facet[] {
  const known = url === null ? [] : [url];
  const place = ({ start, end }: { start: number; end: number }) => ({
    byteStart: bytes(text.slice(0, start)),
    byteEnd: bytes(text.slice(0, end)),
  });
  const links = findLinks(text, known).map(
    (link): Facet => ({
      index: place(link),
      features: [{ $type: 'app.bsky.richtext.facet#link', uri: link.url }],
    }),
  );
  const tags = findHashtags(text, known)
    .filter(({ tag }) => graphemes(tag) <= maxTagGraphemes)
    .map(
      (found): Facet => ({
        index: place(found),
        features: [{ $type: 'app.bsky.richtext.facet#tag', tag: found.tag }],
      }),
    );
  return [...links, ...tags].sort((a, b) => a.index.byteStart - b.index.byteStart);
}
