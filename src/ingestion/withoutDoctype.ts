/**
 * Cuts the document type declaration out of an XML text: no feed needs one, and with it goes the whole class
 * of entity attacks. One that does not end is left for the parser to refuse. Only before the root element:
 * in an article, `<!DOCTYPE html>` is text. `doctype`: what was cut out, or empty.
 */
export function withoutDoctype(xml: string): { xml: string; doctype: string } {
  const start = firstDeclaration(xml);
  const end = /^<!doctype/i.test(xml.slice(start, start + 9)) ? doctypeEnd(xml, start) : null;
  if (end === null) return { xml, doctype: '' };
  return { xml: xml.slice(0, start) + xml.slice(end), doctype: xml.slice(start, end) };
}

/** The root element's name, or null for what is no XML. Expects a document without its DOCTYPE. */
export function rootName(xml: string): string | null {
  const start = firstDeclaration(xml);
  return /^<([a-zA-Z][\w:.-]*)/.exec(xml.slice(start, start + 100))?.[1] ?? null;
}

/** Where the first `<` stands that begins neither a comment nor a processing instruction. */
function firstDeclaration(xml: string): number {
  let at = xml.search(/\S/);
  while (at !== -1) {
    const mark = xml.startsWith('<?', at) ? '?>' : xml.startsWith('<!--', at) ? '-->' : null;
    if (mark === null) return at;
    const end = xml.indexOf(mark, at + 2);
    at = end === -1 ? -1 : nextCharacter(xml, end + mark.length);
  }
  return xml.length;
}

function nextCharacter(xml: string, from: number): number {
  const character = /\S/g;
  character.lastIndex = from;
  return character.exec(xml)?.index ?? -1;
}

/** Quoted text, comments and the internal subset may hold a `>` that ends nothing. Null: it does not end. */
function doctypeEnd(xml: string, start: number): number | null {
  const mark = /["'[\]>]|<!--/g;
  mark.lastIndex = start;
  let isInSubset = false;
  for (let found = mark.exec(xml)?.[0]; found !== undefined; found = mark.exec(xml)?.[0]) {
    if (found === '>' && !isInSubset) return mark.lastIndex;
    if (found === '[' || found === ']') isInSubset = found === '[';
    if (found === '"' || found === "'" || found === '<!--') {
      const close = found === '<!--' ? '-->' : found;
      const end = xml.indexOf(close, mark.lastIndex);
      if (end === -1) return null;
      mark.lastIndex = end + close.length;
    }
  }
  return null;
}
