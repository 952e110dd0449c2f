import { canonicalUrl } from '../network/canonicalUrl.ts';
import { isGate } from './isGate.ts';

/** A link that was followed. */
export type FollowedLink = { link: string; title: string; end: string };

/** An article that the feed has brought before. */
export type EarlierArticle = { title: string; url: string | null };

type Move = { link: string; title: string; from: string; to: string };

/**
 * Which links lead where they seem to: link → canonical address. A link that is an address of its own is left
 * out: it leads nowhere else. So is what would join different articles, since a wall (of consent, a log-in, a
 * soft "not found") sends every link to one page: several links of one read that end at one address, and an
 * address that the feed gave to an article of another title. `earlier`: by canonical address.
 */
export function believedEnds(
  followed: readonly FollowedLink[],
  earlier: ReadonlyMap<string, EarlierArticle>,
): ReadonlyMap<string, string> {
  const moves = followed
    .map(({ end, ...item }) => ({ ...item, end, from: canonicalUrl(item.link), to: canonicalUrl(end) }))
    .filter(({ link, end, from, to }) => from !== to && !isGate(link, end));
  const given = new Map(followed.map(({ link, title }) => [canonicalUrl(link), title]));
  const senders = sendersByEnd(moves);
  const isAlone = ({ to }: Move) => senders.get(to)?.size === 1;
  const isNamesake = ({ to, title }: Move) => (given.get(to) ?? title) === title;
  const believed = moves.filter(
    move => isAlone(move) && isNamesake(move) && isSameArticle(move, earlier.get(move.to)),
  );
  return new Map(believed.map(({ link, to }) => [link, to]));
}

function sendersByEnd(moves: readonly Move[]): Map<string, Set<string>> {
  const senders = new Map<string, Set<string>>();
  for (const { from, to } of moves) senders.set(to, (senders.get(to) ?? new Set()).add(from));
  return senders;
}

/** By its title, or because the feed once gave that very address, and now wraps it. */
function isSameArticle({ to, title }: Move, earlier: EarlierArticle | undefined): boolean {
  if (earlier === undefined || earlier.title === title) return true;
  return earlier.url !== null && canonicalUrl(earlier.url) === to;
}
