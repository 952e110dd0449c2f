import { describe, expect, it } from 'vitest';
import { behindMs } from '../../src/channels/remoteClock.ts';

const askedAt = new Date('2026-09-07T08:30:01.000Z');

function answerOf(headers: Record<string, string>) {
  return { phase: 'answered', status: 200, headers, body: '', retryAfter: null } as const;
}

describe('how far a remote clock is behind', () => {
  it.each([
    ['one that is', 'Mon, 07 Sep 2026 08:20:01 GMT', 600_000],
    ['the same', 'Mon, 07 Sep 2026 08:30:01 GMT', 0],
    ['one that is ahead', 'Mon, 07 Sep 2026 08:40:01 GMT', 0],
    ['an answer of the day before yesterday', 'Sat, 05 Sep 2026 08:30:01 GMT', 0],
    ['nonsense', 'soon', 0],
  ])('is read from the Date of an answer: %s', (_name, date, expected) => {
    expect(behindMs(answerOf({ date }), askedAt)).toBe(expected);
  });

  it('is nothing where no Date is given', () => {
    expect(behindMs(answerOf({}), askedAt)).toBe(0);
  });
});
