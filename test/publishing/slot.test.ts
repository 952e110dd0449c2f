import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSlot, slotFrom, slotOf, tickInstant } from '../../src/publishing/slot.ts';
import { tickOffsetMs } from '../../src/publishing/tickOffset.ts';

const workspace = { id: 42, tickIntervalMs: 300_000 };
const slot = slotOf(new Date('2026-09-07T10:00:00Z'), workspace);
const shifted = (ms: number, from = slot) => new Date(from.getTime() + ms);

describe('slotOf', () => {
  it('begins at the workspace offset after a multiple of the interval', () => {
    expect(slot.getTime() % 300_000).toBe(tickOffsetMs(42, 300_000));
  });

  it('gives twelve slots to each elapsed hour, whatever the clocks on the wall do', () => {
    // The night in which Berlin has 02:00 to 03:00 twice.
    const begin = Date.parse('2026-10-24T22:00:00Z');
    const minutes = Array.from({ length: 25 * 60 }, (_, minute) => new Date(begin + minute * 60_000));

    expect(new Set(minutes.map(minute => slotOf(minute, workspace).getTime())).size).toBe(25 * 12 + 1);
  });

  it('puts every instant into exactly one slot', () => {
    const any = fc.record({
      id: fc.integer({ min: 1 }),
      tickIntervalMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    });
    fc.assert(
      fc.property(any, ({ atMs, ...ticking }) => {
        const at = new Date(atMs);
        const begin = slotOf(at, ticking);

        expect(begin <= at).toBe(true);
        expect(at < nextSlot(at, ticking)).toBe(true);
        expect(slotOf(begin, ticking)).toEqual(begin);
        expect(slotFrom(begin, ticking)).toEqual(begin);
        expect(nextSlot(begin, ticking).getTime() - begin.getTime()).toBe(ticking.tickIntervalMs);
      }),
    );
  });
});

describe('tickInstant', () => {
  it.each([
    [-5_001, -5_001],
    [-5_000, 0],
    [-13, 0],
    [0, 0],
    [300, 0],
    [5_000, 0],
    [5_001, 5_001],
    [150_000, 150_000],
    [294_999, 294_999],
    [295_000, 300_000],
  ])('takes a timer that fires at %i ms for %i ms', (fired, counted) => {
    expect(tickInstant(shifted(fired), workspace)).toEqual(shifted(counted));
  });

  it.each([
    [-101, -101],
    [-100, 0],
    [100, 0],
    [101, 101],
  ])('snaps within a tenth of a short interval: %i ms is %i ms', (fired, counted) => {
    const short = { id: 42, tickIntervalMs: 1_000 };
    const begin = slotOf(new Date('2026-09-07T10:00:00Z'), short);

    expect(tickInstant(shifted(fired, begin), short)).toEqual(shifted(counted, begin));
  });
});

describe('slotFrom', () => {
  it('is the slot itself at its start, and the next one a millisecond later', () => {
    expect(slotFrom(slot, workspace)).toEqual(slot);
    expect(slotFrom(shifted(1), workspace)).toEqual(shifted(300_000));
    expect(slotFrom(shifted(-1), workspace)).toEqual(slot);
  });
});
