import { documentLimits, moreThan } from './documentLimits.ts';

const { maxItems, maxElements, maxNesting, maxAttributes, maxTagCharacters, maxTextCharacters } =
  documentLimits;

/** HTML that some feeds leave unescaped, and that nobody closes. */
const voidElements = new Set(['br', 'hr', 'img', 'input', 'wbr']);

const knownBy = new Set(['title', 'link', 'guid', 'id']);

type Tag = {
  /** In lower case; `/item` for an end, `?xml` and `!doctype` for what is no element. */
  name: string;
  isEmpty: boolean;
  attributes: number;
  /** Quoted values do not count. */
  characters: number;
  /** Of the text before it. */
  textCharacters: number;
};

export type XmlMeasure = {
  /** What there is too much of; null: nothing. */
  excess: string | null;
  /** Whether some item has what an item is known by. Meaningless where there is an excess. */
  hasItems: boolean;
};

/**
 * Measures an XML document before it is taken apart. It looks at each character once and judges nothing else:
 * what does not close is left for the parser to refuse.
 */
export function measureXml(xml: string): XmlMeasure {
  const open: string[] = [];
  let elements = 0;
  let items = 0;
  let hasItems = false;
  for (const tag of tagsOf(xml)) {
    let excess = tagExcess(tag);
    if (tag.name.startsWith('/')) leave(open, tag.name.slice(1));
    if (isElement(tag.name)) {
      elements += 1;
      items += isItem(tag.name) ? 1 : 0;
      hasItems ||= knownBy.has(tag.name) && isItem(open.at(-1) ?? '');
      if (!tag.isEmpty && !voidElements.has(tag.name)) open.push(tag.name);
      excess ??= excessOf({ elements, items, depth: open.length });
    }
    if (excess !== null) return { excess, hasItems };
  }
  return { excess: null, hasItems };
}

function excessOf({ elements, items, depth }: { elements: number; items: number; depth: number }) {
  if (items > maxItems) return moreThan(maxItems, 'items');
  if (elements > maxElements) return moreThan(maxElements, 'elements');
  return depth > maxNesting ? moreThan(maxNesting, 'elements nested in each other') : null;
}

function tagExcess({ textCharacters, attributes, characters }: Tag): string | null {
  if (textCharacters > maxTextCharacters) return moreThan(maxTextCharacters, 'characters between two tags');
  if (attributes > maxAttributes) return moreThan(maxAttributes, 'attributes of one element');
  return characters > maxTagCharacters ? moreThan(maxTagCharacters, 'characters in one tag') : null;
}

// An end closes what was left open within, too.
function leave(open: string[], name: string): void {
  const place = open.lastIndexOf(name);
  if (place !== -1) open.length = place;
}

/** Neither an end nor a declaration, nor what stands behind the last tag. */
function isElement(name: string): boolean {
  return /^[^/?!]/.test(name);
}

function isItem(name: string): boolean {
  return /^(?:[^:]*:)?(?:item|entry)$/.test(name);
}

/** The tags of a document in their order; at its end one without a name, for the text behind the last. */
function* tagsOf(xml: string): Generator<Tag> {
  let textCharacters = 0;
  let at = 0;
  for (;;) {
    const start = xml.indexOf('<', at);
    textCharacters += (start === -1 ? xml.length : start) - at;
    if (start === -1) break;
    if (xml.startsWith('<!--', start)) {
      at = after(xml, '-->', start + 4);
    } else if (xml.startsWith('<![CDATA[', start)) {
      at = after(xml, ']]>', start + 9);
      textCharacters = 0;
    } else {
      const { end, attributes, quoted } = scanTag(xml, start);
      const name = /^<(\/?[^\s/>]*)/.exec(xml.slice(start, start + 100))?.[1]?.toLowerCase() ?? '';
      const isEmpty = xml.charAt(end - 2) === '/';
      yield { name, isEmpty, attributes, characters: end - start - quoted, textCharacters };
      at = end;
      textCharacters = 0;
    }
  }
  yield { name: '', isEmpty: true, attributes: 0, characters: 0, textCharacters };
}

/** To the `>` that stands outside of quotes. */
function scanTag(xml: string, start: number): { end: number; attributes: number; quoted: number } {
  const mark = /["'>]/g;
  mark.lastIndex = start;
  let attributes = 0;
  let quoted = 0;
  for (let found = mark.exec(xml); found !== null; found = mark.exec(xml)) {
    if (found[0] === '>') return { end: mark.lastIndex, attributes, quoted };
    const end = after(xml, found[0], mark.lastIndex);
    attributes += 1;
    quoted += end - found.index;
    mark.lastIndex = end;
  }
  return { end: xml.length, attributes, quoted };
}

function after(xml: string, mark: string, from: number): number {
  const found = xml.indexOf(mark, from);
  return found === -1 ? xml.length : found + mark.length;
}
