/**
 * What came of a workspace's imports. `done`: all rows that can be are in. `failed`: for good, until a person
 * retries it. `postponed`: it failed, and is taken up again. `stopped`: given back on a shutdown or with the
 * lock lost. `lost`: another process took it over. `busy`: another process runs the workspace's imports.
 */
export type ImportRun = {
  workspaceId: number;
  /** Null where none was claimed. */
  importId: number | null;
  outcome: 'done' | 'failed' | 'postponed' | 'stopped' | 'lost' | 'busy';
  /** For a person; null when there is nothing to add. */
  detail: string | null;
};
