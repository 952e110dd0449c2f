import { LimitExceededError, withinLimit } from './withinLimit.ts';

const defaultEveryMs = 30_000;

const retryMs = 5_000;

/**
 * Repeats a reconciliation for as long as the process lives: nothing tells anyone that a queue store was
 * flushed. After a failure it looks again after 5 s at the latest.
 */
export class ScheduleReconciler {
  readonly #reconcile: () => Promise<void>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `reconcile` reports its own errors; a rejection only brings the next pass forward. */
  constructor({ reconcile, everyMs = defaultEveryMs }: { reconcile: () => Promise<void>; everyMs?: number }) {
    this.#reconcile = reconcile;
    this.#everyMs = everyMs;
  }

  /** Begins with a wait: whoever starts it has just reconciled. */
  start(): void {
    this.#lookAfter(this.#everyMs);
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
    this.#timer = setTimeout(() => {
      this.#pass = this.#look();
    }, waitMs);
  }

  async #look() {
    let waitMs = this.#everyMs;
    try {
      await this.#reconcile();
    } catch {
      waitMs = Math.min(waitMs, retryMs);
    }
    if (!this.#isStopped) this.#lookAfter(waitMs);
  }
}
