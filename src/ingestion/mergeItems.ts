/** An item of a document with every key by which it, or its doubles there, can be known. */
export type Merged<Item> = { item: Item; keys: readonly string[] };

/** Makes one of the items that share a key; the first of them in the document stands for all. */
export function mergeItems<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
): Merged<Item>[] {
  const owners = new Map<string, { item: Item; keys: string[] }>();
  const merged: { item: Item; keys: string[] }[] = [];
  for (const item of items) {
    const keys = keysOf(item);
    const known = keys.map(key => owners.get(key)).find(owner => owner !== undefined);
    const owner = known ?? { item, keys: [] };
    if (known === undefined) merged.push(owner);
    for (const key of keys) {
      if (owners.has(key)) continue;
      owners.set(key, owner);
      owner.keys.push(key);
    }
  }
  return merged;
}
