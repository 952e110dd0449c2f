import { escapeMarkdown } from '../../text/escapeMarkdown.ts';
import { findLinks } from '../../text/findLinks.ts';

// For private use, so that no text means anything by it.
const placeholder = '\uE000';

/**
 * A plain text as Markdown that shows exactly it: what comes from a feed formats nothing and mentions no one.
 * Its addresses are links, whole. `known`: addresses that are links as they are.
 */
export function markdown(text: string, known: readonly string[]): string {
  const plain = text.replaceAll(placeholder, '');
  const links = findLinks(plain, known);
  let marked = '';
  let end = 0;
  for (const link of links) {
    marked += plain.slice(end, link.start) + placeholder;
    end = link.end;
  }
  const left = links.map(({ url }) => `<${url}>`);
  return escapeMarkdown(marked + plain.slice(end)).replaceAll(placeholder, () => left.shift() ?? '');
}
