export type OpmlFeed = { name: string; url: string };

/** A list of subscriptions as OPML 2.0 (http://opml.org/spec2.opml). */
export function writeOpml(title: string, feeds: readonly OpmlFeed[], now: Date): string {
  const outlines = feeds.map(({ name, url }) => {
    const text = escapeXml(name);
    return `    <outline type="rss" text="${text}" title="${text}" xmlUrl="${escapeXml(url)}"/>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<opml version="2.0">',
    '  <head>',
    `    <title>${escapeXml(title)}</title>`,
    `    <dateCreated>${now.toUTCString()}</dateCreated>`,
    '  </head>',
    '  <body>',
    ...outlines,
    '  </body>',
    '</opml>',
  ].join('\n');
}

/** What XML cannot hold at all is left out. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
