import { describe, expect, it } from 'vitest';
import { articleHtml } from '../../src/text/articleHtml.ts';

const url = 'https://news.test/a?x=1&y=2';
const anchor = '<a href="https://news.test/a?x=1&amp;y=2">https://news.test/a?x=1&amp;y=2</a>';
const article = { text: 'The text', summary: 'The summary', url };

describe('articleHtml', () => {
  it.each([
    ['the summary and the link', article, 'summary', `<p>The summary</p>\n<p>${anchor}</p>`],
    ['the text and the link', article, 'text', `<p>The text</p>\n<p>${anchor}</p>`],
    ['the link alone without a summary', { ...article, summary: null }, 'summary', `<p>${anchor}</p>`],
    ['the text with neither', { ...article, summary: '', url: null }, 'summary', '<p>The text</p>'],
    ['the summary without a link', { ...article, url: null }, 'summary', '<p>The summary</p>'],
    ['the link once', { ...article, text: `See ${url}.` }, 'text', `<p>See ${anchor}.</p>`],
    [
      'the link as well where a longer one stands',
      { ...article, text: `See ${url}3` },
      'text',
      `<p>See ${anchor.replaceAll('y=2', 'y=23')}</p>\n<p>${anchor}</p>`,
    ],
  ] as const)('shows %s', (_name, given, choice, html) => {
    expect(articleHtml(given, choice)).toBe(html);
  });

  it.each([
    [
      'an empty line, blanks in it or not',
      'a\n\nb\n \t\nc\r\n\r\n\r\nd',
      '<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>',
    ],
    ['a line end', 'a\nb\r\nc\rd', '<p>a<br>\nb<br>\nc<br>\nd</p>'],
    ['blanks around it', '\n\n  a  \n\n', '<p>a</p>'],
    ['nothing', '', ''],
  ])('makes paragraphs and lines of %s', (_name, text, html) => {
    expect(articleHtml({ text, summary: null, url: null }, 'text')).toBe(html);
  });

  it('shows a text and no markup, whatever stands in it', () => {
    const text = `<script>"&'</script> <a href="javascript:x">`;

    expect(articleHtml({ text, summary: null, url: null }, 'text')).toBe(
      '<p>&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt; &lt;a href=&quot;javascript:x&quot;&gt;</p>',
    );
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://news.test/a'])('makes no link of %s', link => {
    expect(articleHtml({ text: '', summary: null, url: link }, 'summary')).toBe(`<p>${link}</p>`);
  });
});
