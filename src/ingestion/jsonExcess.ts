import { documentLimits, moreThan } from './documentLimits.ts';

const { maxNesting, maxJsonObjects, maxJsonValues } = documentLimits;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/**
 * Says of what a JSON document holds too much; null: of nothing. It looks at each character once and judges
 * nothing else. Items are counted when they are read.
 */
export function jsonExcess(json: string): string | null {
  let depth = 0;
  let objects = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (opening.has(code)) {
      depth += 1;
      objects += 1;
      if (depth > maxNesting) return moreThan(maxNesting, 'objects nested in each other');
      if (objects > maxJsonObjects) return moreThan(maxJsonObjects, 'objects');
    } else if (closing.has(code)) depth -= 1;
    else if (code === comma) {
      values += 1;
      if (values > maxJsonValues) return moreThan(maxJsonValues, 'values');
    }
  }
  return null;
}

/** Where the quote stands that ends it; one that does not end lasts as long as the document. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== quote) {
    at += json.charCodeAt(at) === backslash ? 2 : 1;
  }
  return at;
}
