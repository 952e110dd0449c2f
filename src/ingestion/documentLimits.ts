/**
 * What a feed's document may hold; one with more is refused before it is taken apart. A feed of 10 MB with 20,000
 * items stays well below the others, and together they keep the parser within its thread's memory.
 */
export const documentLimits = {
  maxItems: 20_000,
  /** XML elements, in all. */
  maxElements: 300_000,
  /** Elements in each other; objects and lists in JSON. */
  maxNesting: 100,
  /** Of one element. */
  maxAttributes: 1_000,
  /** Of one tag, without its quoted values. */
  maxTagCharacters: 65_536,
  /** Between two tags; CDATA does not count. */
  maxTextCharacters: 4_000_000,
  /** JSON objects and lists, in all. */
  maxJsonObjects: 150_000,
  maxJsonValues: 900_000,
} as const;

/** Too much of something, for a person: `more than 20,000 items`. */
export function moreThan(limit: number, what: string): string {
  return `more than ${limit.toLocaleString('en')} ${what}`;
}
