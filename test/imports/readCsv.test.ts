import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type CsvOptions, readCsv } from '../../src/imports/readCsv.ts';
import { readAll, signal, useFolder } from './reading.ts';

const folder = useFolder();

async function read(content: string | Buffer, options: Partial<CsvOptions> = {}) {
  const path = await folder.write('table.csv', content);
  return readAll(
    readCsv(path, { zone: 'Europe/Berlin', map: new Map(), encoding: null, signal, ...options }),
  );
}

const titles = async (content: string | Buffer, options: Partial<CsvOptions> = {}) =>
  (await read(content, options)).articles.map(({ title }) => title);

describe('readCsv', () => {
  it('makes an article of each row', async () => {
    const { articles, bad, refusal } = await read(
      'Title,URL,Summary,Content,Author,Tags,Date,Image,Alt,GUID,Lang\n' +
        '"One, two",https://a.test/1?x=1,<p>It &amp; that</p>,<p>Long</p>,Ann,"a; b, A",2026-09-07 10:00,https://a.test/1.jpg,A hill,g-1,en\n',
    );

    expect([bad, refusal]).toEqual([[], null]);
    expect(articles).toEqual([
      {
        guid: 'g-1',
        url: 'https://a.test/1?x=1',
        title: 'One, two',
        summary: 'It & that',
        content: '<p>Long</p>',
        author: 'Ann',
        tags: ['a', 'b'],
        imageUrl: 'https://a.test/1.jpg',
        imageAlt: 'A hill',
        language: 'en',
        publishedAt: new Date('2026-09-07T08:00:00Z'),
        source: null,
      },
    ]);
  });

  it.each([
    ['UTF-8', Buffer.from('title,url\n“Grüße”,https://a.test/\n')],
    ['UTF-8 with a mark', Buffer.from('\uFEFFtitle,url\n“Grüße”,https://a.test/\n')],
    ['UTF-16 with a mark', Buffer.from('\uFEFFtitle\turl\n“Grüße”\thttps://a.test/\n', 'utf16le')],
    ['UTF-16 without one', Buffer.from('title\turl\n“Grüße”\thttps://a.test/\n', 'utf16le')],
    [
      'UTF-16, the higher byte first',
      Buffer.from('\uFEFFtitle,url\n“Grüße”,https://a.test/\n', 'utf16le').swap16(),
    ],
    ['windows-1252', Buffer.from('title,url\n\x93Gr\xfc\xdfe\x94,https://a.test/\n', 'latin1')],
    [
      'windows-1252 far behind ASCII',
      Buffer.from(
        `${'title,url\n'}${'x,https://a.test/\n'.repeat(0)}\x93Gr\xfc\xdfe\x94,https://a.test/\n`,
        'latin1',
      ),
    ],
  ])('finds out that a table is %s', async (_, bytes) => {
    expect(await titles(bytes)).toEqual(['“Grüße”']);
  });

  it('decides about the encoding by the whole of a file', async () => {
    const filler = 'plain,https://a.test/\n'.repeat(10_000);

    const found = await titles(Buffer.from(`title,url\n${filler}Gr\xfc\xdfe,https://b.test/\n`, 'latin1'));

    expect(found).toHaveLength(10_001);
    expect(found.at(-1)).toBe('Grüße');
  });

  it('reads in the encoding that it is told', async () => {
    expect(
      await titles(Buffer.from([...Buffer.from('title\n'), 0xcf, 0xf0, 0xe8]), { encoding: 'windows-1251' }),
    ).toEqual(['При']);
  });

  it.each([
    ['commas', 'title,url\n"a;b",https://a.test/'],
    ['semicolons', 'title;url\n"a;b";https://a.test/'],
    ['tabs', 'title\turl\n"a;b"\thttps://a.test/'],
    ['bars', 'title|url\n"a;b"|https://a.test/'],
    ['what Excel says', 'sep=;\r\ntitle;url\r\n"a;b";https://a.test/'],
  ])('parts cells at %s', async (_, text) => {
    expect(await titles(text)).toEqual(['a;b']);
  });

  it('reads a mere list of links, and names each by its address', async () => {
    const { articles } = await read('URL\nhttps://a.test/1\nhttps://a.test/2\n');

    expect(articles.map(({ title, url }) => [title, url])).toEqual([
      ['https://a.test/1', 'https://a.test/1'],
      ['https://a.test/2', 'https://a.test/2'],
    ]);
  });

  it('reports each bad row with its number in a spreadsheet, and reads the others', async () => {
    const { articles, bad } = await read(
      'title,url\nOne,https://a.test/1\nTwo,ftp://a.test/2\nThree,/3\n,,\n"",\nFour, with a comma,https://a.test/4\nFive,https://a.test/5,\n"Six\nhttps\n',
    );

    expect(articles.map(({ title }) => title)).toEqual(['One', 'Five', 'https']);
    expect(bad).toEqual([
      '3: "ftp://a.test/2" is no http or https URL',
      '4: "/3" is no http or https URL',
      '7: it has 3 cells, but there are 2 columns: is a quote missing?',
      '9: a quote is opened and not closed',
    ]);
  });

  it('counts the dates that it cannot read, and takes the articles without them', async () => {
    const { articles, notes } = await read('title,date\nOne,9/7/2026\nTwo,7.9.2026\nThree,never\nFour,\n');

    expect(articles.map(({ publishedAt }) => publishedAt?.toISOString() ?? null)).toEqual([
      null,
      '2026-09-06T22:00:00.000Z',
      null,
      null,
    ]);
    expect(notes.join('\n')).toContain(
      'that cannot be read, so that their articles come last: 2, such as "9/7/2026"',
    );
    expect(notes.join('\n')).toContain('that name no offset, read in Europe/Berlin: 1');
  });

  it('says which columns it reads and which not', async () => {
    const { notes } = await read('Headline,Link,Price\n');

    expect(notes).toEqual([
      'columns read: title from "Headline", url from "Link"',
      'columns that are not used: Price',
    ]);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['nothing', '', /^it is empty: its first line has to name the columns$/],
    ['only blank lines', '\n\n\n', /^it is empty/],
    ['no title and no URL', 'a,b\n1,2\n', /^no column holds a title or a URL/],
    ['no text', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 1, 2, 3]), /^it is no text$|^no column/],
    ['a first line without end', 'title,'.repeat(20_000), /^its first line is too long to name columns$/],
    ['too many columns', `title,${'x,'.repeat(1_500)}\n`, /^it has 1502 columns$/],
  ])('refuses a file with %s', async (_, content, reason) => {
    const { articles, refusal } = await read(content);

    expect(articles).toEqual([]);
    expect(refusal).toMatch(reason);
  });

  it('refuses what is no file, without opening it', async () => {
    const options: CsvOptions = { zone: 'UTC', map: new Map(), encoding: null, signal };

    const answers = await Promise.all(
      ['/dev/zero', folder.path(''), folder.path('nothing.csv')].map(path => readAll(readCsv(path, options))),
    );

    expect(answers.map(({ refusal }) => refusal)).toEqual([
      'it is not a file',
      'it is a folder, not a file',
      'there is no such file',
    ]);
  });

  it('refuses a file that is too large by its size alone', async () => {
    const path = await folder.write('huge.csv', 'title\n');
    const file = await open(path, 'r+');
    await file.truncate(2_000_000_000);
    await file.close();

    const { refusal } = await readAll(readCsv(path, { zone: 'UTC', map: new Map(), encoding: null, signal }));

    expect(refusal).toBe('it is larger than 1 GB (2 GB): import it in parts');
  });

  it('reads over a line of hundreds of megabytes in little memory', async () => {
    const path = await folder.write('line.csv', 'title\nOne\n');
    const file = await open(path, 'a');
    const piece = Buffer.alloc(10_000_000, 'x');
    for (let count = 0; count < 30; count += 1) await file.write(piece);
    await file.write('\nTwo\n');
    await file.close();
    const before = process.memoryUsage().rss;

    const reading = readAll(readCsv(path, { zone: 'UTC', map: new Map(), encoding: null, signal }));
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 20);
    const { articles, bad } = await reading.finally(() => clearInterval(watching));

    expect(articles.map(({ title }) => title)).toEqual(['One', 'Two']);
    expect(bad).toEqual(['3: it is longer than 1,000,000 characters']);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(200_000_000);
  });
});
