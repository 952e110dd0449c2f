import { describe, expect, it } from 'vitest';
import { escapeHtml } from '../../src/text/escapeHtml.ts';
import { escapeMarkdown } from '../../src/text/escapeMarkdown.ts';

describe('escapeHtml', () => {
  it.each([
    ['', ''],
    ['Größe 😀', 'Größe 😀'],
    [`<a href="x" title='y'>&amp;</a>`, '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;'],
  ])('escapes %j', (text, expected) => {
    expect(escapeHtml(text)).toBe(expected);
  });
});

describe('escapeMarkdown', () => {
  it.each([
    ['', ''],
    ['Node.js 24.1 is out! (AT&T, R&D, 100%)', 'Node.js 24.1 is out! (AT&T, R&D, 100%)'],
    ['*a* _b_ `c` ~~d~~ ^e^ ||f||', '\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~ \\^e\\^ \\|\\|f\\|\\|'],
    ['[a](https://a.test) ![b](c) <b> a > b', '\\[a\\](https://a.test) !\\[b\\](c) \\<b> a > b'],
    ['back\\slash \\*', 'back\\\\slash \\\\\\*'],
    ['&amp; &#42; & x', '\\&amp; \\&#42; & x'],
    ['@ada@a.social !main@a.social', '\\@ada\\@a.social !main\\@a.social'],
    ['# a\n- b\n+ c\n> d\n=== \n::: spoiler', '\\# a\n\\- b\n\\+ c\n\\> d\n\\=== \n\\::: spoiler'],
    ['a\n:-', 'a\n\\:-'],
    ['1. a\n2) b\n1.5 c', '1\\. a\n2\\) b\n1\\.5 c'],
    ['C# 1. a - b + c :: d', 'C# 1. a - b + c :: d'],
    ['    code\n\ttab', 'code\ntab'],
  ])('escapes %j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});
