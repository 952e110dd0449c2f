import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tickOffsetMs } from '../../src/publishing/tickOffset.ts';

describe('tickOffsetMs', () => {
  it.each([
    [1, 300_000, 124_976],
    [2, 300_000, 39_253],
    [1, 60_000, 6_687],
    [4_711, 86_400_000, 35_617_035],
  ])('gives workspace %i at an interval of %i ms the same offset for ever', (id, everyMs, offsetMs) => {
    expect(tickOffsetMs(id, everyMs)).toBe(offsetMs);
  });

  it('is never zero and always shorter than the interval', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.integer({ min: 2, max: 86_400_000 }), (id, everyMs) => {
        const offsetMs = tickOffsetMs(id, everyMs);
        return Number.isInteger(offsetMs) && offsetMs >= 1 && offsetMs <= everyMs - 1;
      }),
    );
  });

  it('spreads neighbouring workspaces over the interval', () => {
    const everyMs = 300_000;
    const tenths = new Array<number>(10).fill(0);

    for (let id = 1; id <= 1_000; id += 1) {
      const tenth = Math.floor((10 * tickOffsetMs(id, everyMs)) / everyMs);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }

    expect(Math.min(...tenths)).toBeGreaterThan(60);
    expect(Math.max(...tenths)).toBeLessThan(140);
  });
});
