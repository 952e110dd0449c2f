import { cutPoints } from './cutPoints.ts';
import type { Link } from './findLinks.ts';

export type Fits = (candidate: string) => boolean;

export type Search = {
  fits: Fits;
  /** The whole text that a cut at `end` makes. */
  whole: (end: number) => string;
  /** Where the first cut may be, exclusive; default 0. */
  from?: number;
  /** Whether a word may not be cut; default false: it may where else less than half would be left. */
  onlyAfterWords?: boolean;
};

/** The longest that fits of what the cuts of `text` make, none of them within `links`; null: none fits. */
export function longestCut(
  text: string,
  links: readonly Link[],
  { fits, whole, from = 0, onlyAfterWords = false }: Search,
): string | null {
  const points = cutPoints(text, links).filter(
    ({ end, isAfterWord }) => end > from && (isAfterWord || !onlyAfterWords),
  );
  const last = lastThat(points, ({ end }) => fits(whole(end)));
  if (last === undefined) return null;
  const afterWord = points.findLast(({ end, isAfterWord }) => isAfterWord && end <= last.end);
  const isFar = afterWord === undefined || afterWord.end < last.end / 2;
  const best = isFar || !fits(whole(afterWord.end)) ? last : afterWord;
  return whole(best.end);
}

/** By bisection: `accepts` holds up to some place and no longer behind it. */
function lastThat<Point>(points: readonly Point[], accepts: (point: Point) => boolean): Point | undefined {
  let accepted: Point | undefined;
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const point = points[middle];
    if (point !== undefined && accepts(point)) {
      accepted = point;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return accepted;
}
