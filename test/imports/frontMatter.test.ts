import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '../../src/imports/frontMatter.ts';

const fieldsOf = (yaml: string) => {
  const front = readFrontMatter(`---\n${yaml}\n---\nBody\n`);
  return front.kind === 'read' ? Object.fromEntries(front.fields) : front;
};

describe('readFrontMatter', () => {
  it('reads keys in any case and punctuation, and every scalar as it was written', () => {
    expect(
      fieldsOf('title: 007\nPublished_At: 2026-09-07\ndraft: true\ntags: [a, 1.10]\nimage: { src: /a.jpg }'),
    ).toEqual({
      title: '007',
      publishedat: '2026-09-07',
      draft: 'true',
      tags: ['a', '1.10'],
      image: { src: '/a.jpg' },
    });
  });

  it.each([
    ['\n', '---\ntitle: A\n---\nBody\n---\nmore', 'Body\n---\nmore'],
    ['\r\n', '---\r\ntitle: A\r\n---\r\nBody', 'Body'],
    ['dots', '---\ntitle: A\n...\nBody', 'Body'],
    ['nothing behind it', '---\ntitle: A\n---', ''],
  ])('finds where it ends: %j', (_, text, body) => {
    expect(readFrontMatter(text)).toMatchObject({ kind: 'read', body });
  });

  it.each(['# Heading\n', '', ' ---\ntitle: A\n---', '----\n'])('finds none in %j', text => {
    expect(readFrontMatter(text)).toEqual({ kind: 'none' });
  });

  it.each([
    ['no end', '---\ntitle: A\nBody', /does not end/],
    ['TOML', '+++\ntitle = "A"\n+++', /TOML/],
    ['a list', '---\n- a\n---', /no list of keys/],
    ['broken YAML', '---\ntitle: "A\n---\n', /cannot be read/],
    ['aliases that multiply', `---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n`, /cannot be read/],
    ['nesting without end', `---\na: ${'['.repeat(60_000)}\n---\n`, /cannot be read/],
    ['no bounds', `---\ntitle: ${'x'.repeat(100_000)}\n---\n`, /does not end/],
  ])('refuses one with %s, soon', (_, text, reason) => {
    const begun = performance.now();

    const front = readFrontMatter(text);

    expect(front).toEqual({ kind: 'bad', reason: expect.stringMatching(reason) });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});
