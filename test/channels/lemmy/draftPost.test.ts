import { describe, expect, it } from 'vitest';
import { draftPost } from '../../../src/channels/lemmy/draftPost.ts';
import type { LemmySettings } from '../../../src/channels/lemmy/types.ts';
import { examplePost } from '../../support/examplePost.ts';

const settings: LemmySettings = {
  target: 'news',
  body: 'none',
  nsfw: false,
  image: 'optional',
  duplicates: '30d',
};
const url = 'https://news.test/a/1?x=1';

describe('the title of a Lemmy post', () => {
  it.each([
    ['a line', 'a line'],
    ['  two\n lines\t', 'two lines'],
    [`Look: ${url}`, 'Look:'],
    [`${url}\n\nBelow the link`, 'Below the link'],
    [url, 'The queue makes headway'],
    ['', 'The queue makes headway'],
  ])('is %j in one line, without the link', (text, title) => {
    expect(draftPost(examplePost({ text }), settings).title).toBe(title);
  });

  it.each([
    ['a'.repeat(200), false],
    ['a'.repeat(201), true],
    ['🙂'.repeat(200), false],
    ['🙂'.repeat(201), true],
  ])('has 200 characters at most', (text, isCut) => {
    const { title, notes } = draftPost(examplePost({ text }), settings);

    expect([...title].length).toBe(200);
    expect(title.endsWith('…')).toBe(isCut);
    expect(notes).toEqual(isCut ? ['the title was cut to 200 characters'] : []);
  });

  it.each([
    ['ab', true],
    ['abc', false],
    ['🙂🙂', true],
    ['🙂🙂🙂', false],
  ])('has 3 characters at least: %s', (text, isFaulty) => {
    const { fault } = draftPost(examplePost({ text }), settings);

    expect(fault !== null).toBe(isFaulty);
    if (isFaulty) expect(fault).toMatchObject({ code: 'invalid_post', isFinal: true, blames: 'article' });
  });
});

describe('the link of a Lemmy post', () => {
  const longest = `https://news.test/${'a'.repeat(2_000 - 'https://news.test/'.length)}`;

  it.each([
    [null, null],
    [longest, null],
    [`${longest}a`, 'too_long'],
    ['ftp://news.test/a', 'invalid_post'],
    ['javascript:alert(1)', 'invalid_post'],
    ['no address', 'invalid_post'],
  ])('is checked before it is sent', (link, code) => {
    const { fault, url: posted } = draftPost(examplePost({ url: link }), settings);

    expect(posted).toBe(link);
    expect(fault).toEqual(
      code === null ? null : expect.objectContaining({ code, isFinal: true, blames: 'article' }),
    );
  });
});

describe('the body of a Lemmy post', () => {
  it('shows a text as it is, mentions no one and keeps its links whole', () => {
    const text = `# Not a heading\n\n*plain* @ada@lemmy.test see https://news.test/a_b_c and ${url}.`;

    const { body } = draftPost(examplePost({ text }), { ...settings, body: 'text' });

    expect(body).toBe(
      `\\# Not a heading\n\n\\*plain\\* \\@ada\\@lemmy.test see <https://news.test/a_b_c> and <${url}>.`,
    );
  });

  it.each([
    [{ summary: null }, 'summary'],
    [{ summary: ' ' }, 'summary'],
    [{ text: '\n' }, 'text'],
  ] as const)('is left out where there is none: %o', (post, body) => {
    expect(draftPost(examplePost(post), { ...settings, body }).body).toBeNull();
  });

  it.each([
    ['a'.repeat(50_000), false],
    ['a'.repeat(50_001), true],
    // Each is escaped, and the marks count too.
    ['*'.repeat(25_000), false],
    ['*'.repeat(25_001), true],
  ])('has 50,000 UTF-16 units at most', (text, isCut) => {
    const { body, notes } = draftPost(examplePost({ text }), { ...settings, body: 'text' });

    expect(body?.length).toBeLessThanOrEqual(50_000);
    expect(body?.length).toBeGreaterThan(49_990);
    expect(notes).toEqual(isCut ? ['the body was cut to 50000 characters'] : []);
  });

  it('describes the picture in 1,500 units', () => {
    const { altText } = draftPost(examplePost({ imageAlt: 'word '.repeat(400) }), settings);

    expect(altText?.length).toBeLessThanOrEqual(1_500);
    expect(altText).toMatch(/word…$/);
  });
});
