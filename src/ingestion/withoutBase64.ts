const encoded =
  /(<((?:\w+:)?(?:title|summary|content))\s[^<>]*?(?:\bmode=["']base64["']|\btype=["']application\/octet-stream["'])[^<>]*>)([a-zA-Z0-9+/=\s]*)(?=<\/\2)/g;

/**
 * An Atom text with its texts in the clear: Atom 0.3 lets them be base64 (`mode`), Atom 1.0 by a media type that
 * is no text. The parser knows neither.
 */
export function withoutBase64(xml: string): string {
  if (!/base64|octet-stream/.test(xml)) return xml;
  return xml.replace(encoded, (_, tag: string, _name, text: string) => {
    const clear = Buffer.from(text, 'base64').toString('utf8');
    return tag + clear.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  });
}
