/** A unit of work, held by this process alone while it is not released and its signal not aborted. */
export type HeldUnit = {
  /** Aborted when the connection that holds the lock is lost. */
  signal: AbortSignal;
  release(): Promise<void>;
};

/** Takes a unit's lock without waiting; null: somebody has it. */
export type LockUnit = (unit: string) => Promise<HeldUnit | null>;

/** The unit that everything which publishes in a workspace takes: the tick and a person's publish-now. */
export function publishingUnit(workspaceId: number): string {
  return `publishing:${workspaceId}`;
}
