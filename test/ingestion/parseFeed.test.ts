import { describe, expect, it } from 'vitest';
import { parseFeed } from '../../src/ingestion/parseFeed.ts';

const context = { url: 'https://blog.test/feeds/all.xml', zone: 'Europe/Berlin' };

function parsed(text: string) {
  const reading = parseFeed(text, context);
  if (reading.kind !== 'parsed') throw new Error(reading.detail);
  return reading.feed;
}

function rss(items: string, root = '<rss version="2.0">'): string {
  return `<?xml version="1.0"?>${root}<channel><title>Blog</title>${items}</channel></rss>`;
}

describe('parseFeed', () => {
  it('reads RSS with all that an item can tell', () => {
    const feed = parsed(
      rss(
        `<item>
           <title>Use the &lt;picture> element</title><link>/a/1</link><guid isPermaLink="false">g1</guid>
           <description>&lt;p>Short &amp;amp; &lt;b>sweet&lt;/b>&lt;/p></description>
           <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
           <dc:creator>Ada</dc:creator><category>HTML</category><category>html</category><category>Web</category>
           <enclosure url="/i.png" type="image/png" length="1"/>
           <pubDate>Mon, 7 Sep 26 10:00 PDT</pubDate><source url="https://other.test/feed">Other</source>
         </item>`,
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">',
      ),
    );

    expect(feed).toEqual({
      format: 'rss',
      title: 'Blog',
      ttlMs: 0,
      warnings: [],
      blanks: [],
      items: [
        {
          guid: 'g1',
          url: 'https://blog.test/a/1',
          title: 'Use the <picture> element',
          summary: 'Short & sweet',
          content: '<p>Long</p>',
          author: 'Ada',
          tags: ['HTML', 'Web'],
          imageUrl: 'https://blog.test/i.png',
          imageAlt: null,
          language: null,
          publishedAt: new Date('2026-09-07T17:00:00Z'),
          source: 'https://other.test/feed',
        },
      ],
    });
  });

  it('reads what a picture shows, as plain text, where the feed says it', () => {
    const feed = parsed(
      rss(`<item><title>a</title><media:content url="/a.png" medium="image">
             <media:description type="html">A &lt;b&gt;cat&lt;/b&gt; on a mat</media:description>
           </media:content></item>
           <item><title>b</title><media:content url="/b.png" medium="image"/></item>`),
    );

    const pictures = feed.items.map(({ imageUrl, imageAlt }) => ({ imageUrl, imageAlt }));
    expect(pictures).toEqual([
      { imageUrl: 'https://blog.test/a.png', imageAlt: 'A cat on a mat' },
      { imageUrl: 'https://blog.test/b.png', imageAlt: null },
    ]);
  });

  it('takes the guid for the link only where it is a permalink', () => {
    const feed = parsed(
      rss(`<item><title>a</title><guid>https://blog.test/p/1</guid></item>
           <item><title>b</title><guid isPermaLink="false">https://blog.test/p/2</guid></item>
           <item><title>c</title><guid>17</guid></item>
           <item><title>d</title><link>javascript:alert(1)</link></item>`),
    );

    expect(feed.items.map(item => item.url)).toEqual(['https://blog.test/p/1', null, null, null]);
  });

  it('reads Atom titles by their type and resolves links by xml:base', () => {
    const feed = parsed(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://cdn.test/"><title type="html">A &amp;amp; B</title>
        <entry xml:base="x/"><id>tag:1</id><title type="html">Q &amp;amp; &lt;b>A&lt;/b></title>
          <link rel="self" href="self"/><link rel="alternate" type="application/json" href="j"/><link type="text/html" href="h"/>
          <author><name>Ada</name></author><category term="t" label="Label"/>
          <summary>plain &lt;p></summary><published>2026-09-07T10:00:00+02:00</published><updated>2027-01-01T00:00:00Z</updated></entry>
        <entry><id>https://cdn.test/p</id><title>Use &lt;picture></title><updated>2026-09-08T10:00:00Z</updated></entry>
        <entry><id>tag:3</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Bold <b>x</b> &amp; y</div></title><link href="/z"/></entry>
      </feed>`,
    );

    expect(feed.title).toBe('A & B');
    expect(feed.items.map(item => [item.title, item.url, item.publishedAt?.toISOString() ?? null])).toEqual([
      ['Q & A', 'https://cdn.test/x/h', '2026-09-07T08:00:00.000Z'],
      ['Use <picture>', 'https://cdn.test/p', '2026-09-08T10:00:00.000Z'],
      ['Bold x & y', 'https://cdn.test/z', null],
    ]);
    expect(feed.items[0]).toMatchObject({ author: 'Ada', tags: ['Label'], summary: 'plain <p>' });
  });

  it('reads texts of Atom that are in base64', () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const feed = parsed(
      `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title mode="base64">${base64('Caf\u00e9 & bar')}</title>
        <entry><id>1</id><title mode="base64">${base64('Use <b>')}</title></entry>
        <entry><id>2</id><title type="text/html" mode="base64">${base64('<b>Bold</b> &amp; plain')}</title></entry>
        <entry><id>3</id><title type="application/octet-stream">${base64('<i>')}</title>
          <summary mode="escaped">no base64</summary></entry></feed>`,
    );

    expect(feed.title).toBe('Caf\u00e9 & bar');
    expect(feed.items.map(item => item.title)).toEqual(['Use <b>', 'Bold & plain', '<i>']);
    expect(feed.items[2]).toMatchObject({ summary: 'no base64' });
  });

  it('finds titles and texts where there are none of their own', () => {
    const feed = parsed(
      `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">
        <channel><dc:title>Blog</dc:title>
        <item><media:title>Clip</media:title></item>
        <item><dc:title>One</dc:title><dc:description>Two</dc:description></item></channel></rss>`,
    );

    expect(feed.title).toBe('Blog');
    expect(feed.items).toMatchObject([{ title: 'Clip' }, { title: 'One', summary: 'Two' }]);
  });

  it('reads a document that lacks no more than its last bracket', () => {
    const whole = rss('<item><title>a</title></item>');

    const feed = parsed(`${whole.slice(0, -1)}\n`);

    expect(feed.items).toMatchObject([{ title: 'a' }]);
  });

  it('bounds what a feed repeats in each of its items', () => {
    const long = 'n'.repeat(10_000);
    const feed = parsed(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${long}"><author><name>${long}</name></author>
        <entry><id>${long}</id><title>a</title>${`<category term="x"/>`.repeat(3)}
          ${Array.from({ length: 200 }, (_, n) => `<category term="${n}${long}"/>`).join('')}</entry></feed>`,
    );

    const [item] = feed.items;
    expect([item?.author?.length, item?.language?.length, item?.guid?.length]).toEqual([2_000, 2_000, 2_000]);
    expect(item?.tags).toHaveLength(100);
    expect(Math.max(...(item?.tags.map(tag => tag.length) ?? []))).toBe(200);
  });

  it('reads RDF', () => {
    const feed = parsed(
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://r.test/"><title>R</title></channel>
        <item rdf:about="https://r.test/1"><title>One</title><link>https://r.test/1?x</link><dc:date>2026-09-07</dc:date><dc:creator>Ada</dc:creator></item>
      </rdf:RDF>`,
    );

    expect(feed).toMatchObject({ format: 'rdf', title: 'R' });
    expect(feed.items).toMatchObject([
      {
        guid: 'https://r.test/1',
        url: 'https://r.test/1?x',
        title: 'One',
        author: 'Ada',
        publishedAt: new Date('2026-09-06T22:00:00Z'),
      },
    ]);
    expect(feed.warnings).toEqual(['dates that name no offset, read in Europe/Berlin: 1']);
  });

  it('reads JSON Feed', () => {
    const feed = parsed(
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'J',
        items: [
          {
            id: 7,
            url: 'https://j.test/7',
            title: '007',
            content_html: '<p>Hi</p>',
            tags: ['a'],
            date_published: '2026-09-07T10:00:00Z',
          },
          { id: 'https://j.test/8', content_text: 'Just a note' },
        ],
      }),
    );

    expect(feed).toMatchObject({ format: 'json', title: 'J' });
    expect(feed.items).toMatchObject([
      { guid: '7', url: 'https://j.test/7', title: '007', summary: 'Hi', content: '<p>Hi</p>', tags: ['a'] },
      { guid: 'https://j.test/8', url: 'https://j.test/8', title: 'Just a note', publishedAt: null },
    ]);
  });

  it('names an untitled item by its summary or its URL, and leaves out what has nothing to say', () => {
    const feed = parsed(
      rss(`<item><description>${'word '.repeat(60)}</description></item>
           <item><link>https://blog.test/2</link></item>
           <item><guid isPermaLink="false">g3</guid></item>
           <item><pubDate>Mon, 07 Sep 2026 10:00:00 GMT</pubDate></item>`),
    );

    expect(feed.items.map(item => item.title)).toEqual([
      expect.stringMatching(/^word .{50,95}…$/),
      'https://blog.test/2',
    ]);
    expect(feed.blanks).toEqual([
      { place: 2, guid: 'g3', publishedAt: null },
      { place: 3, guid: null, publishedAt: new Date('2026-09-07T10:00:00Z') },
    ]);
    expect(feed.warnings).toEqual(['items without title, link and text, left out: 2']);
  });

  it('takes the best date that an item has, a modification last', () => {
    const modified = '<dcterms:modified>2026-09-07T10:00:00Z</dcterms:modified>';
    const feed = parsed(
      rss(
        `<item><title>a</title>${modified}</item>
         <item><title>b</title>${modified}<pubDate>Mon, 07 Sep 2026 09:00:00 GMT</pubDate></item>`,
        '<rss version="2.0" xmlns:dcterms="http://purl.org/dc/terms/">',
      ),
    );

    expect(feed.items.map(item => item.publishedAt?.toISOString())).toEqual([
      '2026-09-07T10:00:00.000Z',
      '2026-09-07T09:00:00.000Z',
    ]);
  });

  it('takes one bad date for no date, not for a bad feed', () => {
    const feed = parsed(
      rss(`<item><title>a</title><pubDate>29 Feb 2026 10:00 GMT</pubDate></item>
           <item><title>b</title><pubDate>not a date</pubDate></item>`),
    );

    expect(feed.items.map(item => item.publishedAt)).toEqual([null, null]);
    expect(feed.warnings).toEqual([
      'dates that cannot be read and count as first seen now: 2, such as "29 Feb 2026 10:00 GMT"',
    ]);
  });

  it('keeps a summary to about a thousand characters', () => {
    const feed = parsed(
      rss(`<item><title>a</title><description>${'&lt;p>word&lt;/p> '.repeat(5_000)}</description></item>`),
    );

    expect(feed.items[0]?.summary?.length).toBeGreaterThan(900);
    expect(feed.items[0]?.summary?.length).toBeLessThanOrEqual(1_000);
  });

  it.each([
    ['an internal subset', '<!DOCTYPE rss [<!ENTITY a "]>"><!-- ]> --> ]>'],
    ['an external one', '<!-- < --><!DOCTYPE rss SYSTEM "http://evil.test/x.dtd">'],
    ['names for characters', '<!DOCTYPE rss [<!ENTITY nbsp "&#160;"><!ENTITY amp "&amp;#38;">]>'],
    [
      'the entities of HTML',
      '<!DOCTYPE rss [<!ENTITY % HTMLlat1 PUBLIC "-//W3C//x" "http://evil.test/x.ent">%HTMLlat1;]>',
    ],
  ])('passes over %s of a DOCTYPE', (_, doctype) => {
    const feed = parsed(
      `<?xml version="1.0"?>${doctype}${rss('<item><title>a</title></item>').replace(/^<\?.*?\?>/, '')}`,
    );

    expect(feed.items.map(item => item.title)).toEqual(['a']);
  });

  it.each([
    ['a bomb', '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">', '"b", that is made of other entities'],
    ['a long entity', `<!ENTITY a '${'a'.repeat(1_001)}'>`, '"a", that is longer than 1000 characters'],
    ['an external entity', '<!ENTITY x SYSTEM "file:///etc/passwd">', '"x", that lies outside'],
  ])('refuses %s', (_, subset, detail) => {
    const reading = parseFeed(`<!DOCTYPE rss [${subset}]>${rss('<item><title>a</title></item>')}`, context);

    expect(reading).toEqual({ kind: 'unreadable', detail: expect.stringContaining(detail) });
  });

  it('reads an Atom feed that quotes RSS in an article', () => {
    const feed = parsed(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>f</title><entry><id>1</id><title>t</title>
        <content type="text"><![CDATA[ <rss version="2.0"><channel> ]]></content></entry></feed>`,
    );

    expect(feed).toMatchObject({ format: 'atom', items: [{ title: 't' }] });
  });

  it('reads a feed without items as empty', () => {
    expect(parsed(rss('')).items).toEqual([]);
  });

  it.each([
    ['a web page', '<!DOCTYPE html><html><body><rss>', /^the document ends|web page/],
    ['a whole web page', '<html><body>Hello</body></html>', /web page/],
    ['nothing', '', /no RSS/],
    ['other JSON', '{"a":1}', /no RSS/],
    ['other XML', '<svg></svg>', /no RSS/],
    ['a list of feeds', '<opml></opml>', /a list of feeds/],
    [
      'half a feed',
      '<rss version="2.0"><channel><title>x</title><item><title>a</title></item>',
      /ends before <\/rss>/,
    ],
    [
      'a feed whose items lie in what nobody closed',
      rss('<x:unclosed><item><title>a</title></item>'),
      /items stand where a feed has none/,
    ],
    ['an endless prolog', '<!--a-->'.repeat(100_000), /no RSS/],
    ['an endless DOCTYPE', `<!DOCTYPE ${'<!--'.repeat(100_000)}`, /no RSS/],
  ])('refuses %s', (_, text, detail) => {
    expect(parseFeed(text, context)).toEqual({ kind: 'unreadable', detail: expect.stringMatching(detail) });
  });
});
