/** Takes a unit's lock without waiting; null: another one has it. */
export type LockFeed = (unit: string) => Promise<{ signal: AbortSignal; release(): Promise<void> } | null>;

/** The unit that everything which reads or recovers a feed takes. */
export function feedUnit(feedId: number): string {
  return `feed:${feedId}`;
}
