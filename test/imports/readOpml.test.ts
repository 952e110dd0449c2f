import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readOpml } from '../../src/imports/readOpml.ts';
import { writeOpml } from '../../src/imports/writeOpml.ts';
import { readAll, signal, useFolder } from './reading.ts';

const folder = useFolder();

async function read(content: string | Buffer) {
  return readAll(readOpml(await folder.write('feeds.opml', content), { signal }));
}

const opml = (body: string, head = '<?xml version="1.0" encoding="UTF-8"?>') =>
  `${head}<opml version="2.0"><head><title>Mine</title></head><body>${body}</body></opml>`;

describe('readOpml', () => {
  it('finds the feeds in any folder, and their names where they are', async () => {
    const { feeds, bad } = await read(
      opml(
        `<outline text="News"><outline text="Deep"><outline text="A" title="One &amp; only" xmlUrl="https://a.test/feed"/></outline>
         <outline type="rss" text="Two" xmlUrl="http://b.test/rss?x=1&amp;y=2"></outline></outline>
         <outline xmlUrl="https://c.test/feed" text=" "/><OUTLINE TEXT="Four" XMLURL="feed:https://d.test/"/><outline text="Five" xmlUrl="feed://e.test/x"/>`,
      ),
    );

    expect(bad).toEqual([]);
    expect(feeds).toEqual([
      { name: 'One & only', url: 'https://a.test/feed' },
      { name: 'Two', url: 'http://b.test/rss?x=1&y=2' },
      { name: 'c.test', url: 'https://c.test/feed' },
      { name: 'Four', url: 'https://d.test/' },
      { name: 'Five', url: 'http://e.test/x' },
    ]);
  });

  it('reports what is no feed with its number, and reads the others', async () => {
    const { feeds, bad } = await read(
      opml(
        `<outline type="rss" text="None"/><outline text="Ftp" xmlUrl="ftp://a.test/"/><outline text="Two words" xmlUrl="two words"/>
         <outline text="Secret" xmlUrl="https://ann:hunter22@a.test/feed"/><outline text="Good" xmlUrl="https://a.test/"/>`,
      ),
    );

    expect(feeds.map(({ name }) => name)).toEqual(['Good']);
    expect(bad).toEqual([
      '1: "None" has no xmlUrl',
      '2: "ftp://a.test/" is no http or https URL',
      '3: "two words" is no URL',
      '4: the URL at a.test holds a user name or password, which feeds may not have',
    ]);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${opml('<outline text="Grüße" xmlUrl="https://a.test/"/>')}`)],
    ['UTF-16', Buffer.from(`\uFEFF${opml('<outline text="Grüße" xmlUrl="https://a.test/"/>')}`, 'utf16le')],
    [
      'ISO-8859-1, declared',
      Buffer.from(
        opml(
          '<outline text="Grüße" xmlUrl="https://a.test/"/>',
          '<?xml version="1.0" encoding="ISO-8859-1"?>',
        ),
        'latin1',
      ),
    ],
    [
      'windows-1252, undeclared',
      Buffer.from(opml('<outline text="Grüße" xmlUrl="https://a.test/"/>', ''), 'latin1'),
    ],
  ])('reads %s', async (_, bytes) => {
    expect((await read(bytes)).feeds).toEqual([{ name: 'Grüße', url: 'https://a.test/' }]);
  });

  it('reads what it writes', async () => {
    const feeds = [
      { name: 'A "quoted" <name> & more \u0007', url: 'https://a.test/?a=1&b=2' },
      { name: '日本', url: 'https://b.test/' },
    ];

    const { feeds: again } = await read(writeOpml('Mine & yours', feeds, new Date('2026-09-07T12:00:00Z')));

    expect(again).toEqual([{ ...feeds[0], name: 'A "quoted" <name> & more' }, feeds[1]]);
  });

  it.each([
    [
      'a web page',
      '<!DOCTYPE html><html><body>404</body></html>',
      /^it is no OPML file: it begins with <html>$/,
    ],
    ['a feed', '<rss version="2.0"></rss>', /^it is no OPML file: it begins with <rss>$/],
    ['no XML', 'name,url\na,b', /^it ends before <\/opml>/],
    ['nothing', '', /^it ends before <\/opml>/],
    [
      'one that was cut off',
      opml('<outline text="A" xmlUrl="https://a.test/"/>').slice(0, -10),
      /^it ends before <\/opml>/,
    ],
    [
      'billion laughs',
      `<!DOCTYPE opml [<!ENTITY a "${'ha'.repeat(10)}"><!ENTITY b "${'&a;'.repeat(10)}">]>${opml('<outline text="&b;" xmlUrl="https://a.test/"/>', '')}`,
      /^it declares entities of its own/,
    ],
    [
      'an external entity',
      `<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]>${opml('<outline text="&x;" xmlUrl="https://a.test/"/>', '')}`,
      /^it declares entities of its own/,
    ],
    ['outlines nested without end', opml('<outline text="x">'.repeat(200_000)), /nested more than 100 deep$/],
    [
      'a thousand attributes',
      opml(`<outline ${Array.from({ length: 1_000 }, (_, n) => `a${n}="x"`).join(' ')}/>`),
      /more than 256 attributes$/,
    ],
    ['a tag without end', `<opml><body><outline text="${'x'.repeat(6_000_000)}`, /does not end$/],
  ])('refuses %s, soon', async (_, content, reason) => {
    const begun = performance.now();

    const { refusal } = await read(content);

    expect(refusal).toMatch(reason);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('takes a document type that declares nothing for none', async () => {
    const { feeds } = await read(
      opml(
        '<outline text="A" xmlUrl="https://a.test/"/>',
        '<!DOCTYPE opml SYSTEM "http://nowhere.test/opml.dtd">',
      ),
    );

    expect(feeds).toHaveLength(1);
  });

  it('refuses a file that is too large by its size alone', async () => {
    const path = await folder.write('huge.opml', '<opml>');
    const file = await open(path, 'r+');
    await file.truncate(50_000_000);
    await file.close();

    expect((await readAll(readOpml(path, { signal }))).refusal).toBe(
      'it is larger than 10 MB (50 MB): import it in parts',
    );
  });
});
