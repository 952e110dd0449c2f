import { findLinks } from './findLinks.ts';

/** A hashtag in a text: `tag` is without the `#`; `start` (of the `#`) and `end` are UTF-16 units. */
export type Hashtag = { tag: string; start: number; end: number };

// It begins with no mark: `#️⃣` is a picture of a key.
const hashtag = /(?<![\p{L}\p{M}\p{N}_&/#])#([\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)/gu;

/**
 * The hashtags in a running text, from left to right: letters, digits and `_`, with a letter among them, as
 * every platform takes them. What stands in an address is none. `known`: as for `findLinks`.
 */
export function findHashtags(text: string, known: readonly string[] = []): Hashtag[] {
  if (!text.includes('#')) return [];
  const links = findLinks(text, known);
  return Array.from(text.matchAll(hashtag), ({ 0: whole, 1: tag = '', index: start }) => {
    return { tag, start, end: start + whole.length };
  }).filter(
    ({ tag, start }) => /\p{L}/u.test(tag) && !links.some(link => link.start <= start && start < link.end),
  );
}
