import { describe, expect, it } from 'vitest';
import { readWordPress } from '../../src/imports/readWordPress.ts';
import { readAll, signal, useFolder } from './reading.ts';

const folder = useFolder();

async function read(content: string | Buffer) {
  return readAll(readWordPress(await folder.write('export.xml', content), { zone: 'Europe/Berlin', signal }));
}

type Fields = Readonly<Record<string, string>>;

/** A published post; fields by the names of their elements, `extra` as it stands. */
function item(fields: Fields = {}, extra = ''): string {
  const all = { 'wp:post_type': 'post', 'wp:status': 'publish', ...fields };
  const elements = Object.entries(all).map(([name, text]) => `<${name}><![CDATA[${text}]]></${name}>`);
  return `<item>${elements.join('')}${extra}</item>`;
}

function wxr(...parts: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!-- generator="WordPress/6.9" -->
<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Blog</title><wp:wxr_version>1.2</wp:wxr_version>
${parts.join('\n')}
</channel></rss>`;
}

const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;

const author = (login: string, name: string) =>
  `<wp:author><wp:author_login><![CDATA[${login}]]></wp:author_login><wp:author_display_name><![CDATA[${name}]]></wp:author_display_name></wp:author>`;

describe('readWordPress', () => {
  it('makes an article of a published post', async () => {
    const post = item(
      {
        title: 'It&#8217;s <b>here</b>',
        link: 'https://blog.test/2026/09/here/',
        guid: 'https://blog.test/?p=7',
        pubDate: 'Mon, 07 Sep 2026 10:00:00 +0000',
        'dc:creator': 'ann',
        'content:encoded':
          '<!-- wp:paragraph --><p>Long [caption id="3"]text[/caption]</p><!-- /wp:paragraph -->',
        'excerpt:encoded': '',
        'wp:post_id': '7',
        'wp:post_date': '2026-09-07 12:00:00',
        'wp:post_date_gmt': '2026-09-07 10:00:00',
      },
      `<category domain="category" nicename="news"><![CDATA[News]]></category><category domain="post_tag" nicename="a"><![CDATA[a & b]]></category>
       <category domain="category" nicename="uncategorized"><![CDATA[Uncategorized]]></category><category domain="post_format" nicename="x">Aside</category>
       ${meta('_edit_last', '1')}${meta('_thumbnail_id', '9')}
       <wp:comment><wp:comment_content><![CDATA[<script>]]></wp:comment_content></wp:comment>`,
    );
    const picture = item(
      {
        title: 'hill',
        'wp:post_id': '9',
        'wp:post_type': 'attachment',
        'wp:status': 'inherit',
        'wp:attachment_url': 'https://blog.test/hill.jpg',
      },
      meta('_wp_attachment_image_alt', 'A green hill'),
    );

    const { articles, bad, leftOut, refusal } = await read(wxr(author('ann', 'Ann Other'), post, picture));

    expect([bad, leftOut, refusal]).toEqual([[], ['attachments'], null]);
    expect(articles).toEqual([
      {
        guid: 'https://blog.test/?p=7',
        url: 'https://blog.test/2026/09/here/',
        title: 'It’s here',
        summary: 'Long text',
        content: '<!-- wp:paragraph --><p>Long [caption id="3"]text[/caption]</p><!-- /wp:paragraph -->',
        author: 'Ann Other',
        tags: ['News', 'a & b'],
        imageUrl: 'https://blog.test/hill.jpg',
        imageAlt: 'A green hill',
        language: null,
        publishedAt: new Date('2026-09-07T10:00:00Z'),
        source: null,
      },
    ]);
  });

  it('takes the first picture that was uploaded to a post where it has none of its own', async () => {
    const upload = (id: string, url: string) =>
      item({
        'wp:post_type': 'attachment',
        'wp:post_id': id,
        'wp:post_parent': '7',
        'wp:attachment_url': url,
      });

    const { articles } = await read(
      wxr(
        upload('8', 'https://blog.test/notes.pdf'),
        upload('9', 'https://blog.test/a.jpg'),
        upload('10', 'https://blog.test/b.jpg'),
        item({ title: 'One', 'wp:post_id': '7' }),
      ),
    );

    expect(articles.map(({ imageUrl }) => imageUrl)).toEqual(['https://blog.test/a.jpg']);
  });

  it('leaves out what nobody can read on the site, and says how many', async () => {
    const { articles, leftOut } = await read(
      wxr(
        item({ title: 'Draft', 'wp:status': 'draft' }),
        item({ title: 'Private', 'wp:status': 'private' }),
        item({ title: 'Later', 'wp:status': 'future' }),
        item({ title: 'Secret', 'wp:post_password': 'hunter22' }),
        item({ title: 'About', 'wp:post_type': 'page' }),
        item({ title: 'Menu', 'wp:post_type': 'nav_menu_item' }),
        item({ title: 'Public', 'wp:post_password': '' }),
      ),
    );

    expect(articles.map(({ title }) => title)).toEqual(['Public']);
    expect(leftOut).toEqual([
      'posts that are not published (draft)',
      'posts that are not published (private)',
      'posts that are not published (future)',
      'posts behind a password',
      'items of the type page',
      'items of the type nav_menu_item',
    ]);
  });

  it.each([
    [
      { 'wp:post_date_gmt': '0000-00-00 00:00:00', pubDate: 'Mon, 07 Sep 2026 10:00:00 +0000' },
      '2026-09-07T10:00:00.000Z',
    ],
    [
      { 'wp:post_date_gmt': '', pubDate: '', 'wp:post_date': '2026-09-07 12:00:00' },
      '2026-09-07T10:00:00.000Z',
    ],
    [{ 'wp:post_date_gmt': '', pubDate: 'Wed, 30 Nov -0001 00:00:00 +0000' }, null],
  ])('reads the date of %j', async (fields: Fields, instant) => {
    const { articles } = await read(wxr(item({ title: 'One', ...fields })));

    expect(articles[0]?.publishedAt?.toISOString() ?? null).toBe(instant);
  });

  it('reports an item that is too large or says nothing, and reads the others', async () => {
    const { articles, bad } = await read(
      wxr(
        item({ title: 'One' }),
        item({ title: 'Two', 'content:encoded': 'x'.repeat(1_100_000) }),
        item(),
        item({ title: 'Four' }),
      ),
    );

    expect(articles.map(({ title }) => title)).toEqual(['One', 'Four']);
    expect(bad).toEqual([
      '2: it is longer than 1,000,000 characters',
      '3: it has no title, no link and no text',
    ]);
  });

  it('reads what is not quite XML, as plugins write it', async () => {
    const broken =
      '<item><title>Fish & chips</title><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_name>x\u0007</wp:post_name></item>';

    expect((await read(wxr(broken))).articles.map(({ title }) => title)).toEqual(['Fish & chips']);
  });

  it('reads an export in windows-1252', async () => {
    const bytes = Buffer.from(wxr(item({ title: 'Grüße' })).replace('UTF-8', 'windows-1252'), 'latin1');

    expect((await read(bytes)).articles.map(({ title }) => title)).toEqual(['Grüße']);
  });

  it.each([
    [
      'a feed',
      '<rss version="2.0"><channel><item><title>One</title></item></channel></rss>',
      /^it is a feed, but no WordPress export/,
    ],
    ['a web page', '<html><body>Log in</body></html>', /^it is no WordPress export: it begins with <html>$/],
    ['one that was cut off', wxr(item({ title: 'One' })).slice(0, -20), /^it ends before <\/rss>/],
    [
      'one that was cut off in its text',
      `${wxr(item({ title: 'One' })).slice(0, -40)}<item><title><![CDATA[half`,
      /^it ends before <\/rss>/,
    ],
    [
      'billion laughs',
      `<!DOCTYPE rss [<!ENTITY a "ha">]>${wxr(item({ title: '&a;' })).replace(/^<\?.*\n/, '')}`,
      /^it declares entities of its own/,
    ],
    ['elements nested without end', wxr('<x>'.repeat(200_000)), /nested more than 100 deep$/],
    [
      'a section without end',
      `<rss><channel><item><title><![CDATA[${'x'.repeat(8_000_000)}`,
      /does not end$/,
    ],
  ])('refuses %s, soon', async (_, content, reason) => {
    const begun = performance.now();

    const { refusal } = await read(content);

    expect(refusal).toMatch(reason);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
