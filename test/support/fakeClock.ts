import type { Clock } from '../../src/clock.ts';

type Span = { ms?: number; seconds?: number; minutes?: number; hours?: number };

/** A clock that moves only when a test moves it. */
export class FakeClock implements Clock {
  #nowMs: number;

  constructor(iso: string) {
    this.#nowMs = instantOf(iso);
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  /** Moves on by the sum of the parts; negative parts move back. */
  advance({ ms = 0, seconds = 0, minutes = 0, hours = 0 }: Span): void {
    this.#nowMs += ms + 1_000 * (seconds + 60 * (minutes + 60 * hours));
  }

  set(iso: string): void {
    this.#nowMs = instantOf(iso);
  }
}

function instantOf(iso: string): number {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new Error(`no instant: ${iso}`);
  return ms;
}
