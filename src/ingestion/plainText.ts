import { decodeEntities } from './decodeEntities.ts';
import { storable } from './storable.ts';

/** Elements whose content is no text. */
const silentElements = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'svg', 'head']);
/** Elements that stand within a word or a sentence: taking them out leaves no gap. */
const inlineElements = new Set([
  'a',
  'abbr',
  'acronym',
  'b',
  'bdi',
  'bdo',
  'big',
  'cite',
  'code',
  'data',
  'del',
  'dfn',
  'em',
  'font',
  'i',
  'ins',
  'kbd',
  'mark',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'sup',
  'time',
  'tt',
  'u',
  'var',
  'wbr',
]);

/**
 * HTML to one line of text: tags, comments, scripts and styles gone, character references decoded, white
 * space collapsed. It looks at each character once and recurses nowhere, so that no markup, however deep or
 * broken, makes it slow. `enoughCharacters`: where reading may stop; null reads all.
 */
export function plainText(html: string, enoughCharacters: number | null = null): string {
  const pieces: string[] = [];
  let length = 0;
  let at = 0;
  while (at < html.length && (enoughCharacters === null || length < enoughCharacters)) {
    const open = nextMarkup(html, at);
    pieces.push(html.slice(at, open));
    length += open - at;
    if (open === html.length) break;
    const { end, gap } = endOfMarkup(html, open);
    pieces.push(gap);
    at = end;
  }
  return collapsed(decodeEntities(pieces.join('')));
}

/** White space of every kind becomes one blank; what PostgreSQL refuses goes. */
export function collapsed(text: string): string {
  return storable(text).replace(/\s+/g, ' ').trim();
}

/** A `<` that begins markup; in "a < b" it is a character. */
function nextMarkup(html: string, from: number): number {
  let open = html.indexOf('<', from);
  while (open !== -1 && !/[a-zA-Z/!?]/.test(html.charAt(open + 1))) open = html.indexOf('<', open + 1);
  return open === -1 ? html.length : open;
}

function endOfMarkup(html: string, open: number): { end: number; gap: string } {
  if (html.startsWith('<!--', open)) return { end: after(html, '-->', open + 4), gap: '' };
  const end = endOfTag(html, open);
  const name = /^<\/?([a-zA-Z][\w:-]*)/.exec(html.slice(open, open + 40))?.[1]?.toLowerCase() ?? '';
  if (silentElements.has(name) && html.charAt(open + 1) !== '/' && html.charAt(end - 2) !== '/') {
    return { end: after(html, '>', indexIgnoringCase(html, `</${name}`, end)), gap: ' ' };
  }
  return { end, gap: inlineElements.has(name) ? '' : ' ' };
}

/** Behind its `>`; one in a quoted value, such as `alt="a > b"`, ends nothing. */
function endOfTag(html: string, open: number): number {
  const mark = />|=\s*(["'])/g;
  mark.lastIndex = open;
  for (let found = mark.exec(html); found !== null; found = mark.exec(html)) {
    const [, quote] = found;
    if (quote === undefined) return mark.lastIndex;
    const close = html.indexOf(quote, mark.lastIndex);
    // A quote that nobody closes is a slip, and no reason to lose the rest of the text.
    if (close !== -1) mark.lastIndex = close + 1;
  }
  return html.length;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

function indexIgnoringCase(html: string, mark: string, from: number): number {
  const pattern = new RegExp(mark, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}
