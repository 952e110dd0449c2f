/** Takes a unit's lock without waiting; null: another one has it. */
export type LockHost = (unit: string) => Promise<{ signal: AbortSignal; release(): Promise<void> } | null>;

/** The unit that everything which asks a host for pages, or recovers what asked it, takes. */
export function enrichmentUnit(host: string): string {
  return `enrichment:${host}`;
}
