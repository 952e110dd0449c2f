import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/imports/readMarkdown.ts';
import { tarOf, zipOf } from './archives.ts';
import { readAll, signal, useFolder } from './reading.ts';

const folder = useFolder();
const options = { zone: 'UTC', site: null, signal };

const read = (path: string) => readAll(readMarkdown(path, options));
const post = (title: string) =>
  `---\ntitle: ${title}\nurl: https://a.test/${title}\n---\nText of ${title}.\n`;

async function readBytes(name: string, bytes: Buffer) {
  return read(await folder.write(name, bytes));
}

const titles = ({ articles }: Awaited<ReturnType<typeof read>>) => articles.map(({ title }) => title);

describe('readMarkdown of a folder', () => {
  it('reads the Markdown files in it and below it, by name', async () => {
    await folder.write('blog/b.md', post('B'));
    await folder.write('blog/a.markdown', post('A'));
    await folder.write('blog/deep/er/c.md', post('C'));
    await folder.write('blog/picture.jpg', 'x');
    await folder.write('blog/README.md', '# Read me');
    await folder.write('blog/.git/d.md', post('D'));
    await folder.write('blog/node_modules/e/e.md', post('E'));

    const found = await read(folder.path('blog'));

    expect(titles(found)).toEqual(['A', 'B', 'C']);
    expect(found).toMatchObject({ bad: [], leftOut: ['files without front matter'], refusal: null });
  });

  it('follows no symbolic link, wherever it leads', async () => {
    await folder.write('outside/secret.md', post('Secret'));
    await folder.write('linked/a.md', post('A'));
    await symlink(folder.path('outside/secret.md'), folder.path('linked/b.md'));
    await symlink(folder.path('outside'), folder.path('linked/c'));
    await symlink('/etc/passwd', folder.path('linked/d.md'));
    await symlink('.', folder.path('linked/loop'));

    const found = await read(folder.path('linked'));

    expect(titles(found)).toEqual(['A']);
    expect(found.bad).toEqual([
      '2: b.md: it is a symbolic link, which is not followed',
      '3: c: it is a symbolic link, which is not followed',
      '4: d.md: it is a symbolic link, which is not followed',
      '5: loop: it is a symbolic link, which is not followed',
    ]);
  });

  it('reports each bad file with its name, and reads the others', async () => {
    await folder.write('mixed/a.md', '---\ntitle: "A\n---\n');
    await folder.write('mixed/b.md', post('B'));
    await folder.write('mixed/c.md', 'x'.repeat(1_000_001));
    execFileSync('mkfifo', [folder.path('mixed/d.md')]);

    const found = await read(folder.path('mixed'));

    expect(titles(found)).toEqual(['B']);
    expect(found.bad[0]).toMatch(/^1: a.md: its front matter cannot be read/);
    expect(found.bad.slice(1)).toEqual(['3: c.md: it is larger than 1 MB (1 MB)']);
  });

  it('reads text in UTF-8, with a mark or without, and in windows-1252', async () => {
    const text = post('Grüße');
    await folder.write('text/a.md', text);
    await folder.write('text/b.md', `\uFEFF${text}`);
    await folder.write('text/c.md', Buffer.from(text, 'latin1'));

    expect(titles(await read(folder.path('text')))).toEqual(['Grüße', 'Grüße', 'Grüße']);
  });

  it('refuses folders nested without end, and reads the others', async () => {
    const deep = folder.path(join('nested', ...Array.from({ length: 60 }, () => 'x')));
    await mkdir(deep, { recursive: true });
    await folder.write('nested/a.md', post('A'));

    const found = await read(folder.path('nested'));

    expect(titles(found)).toEqual(['A']);
    expect(found.bad).toHaveLength(1);
    expect(found.bad[0]).toMatch(/nested more than 50 deep$/);
  });
});

describe('readMarkdown of an archive', () => {
  it('reads what tar and gzip make', async () => {
    const long = 'a-name-that-is-long/'.repeat(12);
    await folder.write('packed/a.md', post('A'));
    await folder.write(`packed/${long}b.md`, post('B'));
    await folder.write('packed/c.jpg', 'x'.repeat(100_000));
    await folder.write('packed/d.md', post('D'));
    for (const format of ['gnu', 'pax', 'ustar']) {
      const what = format === 'ustar' ? ['packed/a.md', 'packed/c.jpg', 'packed/d.md'] : ['packed'];
      execFileSync('tar', [
        '-C',
        folder.path(''),
        `--format=${format}`,
        '-czf',
        folder.path(`${format}.tar.gz`),
        ...what,
      ]);
      execFileSync('tar', [
        '-C',
        folder.path(''),
        `--format=${format}`,
        '-cf',
        folder.path(`${format}.tar`),
        ...what,
      ]);
    }

    for (const format of ['gnu', 'pax', 'ustar']) {
      for (const ending of ['tar.gz', 'tar']) {
        const found = await read(folder.path(`${format}.${ending}`));

        expect(found).toMatchObject({ bad: [], refusal: null });
        expect(titles(found).sort()).toEqual(format === 'ustar' ? ['A', 'D'] : ['A', 'B', 'D']);
      }
    }
  });

  it('reads a zip archive', async () => {
    const found = await readBytes(
      'blog.zip',
      zipOf([
        { name: 'blog/' },
        { name: 'blog/a.md', content: post('A') },
        { name: 'blog/é.md', content: post('E') },
        { name: 'x.png', content: 'x' },
      ]),
    );

    expect(titles(found)).toEqual(['A', 'E']);
    expect(found).toMatchObject({ bad: [], refusal: null });
  });

  it.each([
    ['above it', '../evil.md'],
    ['above it, on the way', 'a/../../evil.md'],
    ['absolute', '/etc/evil.md'],
    ['with a drive', 'C:/evil.md'],
    ['with backslashes', '..\\evil.md'],
  ])('refuses an archive with a path that leads out of it: %s', async (_, name) => {
    const entries = [
      { name: 'a.md', content: post('A') },
      { name, content: post('Evil') },
    ];

    const answers = [
      await readBytes('evil.zip', zipOf(entries)),
      await readBytes('evil.tar', tarOf(entries)),
      await readBytes('evil.tar.gz', gzipSync(tarOf(entries))),
    ];

    for (const { refusal } of answers)
      expect(refusal).toMatch(/^it holds ".*evil\.md", a path that leads out of it$/);
  });

  it('follows no link in an archive', async () => {
    const zip = await readBytes(
      'links.zip',
      zipOf([
        { name: 'a.md', content: '/etc/passwd', mode: 0o120777 },
        { name: 'b.md', content: post('B') },
      ]),
    );
    const tar = await readBytes(
      'links.tar',
      tarOf([
        { name: 'a.md', type: '2' },
        { name: 'b.md', content: post('B') },
        { name: 'c.md', type: '1' },
      ]),
    );

    expect([titles(zip), titles(tar)]).toEqual([['B'], ['B']]);
    expect(zip.bad).toEqual(['1: a.md: it is a symbolic link, which is not followed']);
    expect(tar.bad).toEqual([
      '1: a.md: it is a link, which is not followed',
      '3: c.md: it is a link, which is not followed',
    ]);
  });

  it('unpacks no entry that is too large, or larger than the archive says', async () => {
    const bomb = Buffer.alloc(50_000_000);
    const found = await readBytes(
      'bomb.zip',
      zipOf([
        { name: 'a.md', content: bomb },
        { name: 'b.md', content: bomb, size: 1_000 },
        { name: 'c.md', content: post('C') },
      ]),
    );

    expect(titles(found)).toEqual(['C']);
    expect(found.bad[0]).toBe('1: a.md: it is larger than 1 MB (50 MB)');
    expect(found.bad[1]).toMatch(/^2: b.md: it is damaged: too many bytes/);
  });

  it('gives up a tar archive that unpacks to gigabytes, in little memory', async () => {
    const path = folder.path('bomb.tar.gz');
    const file = await open(path, 'w');
    const gigabyte = gzipSync(Buffer.alloc(100_000_000));
    await file.write(gzipSync(tarOf([{ name: 'big.bin', size: 8_000_000_000 }], { isCut: true })));
    for (let count = 0; count < 30; count += 1) await file.write(gigabyte);
    await file.close();
    const before = process.memoryUsage().rss;

    const found = await read(path);

    expect(found.refusal).toBe('it unpacks to more than 2 GB');
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it.each([
    [
      'cut off',
      () => gzipSync(tarOf([{ name: 'a.md', content: post('A') }])).subarray(0, 60),
      'it was cut off',
    ],
    [
      'cut off in a file',
      () => tarOf([{ name: 'a.md', content: 'x', size: 900_000 }], { isCut: true }),
      'it was cut off',
    ],
    [
      'cut off in a file that is not read',
      () => tarOf([{ name: 'a.bin', size: 900_000 }], { isCut: true }),
      'it was cut off',
    ],
    ['gzipped, but no archive', () => gzipSync('x'.repeat(2_000)), 'it is no tar archive, or damaged'],
    [
      'with a name of megabytes',
      () => tarOf([{ name: 'x', type: 'L', size: 500_000_000 }]),
      'a name in it is too long',
    ],
    [
      'with a header of gigabytes',
      () => tarOf([{ name: 'x', type: 'x', size: 5_000_000_000 }]),
      'a name in it is too long',
    ],
    [
      'of another kind',
      () => Buffer.from('Rar!\x1a\x07'),
      'it is neither a folder nor a .zip, .tar or .tar.gz archive',
    ],
    [
      'damaged as a zip',
      () => zipOf([{ name: 'a.md', content: post('A') }]).subarray(0, 80),
      /^it is damaged: /,
    ],
  ])('refuses one that is %s', async (_, bytes, reason) => {
    const { refusal } = await readBytes('broken', bytes());

    expect(refusal).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
  });

  it('believes no gzip that is damaged', async () => {
    const bytes = gzipSync(tarOf([{ name: 'a.md', content: post('A') }]));
    bytes.writeUInt8((bytes.at(-6) ?? 0) ^ 0xff, bytes.length - 6);

    expect((await readBytes('damaged.tar.gz', bytes)).refusal).toMatch(/^it is damaged: Z_DATA_ERROR$/);
  });
});
