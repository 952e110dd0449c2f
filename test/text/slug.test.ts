import { describe, expect, it } from 'vitest';
import { publicationSlug, slugOf } from '../../src/text/slug.ts';

describe('slugOf', () => {
  it.each([
    ['The queue makes headway', 'the-queue-makes-headway'],
    ["It's “2×3”: #1!", 'its-2-3-1'],
    ['Über Straßen, Łódź & Œuvre', 'uber-strassen-lodz-oeuvre'],
    ['日本語', 'article'],
    ['', 'article'],
    ['a'.repeat(61), 'a'.repeat(60)],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
  ])('makes of %j the slug %s', (title, slug) => {
    expect(slugOf(title)).toBe(slug);
  });
});

describe('publicationSlug', () => {
  it('ends in the beginning of the key', () => {
    const post = { title: 'A title', postKey: '0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a' };

    expect(publicationSlug(post)).toBe('a-title-0d4c5a1e');
  });
});
