import { describe, expect, it } from 'vitest';
import { recordKey, recordKeyTime } from '../../../src/channels/bluesky/recordKey.ts';

const postCreatedAt = '2026-09-07T08:30:00.000Z';
const publication = { postKey: '0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a', postCreatedAt };

describe('recordKey', () => {
  it('makes the same TID of one publication for ever', () => {
    expect(recordKey(publication)).toBe('3muw2n4c64e5r');
  });

  it('lies in the hour before the publication was made', () => {
    const madeAt = recordKeyTime(recordKey(publication))?.getTime() ?? 0;

    const createdAtMs = Date.parse(postCreatedAt);
    expect(madeAt).toBeLessThanOrEqual(createdAtMs);
    expect(madeAt).toBeGreaterThan(createdAtMs - 3_600_000 - 1);
  });

  it('tells 20,000 publications of one instant apart', () => {
    const keys = Array.from({ length: 20_000 }, (_, place) =>
      recordKey({ postKey: `publication ${place}`, postCreatedAt }),
    );

    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter(key => !/^[234567a-j][234567a-z]{12}$/.test(key))).toEqual([]);
  });
});

describe('recordKeyTime', () => {
  it.each([
    ['3jzfcijpj2z2a', '2023-06-30T15:03:01.887Z'],
    ['2222222222222', '1970-01-01T00:00:00.000Z'],
  ])('reads the instant in %s', (key, instant) => {
    expect(recordKeyTime(key)?.toISOString()).toBe(instant);
  });

  it.each(['', 'self', '3jzfcijpj2z2', '3jzfcijpj2z2aa', 'kjzfcijpj2z2a', '3jzfcijpj2z28'])(
    'takes %j for none',
    key => {
      expect(recordKeyTime(key)).toBeNull();
    },
  );
});
