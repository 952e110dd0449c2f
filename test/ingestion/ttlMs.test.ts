import { describe, expect, it } from 'vitest';
import { ttlMs } from '../../src/ingestion/ttlMs.ts';

describe('ttlMs', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [-5, 0],
    [Number.NaN, 0],
    [60, 3_600_000],
    [0.5, 30_000],
    [1_440, 86_400_000],
    [10_080, 86_400_000],
    [10_081, 0],
    [99_999_999, 0],
  ])('reads %s minutes as %s ms', (minutes, expected) => {
    expect(ttlMs(minutes)).toBe(expected);
  });
});
