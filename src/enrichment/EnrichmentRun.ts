/**
 * What came of an article, or of a host none of whose was taken up. `done`: its page was read, whatever it
 * said. `failed`: for good; it is published as it is. `postponed`: it failed, and is tried again. `stopped`:
 * given back on a shutdown or with the lock lost. `lost`: another process took it over. `busy`: another
 * process asks the host.
 */
export type EnrichmentRun = {
  host: string;
  /** Null where none was claimed. */
  articleId: number | null;
  outcome: 'done' | 'failed' | 'postponed' | 'stopped' | 'lost' | 'busy';
  /** For a person; null when there is nothing to add. */
  detail: string | null;
};
