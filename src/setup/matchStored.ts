import type { Stored } from './Setup.ts';

export type Matches<Part, Row> = {
  /** Each desired entry with the row that is the same thing; null: there is none. */
  pairs: readonly { desired: Part; stored: Row | null }[];
  /** Rows that are no entry's. */
  leftover: readonly Row[];
};

/**
 * Finds which row each entry is, by the first key on which they agree; every row at most once, one in use before
 * an archived one. A null key agrees with none.
 */
export function matchStored<Part, Row extends Stored<Part>>(
  desired: readonly Part[],
  stored: readonly Row[],
  keys: readonly ((part: Part | Row) => string | null)[],
): Matches<Part, Row> {
  const free = new Set([...stored].sort((a, b) => Number(a.isArchived) - Number(b.isArchived)));
  const matched = new Map<Part, Row>();
  for (const keyOf of keys) {
    const freeByKey = groupRows(free, keyOf);
    for (const part of desired.filter(part => !matched.has(part))) {
      const key = keyOf(part);
      const row = key === null ? undefined : freeByKey.get(key)?.shift();
      if (!row) continue;
      matched.set(part, row);
      free.delete(row);
    }
  }
  return {
    pairs: desired.map(part => ({ desired: part, stored: matched.get(part) ?? null })),
    leftover: [...free],
  };
}

function groupRows<Row>(rows: Iterable<Row>, keyOf: (row: Row) => string | null): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const group = groups.get(key) ?? [];
    group.push(row);
    groups.set(key, group);
  }
  return groups;
}
