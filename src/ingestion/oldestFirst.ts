/** As the feed gave it; null: undated, which counts as now. */
type Dated = { publishedAt: Date | null };

/**
 * Sorts a document's items by date, oldest first. What has no date, or the same one, keeps the document's own
 * order, read backwards unless its dates run forwards: feeds put the newest on top.
 */
export function oldestFirst<Item extends Dated>(items: readonly Item[], now: Date): Item[] {
  const direction = runsForwards(items) ? 1 : -1;
  const at = (item: Item) => (item.publishedAt ?? now).getTime();
  return items
    .map((item, place) => ({ item, place }))
    .sort((a, b) => at(a.item) - at(b.item) || direction * (a.place - b.place))
    .map(({ item }) => item);
}

function runsForwards(items: readonly Dated[]): boolean {
  const times = items.map(item => item.publishedAt?.getTime()).filter(time => time !== undefined);
  let balance = 0;
  for (const [place, time] of times.entries()) balance += Math.sign(time - (times[place - 1] ?? time));
  return balance > 0;
}
