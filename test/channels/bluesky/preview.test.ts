import { describe, expect, it } from 'vitest';
import { bluesky } from '../../../src/channels/bluesky.ts';
import type { Post } from '../../../src/channels/Channel.ts';
import { examplePost } from '../../support/examplePost.ts';

const url = 'https://news.test/a/1?x=1';

describe('the preview of a post', () => {
  const parts = (post: Partial<Post>, settings = {}) =>
    bluesky.preview(examplePost(post), bluesky.settings.parse(settings), null);

  it('shows text, card, language and labels', () => {
    expect(parts({ text: 'New' }, { labels: ['porn'] })).toEqual({
      parts: [
        { name: 'text', text: 'New', count: { length: 3, limit: 300, unit: 'graphemes' } },
        { name: 'card', text: `The queue makes headway\nHow it does.\n${url}`, count: null },
        { name: 'language', text: 'en', count: null },
        { name: 'labels', text: 'porn', count: null },
      ],
      notes: ['its picture is fetched when it is sent; where it cannot be had, the post goes without it'],
    });
  });

  it('counts bytes where they are the nearer limit, and shows a picture with its words', () => {
    const { parts: shown } = parts({ text: '👩‍👩‍👧', url: null, language: null });

    expect(shown).toEqual([
      { name: 'text', text: '👩‍👩‍👧', count: { length: 18, limit: 3_000, unit: 'bytes' } },
      { name: 'picture', text: 'https://news.test/a/1.png\nA queue that moves.', count: null },
    ]);
  });
});

describe('the settings of a Bluesky channel', () => {
  it.each([
    { link: 'none' },
    { labels: ['spoiler'] },
    { labels: ['porn', 'porn'] },
    { language: 'english' },
    { duplicates: 'sometimes' },
    { image: 'maybe' },
  ])('refuses %j and says what is allowed', settings => {
    const { error } = bluesky.settings.safeParse(settings);

    expect(error?.issues[0]?.message).toMatch(/^must /);
  });
});
