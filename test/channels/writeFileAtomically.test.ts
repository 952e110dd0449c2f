import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../../src/channels/writeFileAtomically.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'headway-write-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('writeFileAtomically', () => {
  it('makes the folders and writes the whole text', async () => {
    await writeFileAtomically({ root, relativePath: 'a/b/c.md', text: 'ü' });

    expect(await readFile(join(root, 'a/b/c.md'), 'utf8')).toBe('ü');
    expect(await readdir(join(root, 'a/b'))).toEqual(['c.md']);
  });

  it('leaves nothing behind when the last step fails', async () => {
    await mkdir(join(root, 'a/c.md/in-the-way'), { recursive: true });

    const writing = writeFileAtomically({ root, relativePath: 'a/c.md', text: 'x' });

    await expect(writing).rejects.toThrow();
    expect(await readdir(join(root, 'a'))).toEqual(['c.md']);
  });

  it('never shows a mixture to a reader while two write at once', async () => {
    const texts = ['a', 'b'].map(letter => letter.repeat(300_000));
    const read: string[] = [];

    const writing = texts.map(text => writeFileAtomically({ root, relativePath: 'c.md', text }));
    const reading = Promise.all(writing).then(() => 'written');
    while (
      (await Promise.race([reading, readFile(join(root, 'c.md'), 'utf8').catch(() => '')])) !== 'written'
    ) {
      read.push(await readFile(join(root, 'c.md'), 'utf8').catch(() => ''));
    }

    expect(read.filter(text => text !== '' && !texts.includes(text))).toEqual([]);
    expect(await readdir(root)).toEqual(['c.md']);
  });
});
