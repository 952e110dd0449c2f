/**
 * What every queue's consumer can do beside its work, whatever its units are (README, "Consumers"): one rule
 * for all queues, one suite that each of them passes.
 */
export type UnitConsumer = {
  /**
   * At start-up, before the first claim: ends what dead processes left in flight, each unit under its lock,
   * taken without waiting; a busy one is left to its holder. Returns how many rows it ended.
   */
  recover(context: { now: Date; signal: AbortSignal }): Promise<number>;
  /**
   * Gives back, in one statement, what this process has claimed and not begun to send, as if it had not been
   * claimed. A row that no longer is as it was claimed is left alone. Returns how many it gave back.
   */
  giveBack(now: Date): Promise<number>;
};
