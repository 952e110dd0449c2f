import { describe, expect, it } from 'vitest';
import { believedEnds, type EarlierArticle } from '../../src/ingestion/believedEnds.ts';

const nothing: ReadonlyMap<string, EarlierArticle> = new Map();
const story = 'https://news.test/a/1';
const wrapped = (number: number, end: string, title = `Story ${number}`) => ({
  link: `https://wrap.test/${number}`,
  title,
  end,
});

describe('believedEnds', () => {
  it('believes a link that leads to an article, in its canonical form', () => {
    const ends = believedEnds([wrapped(1, `${story}/?utm_source=x#top`)], nothing);

    expect([...ends]).toEqual([['https://wrap.test/1', story]]);
  });

  it('leaves out a link that is its own address', () => {
    const ends = believedEnds([{ link: `${story}/`, title: 'a', end: `${story}?utm_source=x` }], nothing);

    expect(ends.size).toBe(0);
  });

  it('keeps apart what a tracker does not make one', () => {
    const ends = believedEnds(
      [
        wrapped(1, 'https://news.test/doc?id=1'),
        wrapped(2, 'https://news.test/doc?id=2'),
        wrapped(3, 'https://news.test/a/1'),
        wrapped(4, 'https://news.test/a/10'),
      ],
      nothing,
    );

    expect(new Set(ends.values()).size).toBe(4);
  });

  it('believes no page at which several links end, under whatever titles', () => {
    const wall = 'https://news.test/welcome';
    const ends = believedEnds([wrapped(1, wall), wrapped(2, wall), wrapped(3, story)], nothing);

    expect([...ends.values()]).toEqual([story]);
  });

  it('joins a wrapped link with the bare one under the same title alone', () => {
    const bare = { link: story, title: 'Story', end: story };

    const same = believedEnds([bare, wrapped(1, story, 'Story')], nothing);
    const other = believedEnds([bare, wrapped(1, story, 'Another')], nothing);

    expect([same.size, other.size]).toEqual([1, 0]);
  });

  it.each<[string, EarlierArticle, number]>([
    ['one of the same title: it wraps its links anew', { title: 'Story 1', url: 'https://wrap.test/0' }, 1],
    ['one that had the address by its link: it wraps now what it did not', { title: 'Old', url: story }, 1],
    ['one of another title: it may be a wall', { title: 'Another', url: 'https://wrap.test/0' }, 0],
    ['one of another title without a link', { title: 'Another', url: null }, 0],
  ])('compares with what the feed brought before: %s', (_, earlier, count) => {
    const ends = believedEnds([wrapped(1, story)], new Map([[story, earlier]]));

    expect(ends.size).toBe(count);
  });
});
