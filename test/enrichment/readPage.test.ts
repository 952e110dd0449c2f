import { describe, expect, it } from 'vitest';
import { type PageMetadata, readPage } from '../../src/enrichment/readPage.ts';

const url = 'https://blog.example/2026/post?a=1';

const nothing: PageMetadata = {
  description: null,
  author: null,
  language: null,
  siteName: null,
  pageUrl: null,
  image: null,
};
const image = { url: 'https://blog.example/a.png', width: null, height: null, alt: null };

const read = (head: string | Buffer) =>
  readPage({ body: Buffer.from(head), contentType: 'text/html; charset=utf-8', url });
const jsonLd = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

type Case = [string, string, Partial<PageMetadata>];

describe('what a page says', () => {
  it('is read from its head alone, whole', async () => {
    const page = await read(`<!doctype html><html lang="de-at"><head>
      <title>Title</title>
      <link rel="canonical" href="/2026/post">
      <meta name="author" content="Ana &amp; Ben">
      <meta property="og:site_name" content="The Blog">
      <meta property="og:description" content="What it says.">
      <meta property="og:image" content="/a.png">
      <meta property="og:image:width" content="1200">
      <meta property="og:image:height" content="630">
      <meta property="og:image:alt" content="A hill">
      </head><body><p>Text`);

    expect(page).toEqual({
      description: 'What it says.',
      author: 'Ana & Ben',
      language: 'de-AT',
      siteName: 'The Blog',
      pageUrl: 'https://blog.example/2026/post',
      image: { url: 'https://blog.example/a.png', width: 1200, height: 630, alt: 'A hill' },
    });
  });

  it.each<Case>([
    ['nothing at all', '', {}],
    ['nothing of itself', '<title>Title</title><meta name="viewport" content="width=1">', {}],
    ['only blanks', '<meta name="description" content=" \n&nbsp; ">', {}],
    ['a description without a value', '<meta name="description">', {}],
    ['something behind its head', '<head></head><meta name="author" content="Ana">', {}],
    ['something in its body', '<body><meta name="author" content="Ana">', {}],
    ['something in a comment', '<!-- <meta name="author" content="Ana"> -->', {}],
    ['something in a script', '<script>"<meta name=author content=Ana>"</script>', {}],
    [
      'something behind what no head holds',
      '<head><div><img></div><meta name=author content=Ana>',
      { author: 'Ana' },
    ],
  ])('is null where there is %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });

  it.each<Case>([
    ['Open Graph', '<meta property="og:description" content="OG">', { description: 'OG' }],
    ['Open Graph by name', '<meta name="og:description" content="OG">', { description: 'OG' }],
    ['Open Graph in capitals', '<META PROPERTY="OG:Description" CONTENT="OG">', { description: 'OG' }],
    ['Twitter', '<meta name="twitter:description" content="T">', { description: 'T' }],
    ['Twitter by property', '<meta property="twitter:description" content="T">', { description: 'T' }],
    ['its own name', '<meta name="description" content="M">', { description: 'M' }],
    [
      'two names at once',
      '<meta name="description" property="og:description" content="B">',
      { description: 'B' },
    ],
    ['JSON-LD', jsonLd({ '@type': 'Article', description: 'J' }), { description: 'J' }],
    [
      'Open Graph before all others',
      `${jsonLd({ '@type': 'Article', description: 'J' })}<meta name="description" content="M">
       <meta name="twitter:description" content="T"><meta property="og:description" content="OG">`,
      { description: 'OG' },
    ],
    [
      'Twitter before a description',
      '<meta name="description" content="M"><meta name="twitter:description" content="T">',
      { description: 'T' },
    ],
    [
      'a description before JSON-LD',
      `${jsonLd({ '@type': 'Article', description: 'J' })}<meta name="description" content="M">`,
      { description: 'M' },
    ],
    [
      'the first of two',
      '<meta name="description" content="1"><meta name="description" content="2">',
      { description: '1' },
    ],
    [
      'the first that says something',
      '<meta property="og:description" content=" "><meta property="og:description" content="2">',
      { description: '2' },
    ],
  ])('is described by %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });

  it.each<Case>([
    ['a name', '<meta name="author" content="Ana">', { author: 'Ana' }],
    ['an Open Graph name', '<meta property="article:author" content="Ana">', { author: 'Ana' }],
    ['no address', '<meta property="article:author" content="https://social.example/ana">', {}],
    [
      'the name behind an address',
      '<meta property="article:author" content="//a.example/"><meta property="article:author" content="Ana">',
      { author: 'Ana' },
    ],
    [
      'its own before Open Graph',
      '<meta property="article:author" content="Ben"><meta name="author" content="Ana">',
      { author: 'Ana' },
    ],
  ])('has %s for its author', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });

  it.each<Case>([
    ['en', '<html lang="en">', { language: 'en' }],
    ['en-US', '<html lang="en_us">', { language: 'en-US' }],
    ['zh-Hant-TW', '<html lang=" zh-hant-tw ">', { language: 'zh-Hant-TW' }],
    ['fr', '<html xml:lang="fr">', { language: 'fr' }],
    ['de-DE', '<html lang=""><meta property="og:locale" content="de_DE">', { language: 'de-DE' }],
    ['pt-BR', '<html lang="pt-BR"><meta property="og:locale" content="en_US">', { language: 'pt-BR' }],
    ['en-GB', '<html lang="en_GB.UTF-8">', { language: 'en-GB' }],
    ['null for English in words', '<html lang="English">', {}],
    ['null for a list', '<html lang="en, fr">', {}],
    ['null for none', '<html lang="und">', {}],
    ['null for a private tag', '<html lang="x-default">', {}],
    ['null for markup', '<html lang="en&quot;><script>">', {}],
    ['null for a long one', `<html lang="en${'-abcdefgh'.repeat(10)}">`, {}],
  ])('has the language %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });

  it.each<Case>([
    ['Open Graph', '<meta property="og:site_name" content="The Blog">', { siteName: 'The Blog' }],
    ['its application', '<meta name="application-name" content="App">', { siteName: 'App' }],
  ])('has the name of its site from %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });

  it.each<Case>([
    ['relative', '<link rel="canonical" href="../b">', { pageUrl: 'https://blog.example/b' }],
    [
      'one of several relations',
      '<link rel="me Canonical" href="/b">',
      { pageUrl: 'https://blog.example/b' },
    ],
    ['on another host', '<link rel="canonical" href="//b.example/c">', { pageUrl: 'https://b.example/c' }],
    [
      'before Open Graph',
      '<meta property="og:url" content="/og"><link rel="canonical" href="/b">',
      { pageUrl: 'https://blog.example/b' },
    ],
    [
      'from Open Graph where it is none',
      '<link rel="canonical" href="javascript:x"><meta property="og:url" content="/og">',
      { pageUrl: 'https://blog.example/og' },
    ],
    [
      'by the base',
      '<base href="/x/"><link rel="canonical" href="b">',
      { pageUrl: 'https://blog.example/x/b' },
    ],
    [
      'by the first base',
      '<base href="https://a.example/"><base href="https://b.example/"><link rel="canonical" href="b">',
      { pageUrl: 'https://a.example/b' },
    ],
    [
      'by its address where the base is none',
      '<base href="data:x"><link rel="canonical" href="b">',
      { pageUrl: 'https://blog.example/2026/b' },
    ],
    ['null without one', '<link rel="stylesheet" href="/b">', {}],
    ['null for a broken one', '<link rel="canonical" href="https://[">', {}],
    ['null for one longer than any', `<link rel="canonical" href="/${'a'.repeat(8_000)}">`, {}],
  ])('has its address: %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });

  it('cuts what is long after a word', async () => {
    const { description, author } = await read(
      `<meta name="description" content="${'word '.repeat(60_000)}"><meta name="author" content="${'😀'.repeat(300)}">`,
    );

    expect(description).toBe(`${'word '.repeat(399)}word…`);
    expect(author).toBe(`${'😀'.repeat(99)}…`);
  });

  it('decodes entities once, takes control characters out and white space together', async () => {
    const page = await read(
      '<meta name="description" content=" &amp;lt;b&#10;&#9; c\u0000\u0007\u202e&eacute; ">',
    );

    expect(page.description).toBe('&lt;b cé');
  });
});

describe('the picture of a page', () => {
  const og = (part: string, content: string) => `<meta property="og:image${part}" content="${content}">`;

  it.each<Case>([
    [
      'an address of http',
      og('', 'http://cdn.example/a.png'),
      { image: { ...image, url: 'http://cdn.example/a.png' } },
    ],
    [
      'the secure one of two addresses',
      og('', 'http://cdn.example/a.png') + og(':secure_url', 'https://cdn.example/s.png'),
      { image: { ...image, url: 'https://cdn.example/s.png' } },
    ],
    [
      'its address where that is secure itself',
      og('', '/a.png') + og(':secure_url', 'https://cdn.example/s.png'),
      { image },
    ],
    ['only a secure address', og(':secure_url', '/a.png'), { image }],
    ['its address written out', og(':url', '/a.png'), { image }],
    [
      'its address twice',
      og('', '/a.png') + og(':url', '/a.png') + og(':width', '9'),
      { image: { ...image, width: 9 } },
    ],
    [
      'parts before its address',
      og(':width', '9') + og(':alt', 'A') + og('', '/a.png'),
      { image: { ...image, width: 9, alt: 'A' } },
    ],
    [
      'the parts of the first of two, and no other',
      og('', '/a.png') + og(':width', '9') + og('', '/b.png') + og(':width', '7') + og(':height', '7'),
      { image: { ...image, width: 9 } },
    ],
    [
      'the first that has a usable address',
      og('', 'data:image/png;base64,AAAA') + og(':width', '9') + og('', '/a.png'),
      { image },
    ],
    ['sizes that are none', og('', '/a.png') + og(':width', '100001') + og(':height', '-5'), { image }],
    ['sizes of nought and text', og('', '/a.png') + og(':width', '0') + og(':height', '12.5em'), { image }],
    [
      'the largest size',
      og('', '/a.png') + og(':width', '100000px'),
      { image: { ...image, width: 100_000 } },
    ],
    [
      'Twitter’s where there is no other',
      `<meta name="twitter:image" content="/a.png"><meta name="twitter:image:alt" content="A">`,
      { image: { ...image, alt: 'A' } },
    ],
    ['Twitter’s older name', '<meta name="twitter:image:src" content="/a.png">', { image }],
    [
      'Open Graph’s before Twitter’s',
      `<meta name="twitter:image" content="/t.png"><meta name="twitter:image:alt" content="T">${og('', '/a.png')}`,
      { image },
    ],
    ['no address', og(':alt', 'A'), {}],
  ])('has %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });
});

describe('the JSON-LD of a page', () => {
  const ofArticle = (fields: object) => jsonLd({ '@type': 'Article', ...fields });

  it.each<Case>([
    ['a text for an author', ofArticle({ author: 'Ana' }), { author: 'Ana' }],
    ['an object for an author', ofArticle({ author: { name: 'Ana' } }), { author: 'Ana' }],
    [
      'several authors',
      ofArticle({ author: [{ name: 'Ana' }, 'Ben', { name: 'Ana' }] }),
      { author: 'Ana, Ben' },
    ],
    ['an address for an author', ofArticle({ author: 'https://a.example/' }), {}],
    ['a number for an author', ofArticle({ author: { name: { a: 1 } } }), {}],
    ['an address for a picture', ofArticle({ image: '/a.png' }), { image }],
    ['several pictures', ofArticle({ image: ['/a.png', '/b.png'] }), { image }],
    [
      'an object for a picture',
      ofArticle({ image: { url: '/a.png', width: 9, height: '7', caption: 'A' } }),
      { image: { ...image, width: 9, height: 7, alt: 'A' } },
    ],
    [
      'a value for a size',
      ofArticle({ image: { contentUrl: '/a.png', width: { value: 9 } } }),
      { image: { ...image, width: 9 } },
    ],
    ['a language', ofArticle({ inLanguage: 'en-us' }), { language: 'en-US' }],
    [
      'a language as an object',
      ofArticle({ inLanguage: { name: 'English', alternateName: 'en' } }),
      { language: 'en' },
    ],
    ['entities in a text', ofArticle({ description: 'A &amp; B' }), { description: 'A & B' }],
    ['several types', jsonLd({ '@type': ['Thing', 'NewsArticle'], author: 'Ana' }), { author: 'Ana' }],
    [
      'a type in full',
      jsonLd({ '@type': 'http://schema.org/BlogPosting', author: 'Ana' }),
      { author: 'Ana' },
    ],
    [
      'a list',
      jsonLd([
        { '@type': 'Person', author: 'X' },
        { '@type': 'Article', author: 'Ana' },
      ]),
      { author: 'Ana' },
    ],
    [
      'a graph: the article before the page, references followed',
      jsonLd({
        '@graph': [
          { '@type': 'WebPage', description: 'Page', inLanguage: 'fr' },
          {
            '@type': 'Article',
            description: 'Article',
            author: { '@id': '#ana' },
            image: { '@id': '#image' },
          },
          { '@type': 'Person', '@id': '#ana', name: 'Ana' },
          { '@type': 'ImageObject', '@id': '#image', url: '/a.png', width: 9 },
        ],
      }),
      { description: 'Article', author: 'Ana', language: 'fr', image: { ...image, width: 9 } },
    ],
    ['a reference to itself', ofArticle({ '@id': '#a', author: { '@id': '#a' } }), {}],
    ['a type that is no article', jsonLd({ '@type': 'Product', description: 'P' }), {}],
    ['no object', jsonLd(['a', 1, null, [[[[]]]]]), {}],
    [
      'no JSON',
      `<script type="application/ld+json">{"@type":</script>${ofArticle({ author: 'Ana' })}`,
      { author: 'Ana' },
    ],
    [
      'CDATA around it',
      '<script type="application/ld+json">//<![CDATA[\n{"@type":"Article","author":"Ana"}\n//]]></script>',
      { author: 'Ana' },
    ],
    [
      'its type in capitals, with a charset',
      '<script type="Application/LD+JSON; charset=utf-8">{"@type":"Article","author":"Ana"}</script>',
      { author: 'Ana' },
    ],
    [
      'half a surrogate pair',
      `<script type="application/ld+json">{"@type":"Article","author":"A\\ud800"}</script>`,
      { author: 'A�' },
    ],
    ['no end', '<script type="application/ld+json">{"@type":"Article","author":"Ana"}', {}],
    ['more than is read', ofArticle({ author: 'Ana', articleBody: 'a'.repeat(200_000) }), {}],
  ])('has %s', async (_, head, expected) => {
    expect(await read(head)).toEqual({ ...nothing, ...expected });
  });
});

describe('a hostile page', () => {
  const behind = '<meta name="author" content="Ana">';

  it.each<[string, string, string | null]>([
    ['no deeper than a head', `${'<b>'.repeat(100_000)}${behind}`, null],
    ['over one deep enough for one', `${'<b>'.repeat(60)}${behind}`, 'Ana'],
    ['over 100,000 attributes', `<meta ${'a '.repeat(100_000)}>${behind}`, 'Ana'],
    ['over attributes that objects have', `<meta __proto__="x" constructor="x">${behind}`, 'Ana'],
    [
      'over names that objects have',
      `<meta name="__proto__" content="x"><meta name="constructor" content="x">${behind}`,
      'Ana',
    ],
    ['over a long value', `<meta name="description" content="${'a'.repeat(400_000)}">${behind}`, 'Ana'],
    ['over 100,000 closing tags', `${'</i></p>'.repeat(50_000)}${behind}`, 'Ana'],
    ['over zeros', `${'\0'.repeat(100_000)}${behind}`, 'Ana'],
    [
      'over nested JSON-LD',
      `<script type="application/ld+json">${'['.repeat(150_000)}</script>${behind}`,
      'Ana',
    ],
    ['up to a comment without end', `<!-- ${behind.repeat(10_000)}`, null],
    ['up to a script without end', `<script>${behind.repeat(10_000)}`, null],
    ['up to a title without end', `<title>${behind.repeat(10_000)}`, null],
    ['up to 512 kB', `${' '.repeat(512 * 1024)}${behind}`, null],
    ['up to 512 kB, the last of it too', `${' '.repeat(512 * 1024 - behind.length)}${behind}`, 'Ana'],
    ['over the parts that it is fed in', `${' '.repeat(16_384 - 10)}${behind}`, 'Ana'],
  ])('is read %s', async (_, text, author) => {
    expect((await read(text)).author).toBe(author);
  });

  it('lets others have their turn while it is read', async () => {
    let turns = 0;
    let isRead = false;
    const count = () => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);

    await read('<meta>'.repeat(80_000));
    isRead = true;

    expect(turns).toBeGreaterThan(20);
  });
});
