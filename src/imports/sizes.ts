/** What a file may hold at most, so that a hostile one costs no more than a large one. */
export const mostFileBytes = 1_073_741_824;
/** After decompression, all entries of an archive together. */
export const mostUnpackedBytes = 2 * mostFileBytes;
export const mostRows = 1_000_000;
/** Of one article: a row of a table, an item, a file. */
export const mostArticleCharacters = 1_000_000;

/** A size for people: `1 GB`, `10 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${Math.round(bytes / 1000 ** power)} ${units[power]}`;
}

/** Why an archive is refused that grows so much. */
export const unpacksToTooMuch = `it unpacks to more than ${formatBytes(mostUnpackedBytes)}`;
