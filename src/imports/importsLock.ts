/** Takes a unit's lock without waiting; null: another one has it. */
export type LockImports = (unit: string) => Promise<{ signal: AbortSignal; release(): Promise<void> } | null>;

/** The unit that everything which runs or recovers the imports of a workspace takes. */
export function importsUnit(workspaceId: number): string {
  return `imports:${workspaceId}`;
}
