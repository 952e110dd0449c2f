import { LimitExceededError, withinLimit } from './withinLimit.ts';

const retryMs = 5_000;

/**
 * Repeats a reconciliation for as long as the process lives: nothing tells anyone that a queue store was
 * flushed. After a failure it looks again after 5 s at the latest.
 */
export class ScheduleReconciler {
  readonly #reconcile: () => Promise<void>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #nextAtMs = Infinity;
  #pass: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `reconcile` reports its own errors; a rejection only brings the next pass forward. */
  constructor({ reconcile, everyMs }: { reconcile: () => Promise<void>; everyMs: number }) {
    this.#reconcile = reconcile;
    this.#everyMs = everyMs;
  }

  /** Begins with a wait: whoever starts it has just reconciled. */
  start(): void {
    this.#lookAfter(this.#everyMs);
  }

  /** Looks within 5 s: something may have happened. Does nothing before `start`, and during a pass. */
  hurry(): void {
    if (this.#isStopped || this.#nextAtMs === Infinity) return;
    if (this.#nextAtMs - performance.now() <= retryMs) return;
    clearTimeout(this.#timer);
    this.#lookAfter(retryMs);
  }

  /** Looks no more, and waits at most `limitMs` for a pass that is under way. */
  async stop(limitMs: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    try {
      await withinLimit(this.#pass, limitMs, 'reconciliation');
    } catch (error) {
      if (!(error instanceof LimitExceededError)) throw error;
    }
  }

  #lookAfter(waitMs: number) {
    this.#nextAtMs = performance.now() + waitMs;
    this.#timer = setTimeout(() => {
      this.#pass = this.#look();
    }, waitMs);
  }

  async #look() {
    this.#nextAtMs = Infinity;
    let waitMs = this.#everyMs;
    try {
      await this.#reconcile();
    } catch {
      waitMs = Math.min(waitMs, retryMs);
    }
    if (!this.#isStopped) this.#lookAfter(waitMs);
  }
}
