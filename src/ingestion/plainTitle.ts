import { decodeEntities } from './decodeEntities.ts';
import { collapsed, plainText } from './plainText.ts';
import { shortened } from './shortened.ts';

/** `text`: exactly as it stands. `html`: markup. `rss`: either, as nothing says which. */
export type TitleType = 'text' | 'html' | 'rss';

const maxTitleCharacters = 1_000;

/** What appears in titles as markup, and not as the subject of an article about HTML. */
const titleElements =
  'a|abbr|b|big|cite|code|del|em|font|i|ins|mark|q|s|small|span|strike|strong|sub|sup|tt|u';
const paired = new RegExp(String.raw`<(${titleElements})(?:\s[^<>]*)?>([^<]*)</\1\s*>`, 'gi');
const empty = /<br\s*\/?>|<(?:img|wbr|hr)(?:\s[^<>]*|\s*\/)>/gi;
const block = /^<(p|div|h[1-6])(?:\s[^<>]*)?>([\s\S]*)<\/\1\s*>$/i;
const maxNesting = 5;

/**
 * A title as one line of text. RSS does not say whether its titles are text or HTML: only inline elements
 * that are opened and closed, and a block around all of it, are taken for markup, so that "Use the <picture>
 * element" and "Use the <b> tag" stay whole, and character references are decoded once.
 */
export function plainTitle(title: string, type: TitleType): string {
  return shortened(lineOf(title, type), maxTitleCharacters);
}

function lineOf(title: string, type: TitleType): string {
  if (type === 'text') return collapsed(title);
  if (type === 'html') return plainText(title);
  return collapsed(decodeEntities(withoutInlineMarkup(title)));
}

function withoutInlineMarkup(title: string): string {
  let stripped = title.trim().replace(block, '$2').replace(empty, ' ');
  for (let depth = 0; depth < maxNesting && stripped.includes('</'); depth += 1) {
    const inner = stripped.replace(paired, '$2');
    if (inner === stripped) break;
    stripped = inner;
  }
  return stripped;
}
