import type { Link } from './findLinks.ts';
import { splitGraphemes } from './graphemes.ts';

/** Where a text may be cut: before `end` (UTF-16 units), which is never within a grapheme. */
export type CutPoint = {
  end: number;
  /** Whether a whole word ends there. */
  isAfterWord: boolean;
};

const blank = /^\s+$/;
/** What an ellipsis is not put behind: "Hello, world" is cut to "Hello…". */
const separator = /^[,;:–—-]$/;

/** Every place where a text can be cut, from left to right: not after a blank, not within one of `links`. */
export function cutPoints(text: string, links: readonly Link[]): CutPoint[] {
  const points: CutPoint[] = [];
  let end = text.length;
  let isAfterWord = true;
  for (const grapheme of splitGraphemes(text).reverse()) {
    if (blank.test(grapheme)) {
      isAfterWord = true;
    } else if (!separator.test(grapheme)) {
      points.push({ end, isAfterWord });
      isAfterWord = false;
    }
    end -= grapheme.length;
  }
  return points
    .reverse()
    .filter(point => !links.some(link => link.start < point.end && point.end < link.end));
}
