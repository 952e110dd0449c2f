// Within a line: emphasis, code, links, HTML, tables, spoilers, character references, and the `@` by which
// platforms find a mention of a person or a community.
const anywhere = /[\\`*_[\]<~^|@]|&(?=#?\w+;)/g;
// At its beginning: a heading, a quotation, a list, a rule, a container, a table.
const lineStart = /^(?:[#>+\-=]|:(?=::|-))/gm;
const listNumber = /^(\d{1,9})([.)])/gm;

/**
 * A text as Markdown (CommonMark, with the usual additions) that shows exactly it and mentions no one. Blanks
 * at the beginning of a line go, as they could make code of it. Addresses in it may still become links. A
 * platform that reads mentions before it reads Markdown (Discord) must be told not to by its own means.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/^[ \t]+/gm, '')
    .replace(anywhere, '\\$&')
    .replace(lineStart, '\\$&')
    .replace(listNumber, '$1\\$2');
}
