import { describe, expect, it } from 'vitest';
import { articleOfRecord, recordOfArticle } from '../../src/imports/records.ts';
import { articleOf } from './scene.ts';

describe('articleOfRecord', () => {
  it.each([{}, { isUntitled: true }] as const)('brings back what was kept, with %o', flag => {
    const item = { ...articleOf({ title: 'Good morning.', publishedAt: new Date('2026-09-01') }), ...flag };

    const kept = JSON.parse(JSON.stringify(recordOfArticle(item)));

    expect(articleOfRecord(kept)).toEqual(item);
  });
});
