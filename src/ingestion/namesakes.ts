import type { Database } from '../database/Database.ts';
import { articlesByKey } from '../models/articlesByKey.ts';
import type { ApprovalHold } from '../models/insertRouteArticles.ts';
import { md5Uuid } from '../models/md5Uuid.ts';

/** What an item is called and where it came from. */
export type Named = {
  guid: string | null;
  url: string | null;
  title: string;
  isUntitled?: true;
  source: string | null;
};

export type NamedArticle = { articleId: number; item: Named };

export type Namesakes = {
  /** By article: held, since it may be the one before it under another guid and URL. */
  holds: ReadonlyMap<number, ApprovalHold>;
  /** Keys that make these names known. They are names, and no identity: nothing is "seen" by them. */
  keys: readonly { key: string; articleId: number }[];
};

type Name = { key: string; plain: string; bearers: Map<number, Named>; fresh: NamedArticle[] };

/**
 * Finds what is new by guid and URL, and yet bears the title of an earlier article of its feed and source: a
 * publisher who moved or renamed a page, most often, and now and then two stories of one name. A person
 * decides. A title that three bear is a column's, and tells nothing; titles that we made tell nothing either.
 *
 * `fresh` are articles that were just stored, oldest first; `seen` those of the same document that were there.
 */
export async function findNamesakes(
  db: Database,
  feedId: number,
  { fresh, seen }: { fresh: readonly NamedArticle[]; seen: readonly NamedArticle[] },
): Promise<Namesakes> {
  const names = namesOf(fresh, seen);
  const asked = [...names.values()].filter(name => name.fresh.length > 0);
  const known = await articlesByKey(db, feedId, [
    ...asked.map(({ key }) => key),
    ...asked.map(({ key }) => columnKey(key)),
  ]);
  const byKey = new Map(known.map(article => [article.key, article]));
  const holds = new Map<number, ApprovalHold>();
  const keys = [...names.values()].flatMap(({ key, bearers }) =>
    [...bearers.keys()].slice(0, 1).map(articleId => ({ key, articleId })),
  );
  for (const name of asked) {
    const bearer = byKey.get(name.key);
    // One that was renamed since bears this title no more, though it is still known by it.
    const earlier = bearer && plainName(bearer.title) === name.plain ? bearer : undefined;
    const bearers = new Map<number, { title: string; url: string | null }>(name.bearers);
    if (earlier) bearers.set(earlier.articleId, earlier);
    if (bearers.size < 2) continue;
    const newest = name.fresh.at(-1);
    if (newest === undefined) continue;
    keys.push({ key: columnKey(name.key), articleId: newest.articleId });
    if (bearers.size > 2 || byKey.has(columnKey(name.key))) continue;
    const [other] = [...bearers].filter(([articleId]) => articleId !== newest.articleId);
    if (other) holds.set(newest.articleId, heldFor(other[1]));
  }
  return { holds, keys };
}

function namesOf(fresh: readonly NamedArticle[], seen: readonly NamedArticle[]): Map<string, Name> {
  const names = new Map<string, Name>();
  const nameOf = ({ articleId, item }: NamedArticle): Name | null => {
    const plain = tellingName(item);
    if (plain === null) return null;
    const key = nameKey(plain, item);
    const name = names.get(key) ?? { key, plain, bearers: new Map(), fresh: [] };
    name.bearers.set(articleId, item);
    names.set(key, name);
    return name;
  };
  for (const article of seen) nameOf(article);
  for (const article of fresh) nameOf(article)?.fresh.push(article);
  return names;
}

/** Null: its title tells nothing, or is its identity. */
function tellingName({ guid, url, title, isUntitled }: Named): string | null {
  if (isUntitled || (guid === null && url === null)) return null;
  const plain = plainName(title);
  return /[\p{L}\p{N}]/u.test(plain) ? plain : null;
}

function nameKey(plain: string, { source }: Named): string {
  return md5Uuid(`name:${JSON.stringify([plain, source?.toLowerCase() ?? null])}`);
}

/** Of a title, normalised: NFKC makes eighteen signs of one, and a hostile feed has thousands of such titles. */
const mostSigns = 2_000;

/** A title without what an editor changes in passing: case, white space, punctuation at its ends. */
function plainName(title: string): string {
  const normal = title.normalize('NFKC').slice(0, mostSigns);
  const signs = [...normal.toLowerCase().replace(/\s+/g, ' ')];
  const start = signs.findIndex(isTelling);
  return signs.slice(start === -1 ? signs.length : start, signs.findLastIndex(isTelling) + 1).join('');
}

// Within a title every sign may matter (1.2 and 1-2), at its ends those of a name do (C and C#). And marks are
// letters' own: without them, whole words of Hindi are one.
function isTelling(sign: string): boolean {
  return !/^[\s\p{P}]$/u.test(sign) || '#%&@*/\\'.includes(sign);
}

/** The key that remembers that several articles bear a name. */
function columnKey(key: string): string {
  return md5Uuid(`several:${key}`);
}

function heldFor({ title, url }: { title: string; url: string | null }): ApprovalHold {
  const place = url === null ? '' : ` (${url})`;
  return { reason: 'possible_duplicate', detail: `possible duplicate of "${title}"${place}` };
}
