import { describe, expect, it } from 'vitest';
import { markdownArticle } from '../../src/imports/markdownArticle.ts';

const site = 'https://blog.test/';

function article(
  yaml: string,
  { path = 'posts/a-quiet-week.md', body = '', from = site as string | null } = {},
) {
  const read = markdownArticle(path, `---\n${yaml}\n---\n${body}`, from);
  if (read.kind !== 'read') throw new Error(JSON.stringify(read));
  return read.raw;
}

const read = (yaml: string, from: string | null = null) =>
  markdownArticle('a.md', `---\n${yaml}\n---\n`, from);

describe('markdownArticle', () => {
  it('reads what Jekyll, Hugo and others write', () => {
    const raw = article(
      'title: "A: b"\npermalink: /2026/a/\ndate: 2026-09-07 10:00:00 +0200\ntags: [one, Two]\ncategories: three, four\ndescription: In *short*\ncover:\n  image: /a.jpg\n  alt: A hill\nauthor:\n  name: Ann\nlang: en\nid: x-1',
    );

    expect(raw).toMatchObject({
      guid: 'x-1',
      url: 'https://blog.test/2026/a/',
      title: { value: 'A: b', type: 'text' },
      author: undefined,
      tags: ['one', 'Two', 'three', 'four'],
      imageUrl: 'https://blog.test/a.jpg',
      imageAlt: 'A hill',
      language: 'en',
      dates: ['2026-09-07 10:00:00 +0200', undefined],
    });
    expect(raw.summaries[0]?.value).toBe('In *short*');
  });

  it.each([
    ['title: T', 'T'],
    ['title: 007', '007'],
    ['date: 2026-09-07', 'A heading'],
  ])('names %j by its title, else by its first heading', (yaml, title) => {
    expect(article(yaml, { body: '\n# A heading\n\nText' }).title.value).toBe(title);
  });

  it.each([
    ['2026-09-07-a-quiet-week.md', 'a quiet week', '2026-09-07'],
    ['posts/quiet_week.md', 'quiet week', undefined],
    ['posts/quiet-week/index.md', 'quiet week', undefined],
  ])('takes name and date of %s where there are no others', (path, title, date) => {
    const raw = article('draft: false', { path });

    expect([raw.title.value, raw.dates[1]]).toEqual([title, date]);
  });

  it('knows a file without a link by its path, whatever becomes of its title', () => {
    expect(article('title: A')).toMatchObject({ url: null, guid: 'file:posts/a-quiet-week.md' });
    expect(article('title: A\nlink: https://a.test/')).toMatchObject({
      url: 'https://a.test/',
      guid: undefined,
    });
  });

  it('summarises by the first paragraph of running text', () => {
    const body =
      '\n# Heading\n\n![A hill](/a.jpg)\n\n```sh\nrm\n\nls\n```\n\n- a list\n\nIt was a **quiet** [week](https://a.test/), with _one_ `day`.\n\nMore.';

    expect(article('title: A', { body }).summaries[1]?.value).toBe('It was a quiet week, with one day.');
  });

  it.each([
    ['title: A\ndraft: true', 'drafts'],
    ['title: A\npublished: false', 'drafts'],
  ])('leaves out %j', (yaml, what) => {
    expect(read(yaml)).toEqual({ kind: 'left_out', what });
  });

  it('leaves out a file without front matter', () => {
    expect(markdownArticle('README.md', '# Read me', null)).toEqual({
      kind: 'left_out',
      what: 'files without front matter',
    });
  });

  it('refuses a relative link where nobody said to what', () => {
    expect(read('link: /a/')).toEqual({
      kind: 'bad',
      reason: 'its link "/a/" is no http or https URL: say of which site, with --site',
    });
    expect(read('link: javascript:alert(1)')).toMatchObject({ kind: 'bad' });
    expect(read('link: /a/', site)).toMatchObject({ kind: 'read', raw: { url: 'https://blog.test/a/' } });
  });
});
