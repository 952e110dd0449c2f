import type { Database } from '../database/Database.ts';
import { giveBackClaims, type TakenClaim } from '../models/giveBacks.ts';

type Claim = TakenClaim & { workspaceId: number };

/**
 * What this process has claimed and not ended: how a shutdown, or the loss of the lock connection, gives all
 * of it back in one statement. A claim is in hand before its statement runs, so that one whose commit was not
 * answered is given back as well; one that was never committed matches no row.
 */
export class ClaimsInHand {
  readonly #claims = new Map<string, Claim>();
  readonly #givingBack = new Set<Promise<number>>();

  take(claim: { id: number; workspaceId: number; claimToken: string }): void {
    this.#claims.set(claim.claimToken, { ...claim, attempts: null });
  }

  /** The claim stands: from now on its count is matched as well. */
  confirm({ claimToken, attempts }: { claimToken: string; attempts: number }): void {
    const claim = this.#claims.get(claimToken);
    if (claim) this.#claims.set(claimToken, { ...claim, attempts });
  }

  /** Its end is on the record, or not ours to tell. */
  drop(claimToken: string): void {
    this.#claims.delete(claimToken);
  }

  /** Whoever holds the workspace's lock and works on nothing yet has nothing in hand there. */
  forget(workspaceId: number): void {
    for (const claim of this.#claims.values())
      if (claim.workspaceId === workspaceId) this.drop(claim.claimToken);
  }

  /** Whether this process itself has given a claim back; waits for the answer where that is under way. */
  async wasGivenBack(claimToken: string): Promise<boolean> {
    await Promise.allSettled(this.#givingBack);
    return !this.#claims.has(claimToken);
  }

  /**
   * Gives back what has not passed the gate, of one workspace or of all, and returns how many rows that were.
   * Whoever works on one of them finds its claim gone, and no longer in hand: so they leave it first.
   */
  async giveBack(db: Database, now: Date, workspaceId: number | null = null): Promise<number> {
    const givingBack = this.#giveBack(db, now, workspaceId);
    this.#givingBack.add(givingBack);
    return givingBack.finally(() => this.#givingBack.delete(givingBack));
  }

  async #giveBack(db: Database, now: Date, workspaceId: number | null): Promise<number> {
    const claims = [...this.#claims.values()].filter(
      claim => workspaceId === null || claim.workspaceId === workspaceId,
    );
    for (const { claimToken } of claims) this.drop(claimToken);
    let givenBack: readonly number[] = [];
    try {
      givenBack = await giveBackClaims(db, claims, now);
    } finally {
      for (const claim of claims)
        if (!givenBack.includes(claim.id)) this.#claims.set(claim.claimToken, claim);
    }
    return givenBack.length;
  }
}
