/**
 * `busy`: another process reads it, or has just done so. `stopped`: given back untouched on a shutdown or
 * with the lock lost. `lost`: another process took it over, so that nothing of this read was written.
 * `newArticles` counts what was stored, `routed` what was queued of it.
 */
export type FeedOutcome = {
  outcome: 'read' | 'unchanged' | 'failed' | 'gone' | 'busy' | 'stopped' | 'lost';
  newArticles: number;
  routed: number;
  /** For a person; null when there is nothing to add. */
  detail: string | null;
  /** What changed about the feed's health, and raised an alert. */
  change: 'failing' | 'recovered' | 'gone' | null;
};

/** An outcome that brought nothing. */
export function outcome(kind: FeedOutcome['outcome'], detail: string | null = null): FeedOutcome {
  return { outcome: kind, newArticles: 0, routed: 0, detail, change: null };
}
