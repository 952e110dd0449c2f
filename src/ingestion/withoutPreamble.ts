const farthest = 10_000;

/**
 * Cuts off what stands before an XML declaration, which is to be the first thing in a document and often is not:
 * blanks, and the warnings of whatever program wrote it. A document that begins
 * otherwise, such as a web page that quotes a feed, is left whole.
 */
export function withoutPreamble(text: string): string {
  const document = text.trimStart();
  if (/^[{[]/.test(document)) return document;
  const start = document.slice(0, farthest).search(/<\?xml\s/);
  const isQuoted = /<(?:!doctype|html|body|rss|feed|rdf:rdf)[\s>]/i.test(
    document.slice(0, Math.max(0, start)),
  );
  return start > 0 && !isQuoted ? document.slice(start) : document;
}
