const link = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/g;
const longestShown = 30;

/** A status as Mastodon shows it: its links are cut for the eye by hiding a part, not by leaving it out. */
export function statusHtml(text: string): string {
  const paragraphs = text.split(/\n{2,}/).map(part => linked(part).replaceAll('\n', '<br />'));
  return `<p>${paragraphs.join('</p><p>')}</p>`;
}

function linked(text: string): string {
  let html = '';
  let at = 0;
  for (const { 0: url, index } of text.matchAll(link)) {
    html += escaped(text.slice(at, index)) + anchor(url);
    at = index + url.length;
  }
  return html + escaped(text.slice(at));
}

function anchor(url: string): string {
  const scheme = url.slice(0, url.indexOf('//') + 2);
  const shown = url.slice(scheme.length, scheme.length + longestShown);
  const hidden = url.slice(scheme.length + longestShown);
  const attributes = `href="${escaped(url)}" target="_blank" rel="nofollow noopener" translate="no"`;
  const cut = hidden === '' ? '' : ' class="ellipsis"';
  return `<a ${attributes}><span class="invisible">${scheme}</span><span${cut}>${escaped(shown)}</span><span class="invisible">${escaped(hidden)}</span></a>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
