import { createHash } from 'node:crypto';

/** Choices that look random, and are the same whenever the seed is. */
export type Random = {
  /** From 0 on, below 1. */
  next(): number;
  /** From `low` on, below `high`. */
  between(low: number, high: number): number;
  /** A whole number, both ends included. */
  whole(low: number, high: number): number;
  /** True so often, 0 … 1. */
  chance(share: number): boolean;
  /** Throws for none. */
  pick<Value>(values: readonly Value[]): Value;
};

/**
 * Opens a stream of choices. Each part of a soak has one of its own, by name: what one part chooses does not
 * depend on how often, or when, the others did.
 */
export function createRandom(seed: number, stream: string): Random {
  let state = createHash('sha256').update(`${seed}/${stream}`).digest().readUInt32LE();
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    return scrambled(state) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + next() * (high - low);
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1));
  return {
    next,
    between,
    whole,
    chance: share => next() < share,
    pick(values) {
      const [chosen] = values.slice(whole(0, values.length - 1));
      if (chosen === undefined) throw new Error('there is nothing to pick from');
      return chosen;
    },
  };
}

// Mulberry32: tiny, and good enough for where a fault strikes.
function scrambled(state: number): number {
  let bits = Math.imul(state ^ (state >>> 15), state | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return (bits ^ (bits >>> 14)) >>> 0;
}
