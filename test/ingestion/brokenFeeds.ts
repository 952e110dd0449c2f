/** What becomes of a document: the articles that are stored, oldest first, or why it is refused. */
type Becomes = readonly Readonly<Record<string, unknown>>[] | RegExp;

export type BrokenFeed = {
  fault: string;
  document: string | Buffer;
  contentType?: string;
  becomes: Becomes;
};

/** The scene's clock: what has no date counts as first seen then. */
export const seenAt = new Date('2026-09-07T12:00:00Z');

const namespaces =
  'xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"';

export const rss = (items: string, root = `<rss version="2.0" ${namespaces}>`): string =>
  `<?xml version="1.0"?>${root}<channel><title>Blog</title>${items}</channel></rss>`;
const item = (inner: string): string => rss(`<item>${inner}</item>`);
const atom = (entries: string, attributes = ''): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom"${attributes}><title>Blog</title>${entries}</feed>`;
const json = (items: string): string =>
  `{"version":"https://jsonfeed.org/version/1.1","title":"Blog","items":${items}}`;

const dates: [string, string, string | null][] = [
  ['a day that does not exist', '29 Feb 2026 10:00:00 GMT', null],
  ['no date at all', 'not a date', null],
  ['one that is empty', '', null],
  ['one of the year 1', '0001-01-01T00:00:00Z', null],
  ['one in the future', 'Thu, 01 Jan 2099 00:00:00 GMT', null],
  ['one long ago', 'Thu, 01 Jan 1970 00:00:00 GMT', '1970-01-01T00:00:00Z'],
  ['one without an offset, read in the zone of the workspace', '2026-09-07T10:00:00', '2026-09-07T08:00:00Z'],
  ['summer time by its name', 'Mon, 07 Sep 2026 10:00:00 CEST', '2026-09-07T08:00:00Z'],
  ['an offset with a colon after a blank', 'Mon, 07 Sep 2026 10:00:00 +02:00', '2026-09-07T08:00:00Z'],
  ['a month in German', 'Mo., 07. Juli 2026 10:00:00 +0200', '2026-07-07T08:00:00Z'],
  ['a month in French', '07 février 2026 10:00:00 GMT', '2026-02-07T10:00:00Z'],
  ['a year of two digits', 'Mon, 7 Sep 26 04:00 PDT', '2026-09-07T11:00:00Z'],
  ['a weekday that contradicts it', 'Sun, 07 Sep 2026 10:00:00 GMT', '2026-09-07T10:00:00Z'],
];

const badDates: BrokenFeed[] = dates.map(([fault, date, at]) => ({
  fault: `a date: ${fault}`,
  document: item(`<title>One</title><pubDate>${date}</pubDate>`),
  becomes: [{ title: 'One', is_dated: at !== null, published_at: at === null ? seenAt : new Date(at) }],
}));

const titles: [string, string, string][] = [
  ['a bare ampersand', 'Q&A, R & D', 'Q&A, R & D'],
  ['an element that is spoken of', 'Use the &lt;picture&gt; element', 'Use the <picture> element'],
  ['the same in CDATA', '<![CDATA[Use the <picture> element]]>', 'Use the <picture> element'],
  ['inline markup', 'A &lt;b&gt;bold&lt;/b&gt; &lt;i&gt;move&lt;/i&gt;', 'A bold move'],
  ['inline markup that is not escaped', 'A <b>bold</b> move', 'A bold move'],
  ['entities that are encoded twice', 'Caf&amp;eacute; &amp;amp; bar', 'Café & bar'],
  ['entities of HTML', 'Caf&eacute;&nbsp;&mdash; bar', 'Café — bar'],
  ['a number with zeros', '007', '007'],
  ['what looks like a large number', '1e21', '1e21'],
  ['control characters', 'O\u0000n\u0008e', 'One'],
  ['quotes of windows-1252 in a text that says UTF-8', 'don\u0092t \u0093stop\u0094', 'don’t “stop”'],
  ['the title of a picture before it', '</title><media:title>Clip</media:title><title>One', 'One'],
  ['half an emoji', 'One &#xD83D;', 'One \uFFFD'],
];

const badTitles: BrokenFeed[] = titles.map(([fault, title, expected]) => ({
  fault: `a title: ${fault}`,
  document: item(`<title>${title}</title>`).replace('<title></title>', ''),
  becomes: [{ title: expected }],
}));

const links: [string, string, string | null][] = [
  ['a relative one', '<link>/a/1</link>', 'https://blog.test/a/1'],
  ['one with blanks around it', '<link>\n  https://blog.test/a b\n</link>', 'https://blog.test/a%20b'],
  ['one with bare ampersands', '<link>https://blog.test/?a=1&b=2</link>', 'https://blog.test/?a=1&b=2'],
  ['one that is a script', '<link>javascript:alert(1)</link>', null],
  ['none but a guid', '<guid>https://blog.test/p/1</guid>', 'https://blog.test/p/1'],
  ['none but a guid that denies it', '<guid isPermaLink="false">https://blog.test/p/1</guid>', null],
  ['none but a guid that is a number', '<guid>12345678901234567890123</guid>', null],
  [
    'a link to itself before it',
    '<atom:link rel="self" href="/x"/><link>/a/1</link>',
    'https://blog.test/a/1',
  ],
];

const badLinks: BrokenFeed[] = links.map(([fault, link, url]) => ({
  fault: `a link: ${fault}`,
  document: item(`<title>One</title>${link}`),
  becomes: [{ title: 'One', url }],
}));

const atomLinks: BrokenFeed[] = [
  {
    fault: 'an Atom id where there is no link',
    document: atom('<entry><id>https://blog.test/p/1</id><title>One</title></entry>'),
    becomes: [{ title: 'One', url: 'https://blog.test/p/1' }],
  },
  {
    fault: 'an Atom id that is a URL, beside a link that is none of the entry',
    document: atom(
      '<entry><id>https://blog.test/p/1</id><title>One</title><link rel="enclosure" href="/a.mp3"/></entry>',
    ),
    becomes: [{ title: 'One', url: null }],
  },
  {
    fault: 'a chain of xml:base',
    document: atom(
      '<entry xml:base="y/"><id>1</id><title>One</title><link href="z"/></entry>',
      ' xml:base="https://cdn.test/x/"',
    ),
    becomes: [{ url: 'https://cdn.test/x/y/z' }],
  },
  {
    fault: 'several alternates',
    document: atom(
      '<entry><id>1</id><title>One</title><link type="application/json" href="/j"/><link type="text/html" href="/h"/></entry>',
    ),
    becomes: [{ url: 'https://blog.test/h' }],
  },
];

const identities: BrokenFeed[] = [
  {
    fault: 'long numbers as ids of JSON, that differ in the last digit',
    document: json(
      '[{"id": 12345678901234567890, "title": "One"}, {"id": 12345678901234567891, "title": "Two"}]',
    ),
    becomes: [
      { title: 'Two', guid: '12345678901234567891' },
      { title: 'One', guid: '12345678901234567890' },
    ],
  },
  {
    fault: 'a long number as guid',
    document: item('<title>One</title><guid isPermaLink="false">12345678901234567890123</guid>'),
    becomes: [{ guid: '12345678901234567890123' }],
  },
  {
    fault: 'one guid for all items',
    document: rss(
      ['1', '2'].map(n => `<item><title>${n}</title><link>/${n}</link><guid>same</guid></item>`).join(''),
    ),
    becomes: [{ title: '2' }, { title: '1' }],
  },
  {
    fault: 'an item that stands there twice',
    document: rss('<item><title>One</title><link>/1</link></item>'.repeat(2)),
    becomes: [{ title: 'One' }],
  },
];

const shapes: BrokenFeed[] = [
  {
    fault: 'upper-case tags',
    document:
      '<RSS VERSION="2.0"><CHANNEL><TITLE>t</TITLE><ITEM><TITLE>One</TITLE><LINK>/1</LINK></ITEM></CHANNEL></RSS>',
    becomes: [{ title: 'One', url: 'https://blog.test/1' }],
  },
  {
    fault: 'RSS without a version',
    document: rss('<item><title>One</title></item>', '<rss>'),
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'items outside the channel',
    document: '<rss version="0.91"><channel><title>t</title></channel><item><title>One</title></item></rss>',
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'a prefix before every name of Atom',
    document:
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>t</a:title><a:entry><a:id>1</a:id><a:title>One</a:title></a:entry></a:feed>',
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'Atom 0.3',
    document:
      '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><id>1</id><title mode="escaped" type="text/html">&lt;i&gt;One&lt;/i&gt;</title><issued>2026-09-07T10:00:00Z</issued></entry></feed>',
    becomes: [{ title: 'One', published_at: new Date('2026-09-07T10:00:00Z') }],
  },
  {
    fault: 'blanks before it',
    document: `\r\n\n  ${item('<title>One</title>')}`,
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'a warning of the program that wrote it',
    document: `<br />\n<b>Warning</b>: session_start() in /var/www/feed.php<br />\n${item('<title>One</title>')}`,
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'a script behind its end',
    document: `${item('<title>One</title>')}<script>count()</script>`,
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'no last bracket',
    document: item('<title>One</title>').slice(0, -1),
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'HTML in an item that nobody closed',
    document: rss('<item><description><p>a<br>b</description><title>One</title></item>'),
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'an item with nothing usable',
    document: rss('<item></item><item><title>One</title></item>'),
    becomes: [{ title: 'One' }],
  },
  {
    fault: 'a harmless DTD',
    document: `<!DOCTYPE rss [<!ENTITY nbsp "&#160;">]>${item('<title>One</title>').replace(/^<\?.*?\?>/, '')}`,
    becomes: [{ title: 'One' }],
  },
];

const refused: BrokenFeed[] = [
  { fault: 'nothing', document: '', becomes: /no RSS, Atom, RDF or JSON feed/ },
  {
    fault: 'half of one',
    document: item('<title>One</title>').slice(0, -20),
    becomes: /ends before <\/rss>/,
  },
  { fault: 'half of one in JSON', document: json('[{"id":"1","title":"O'), becomes: /no RSS/ },
  { fault: 'a title that another name closes', document: item('<title>One</titel>'), becomes: /title/ },
  { fault: 'a web page', document: '<!doctype html><html><body>Sorry</body></html>', becomes: /a web page/ },
  {
    fault: 'Atom inside a web page',
    document: `<html><body>${atom('<entry><id>1</id><title>One</title></entry>')}</body></html>`,
    becomes: /a web page/,
  },
  {
    fault: 'an entry of Atom alone',
    document: '<entry xmlns="http://www.w3.org/2005/Atom"><id>1</id><title>One</title></entry>',
    becomes: /one entry/,
  },
  {
    fault: 'RSS 1.1',
    document:
      '<Channel xmlns="http://purl.org/net/rss1.1#"><title>t</title><items><item><title>One</title></item></items></Channel>',
    becomes: /RSS 1\.1/,
  },
  {
    fault: 'a bomb of entities',
    document: `<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${rss('<item><title>&b;</title></item>')}`,
    becomes: /made of other entities/,
  },
  {
    fault: 'an entity outside',
    document: `<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>${rss('<item><title>&x;</title></item>')}`,
    becomes: /lies outside/,
  },
  { fault: 'names of JavaScript', document: item('<__proto__>x</__proto__>'), becomes: /__proto__/ },
];

/** Each kind of fault that was met in other people's feeds, in a document of our own. */
export const brokenFeeds: readonly BrokenFeed[] = [
  ...badDates,
  ...badTitles,
  ...badLinks,
  ...atomLinks,
  ...identities,
  ...shapes,
  ...refused,
];
