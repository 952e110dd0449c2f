import { escapeHtml } from './escapeHtml.ts';
import { findLink, findLinks } from './findLinks.ts';

/**
 * What a blog's post says. `summary`: the article's summary; without one, nothing but the link, or
 * the route's text where there is no link either. `text`: the route's template, filled in.
 */
export type ContentChoice = 'summary' | 'text';

export type Article = { text: string; summary: string | null; url: string | null };

/** The body of a blog's post as HTML: paragraphs, and the link behind them unless the text holds it already. */
export function articleHtml({ text, summary, url }: Article, choice: ContentChoice): string {
  const spoken = summary?.trim() || (url === null ? text : '');
  const shown = choice === 'text' ? text : spoken;
  const source = url === null || findLink(shown, url) !== null ? '' : `\n<p>${anchor(url)}</p>`;
  return `${paragraphs(shown, url)}${source}`.trim();
}

/** A text as HTML: an empty line parts paragraphs, a line end is one, and addresses become links. */
function paragraphs(text: string, url: string | null): string {
  const blocks = text.replace(/\r\n?/g, '\n').split(/\n[^\S\n]*(?:\n[^\S\n]*)+/);
  const known = url === null ? [] : [url];
  return blocks
    .map(block => block.trim())
    .filter(block => block !== '')
    .map(block => `<p>${withLinks(block, known).replace(/\n/g, '<br>\n')}</p>`)
    .join('\n');
}

function withLinks(text: string, known: readonly string[]): string {
  let html = '';
  let at = 0;
  for (const { url, start, end } of findLinks(text, known)) {
    html += escapeHtml(text.slice(at, start)) + (isHttp(url) ? anchor(url) : escapeHtml(url));
    at = end;
  }
  return html + escapeHtml(text.slice(at));
}

function anchor(url: string): string {
  // What a feed gives as its link may be anything: only an address of the web is made one to click.
  return isHttp(url) ? `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>` : escapeHtml(url);
}

function isHttp(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
