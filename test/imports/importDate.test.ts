import { describe, expect, it } from 'vitest';
import { importDate } from '../../src/imports/importDate.ts';
import { parseFeedDate } from '../../src/ingestion/parseFeedDate.ts';

const read = (text: string) => parseFeedDate(importDate(text), 'Europe/Berlin')?.at.toISOString() ?? null;

describe('importDate', () => {
  it.each([
    ['7.9.2026', '2026-09-06T22:00:00.000Z'],
    ['07.09.2026 10:30', '2026-09-07T08:30:00.000Z'],
    ['7.9.2026, 10:30:15', '2026-09-07T08:30:15.000Z'],
    ['2026/9/7 10:30', '2026-09-07T08:30:00.000Z'],
    ['2026-9-7', '2026-09-06T22:00:00.000Z'],
    ['2026-09-07T10:30:00+02:00', '2026-09-07T08:30:00.000Z'],
    ['Mon, 07 Sep 2026 10:30:00 GMT', '2026-09-07T10:30:00.000Z'],
    ['1788775800', '2026-09-07T10:10:00.000Z'],
    ['1788775800000', '2026-09-07T10:10:00.000Z'],
    ['9/7/2026', null],
    ['31.2.2026', null],
    ['soon', null],
  ])('reads %s as %s', (text, instant) => {
    expect(read(text)).toBe(instant);
  });
});
