/** RFC 2606: a name that is nobody's, ever. */
const host = 'import.invalid';

/**
 * The address of a feed that nothing is read from, which imports fill. It is one that `config.yaml` allows, so
 * that an export can be applied; the feed is paused, and a read of it would find no such host.
 */
export function importOnlyUrl(name: string): string {
  return `https://${host}/${encodeURIComponent(name)}`;
}

/** Whether a feed's address is such a one. */
export function isImportOnly(url: string): boolean {
  return URL.canParse(url) && new URL(url).host === host;
}
