import type { Database } from '../database/Database.ts';
import { type KnownArticle, knownArticles } from '../models/articles.ts';
import { guidsWithSeveralUrls, type Identity, identityKeys, repeatedGuidKey } from './identityKeys.ts';
import { type Merged, mergeItems } from './mergeItems.ts';

export type Recognised<Item> = {
  /** What the feed never brought before. Several items that are one are the first of them. */
  fresh: readonly Merged<Item>[];
  seen: readonly Merged<Item>[];
  /** The articles of those that were seen, by key. */
  known: KnownArticles;
  /** Guids that tell nothing apart in this feed, as far as they occur in this document. */
  repeated: ReadonlySet<string>;
};

type KnownArticles = ReadonlyMap<string, KnownArticle>;
type LookUp = (keys: readonly string[]) => Promise<KnownArticles>;

/**
 * Tells what of a document its feed has brought before, and what is new; without a feed (null) all of it is.
 * Writes nothing.
 */
export async function recogniseItems<Item extends Identity>(
  db: Database,
  feedId: number | null,
  items: readonly Item[],
): Promise<Recognised<Item>> {
  const lookUp: LookUp = async keys => (feedId === null ? new Map() : knownArticles(db, feedId, keys));
  const repeated = await repeatedGuids(items, lookUp);
  const merged = mergeItems(items, item => identityKeys(item, repeated));
  const known = await lookUp(merged.flatMap(({ keys }) => keys));
  const isSeen = ({ keys }: Merged<Item>) => keys.some(key => known.has(key));
  return { fresh: merged.filter(item => !isSeen(item)), seen: merged.filter(isSeen), known, repeated };
}

/** Those of this document and, as far as they occur in it, those of every earlier one. */
async function repeatedGuids(items: readonly Identity[], lookUp: LookUp): Promise<Set<string>> {
  const guids = new Set(items.map(item => item.guid).filter(guid => guid !== null));
  const remembered = await lookUp([...guids].map(repeatedGuidKey));
  const repeated = guidsWithSeveralUrls(items);
  for (const guid of guids) if (remembered.has(repeatedGuidKey(guid))) repeated.add(guid);
  return repeated;
}
