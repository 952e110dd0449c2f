import { findLink, findLinks, type Link } from './findLinks.ts';
import { type Fits, longestCut } from './longestCut.ts';

export type CutOptions = {
  /** The most that `measure` may answer. */
  max: number;
  /** The platform's own count: it must not shrink when a text grows by a word. */
  measure: (text: string) => number;
  /** Links, the most important first. */
  protect?: readonly string[];
};

export type CutText = { text: string; isCut: boolean };

export const ellipsis = '…';

/**
 * The longest beginning of a text that measures at most `max`, cut after a word and ending in "…"; a text
 * that fits is returned as it is. It is cut in a word only where else less than half would be left. No
 * grapheme is split, and no link: the first of `protect` that stands in the text and fits survives whole, the
 * text before it is cut and what follows it goes. An ellipsis never follows a link at once, as platforms
 * would take it for a part of the address: there the cut bears no mark. Empty when not even "…" fits.
 */
export function cutText(text: string, { max, measure, protect = [] }: CutOptions): CutText {
  const fits = (candidate: string) => measure(candidate) <= max;
  if (fits(text)) return { text, isCut: false };
  const kept = protect.find(url => findLink(text, url) !== null && fits(url));
  const link = kept === undefined ? null : findLink(text, kept);
  const links = findLinks(text, protect);
  if (link !== null) return { text: cutAround(text, link, links, fits), isCut: true };
  const protectedLinks = links.filter(({ url }) => protect.includes(url));
  // A text that begins with a link too long for it: unless that is to be protected, it is a word like any other.
  const cut = cutEnd(text, links, fits) ?? cutEnd(text, protectedLinks, fits);
  return { text: cut ?? (fits(ellipsis) ? ellipsis : ''), isCut: true };
}

function cutEnd(text: string, links: readonly Link[], fits: Fits): string | null {
  return longestCut(text, links, { fits, whole: end => text.slice(0, end) + mark(text, end, links) });
}

function cutAround(text: string, link: Link, links: readonly Link[], fits: Fits): string {
  const upToLink = text.slice(0, link.end);
  if (fits(upToLink)) {
    const whole = (end: number) => text.slice(0, end) + mark(text, end, links);
    // Half a hashtag behind the link is worth nothing: only whole words may follow.
    return longestCut(text, links, { fits, whole, from: link.end, onlyAfterWords: true }) ?? upToLink;
  }
  const before = text.slice(0, link.start);
  const gap = /\s+$/.exec(before)?.[0] ?? ' ';
  const whole = (end: number) => text.slice(0, end) + mark(text, end, links) + gap + link.url;
  return longestCut(before, links, { fits, whole }) ?? link.url;
}

function mark(text: string, end: number, links: readonly Link[]): string {
  const isBehindLink = links.some(link => link.end <= end && !/\s/.test(text.slice(link.end, end)));
  return isBehindLink ? '' : ellipsis;
}
