import type { ComposedPost } from '../../src/channels/Channel.ts';

/** A composed post; a test states only what matters to it. */
export function examplePost(overrides: Partial<ComposedPost> = {}): ComposedPost {
  return {
    postKey: '0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a',
    postCreatedAt: '2026-09-07T08:30:00.000Z',
    title: 'The queue makes headway',
    text: 'The queue makes headway, one article at a time.',
    url: 'https://news.test/a/1?x=1',
    summary: 'How it does.',
    author: 'Ada Example',
    tags: ['release', 'queue'],
    imageUrl: 'https://news.test/a/1.png',
    imageAlt: 'A queue that moves.',
    language: 'en',
    feed: 'blog',
    articlePublishedAt: '2026-09-07T07:00:00.000Z',
    refusals: 0,
    composed: null,
    ...overrides,
  };
}
