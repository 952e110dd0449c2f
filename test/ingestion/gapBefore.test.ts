import { describe, expect, it } from 'vitest';
import { gapBefore } from '../../src/ingestion/gapBefore.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = new Date('2026-09-17T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);

describe('gapBefore', () => {
  it.each([
    ['none before the first complete read', null, hourMs, null],
    ['none after exactly three days', ago(3 * dayMs), hourMs, null],
    ['one from then on', ago(3 * dayMs + 1), hourMs, 'found after a gap of 3 days without a complete read'],
    ['one of ten days', ago(10 * dayMs), hourMs, 'found after a gap of 10 days without a complete read'],
    ['none for a weekly feed that missed no read', ago(7 * dayMs), 7 * dayMs, null],
    ['none for a weekly feed that missed one', ago(14 * dayMs), 7 * dayMs, null],
    [
      'one for a weekly feed that missed two',
      ago(15 * dayMs),
      7 * dayMs,
      'found after a gap of 15 days without a complete read',
    ],
    ['none where the clock was set back', ago(-5 * dayMs), hourMs, null],
  ])('finds %s', (_name, lastCompleteAt, everyMs, detail) => {
    const hold = gapBefore({ lastCompleteAt, everyMs }, now);

    expect(hold).toEqual(detail === null ? null : { reason: 'after_gap', detail });
  });
});
