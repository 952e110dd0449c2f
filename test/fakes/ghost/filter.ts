/**
 * The part of NQL, Ghost's filter language, that is needed here: `field:'value'`, `field:['a','b']`, alternatives
 * with a comma. A quote in a value is escaped by a backslash. What else stands there throws.
 */
export function matchesFilter(filter: string, post: Readonly<Record<string, unknown>>): boolean {
  const value = /'(?:[^'\\]|\\.)*'/.source;
  const condition = new RegExp(String.raw`(\w+):(?:(${value})|\[((?:${value},?)*)\])(?:,|$)`, 'y');
  let matches = false;
  while (condition.lastIndex < filter.length) {
    const at = condition.lastIndex;
    const found = condition.exec(filter);
    if (found === null) throw new Error(`not a filter from ${at}: ${filter}`);
    const [, field = '', single, many] = found;
    const values = [...(single ?? many ?? '').matchAll(new RegExp(value, 'g'))].map(([text]) =>
      unquoted(text),
    );
    if (values.includes(String(post[field]))) matches = true;
  }
  return matches;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}
